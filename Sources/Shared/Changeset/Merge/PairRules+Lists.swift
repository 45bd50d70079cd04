// SPDX-License-Identifier: Apache-2.0

/// Rules for two instructions on elements of one list (protocol §7.4, "Lists"). Every rule also adjusts the prior
/// sizes.
extension PairRules {
  /// Moves two insertions, moves, erasures or updates in the same list over each other.
  static func apply(_ left: inout ListStep, _ right: inout ListStep) throws(ListSizeMismatch) {
    if left.kind <= right.kind { try applyOrdered(&left, &right) } else { try applyOrdered(&right, &left) }
  }

  /// Applies the rules for two steps, of which the left one has the lesser kind.
  private static func applyOrdered(_ left: inout ListStep, _ right: inout ListStep) throws(ListSizeMismatch) {
    switch (left.kind, right.kind) {
    case (.update, .arrayInsert): try updateAndArrayInsert(&left, right)
    case (.update, .arrayMove): updateAndArrayMove(&left, right)
    case (.update, .arrayErase): try updateAndArrayErase(&left, right)
    case (.arrayInsert, .arrayInsert): try arrayInsertAndArrayInsert(&left, &right)
    case (.arrayInsert, .arrayMove): arrayInsertAndArrayMove(&left, &right)
    case (.arrayInsert, .arrayErase): try arrayInsertAndArrayErase(&left, &right)
    case (.arrayMove, .arrayMove): try arrayMoveAndArrayMove(&left, &right)
    case (.arrayMove, .arrayErase): try arrayMoveAndArrayErase(&left, &right)
    case (.arrayErase, .arrayErase): try arrayEraseAndArrayErase(&left, &right)
    default: break
    }
  }

  private static func updateAndArrayInsert(_ update: inout ListStep, _ insert: ListStep)
    throws(ListSizeMismatch)
  {
    try requireSameSize(update, insert)
    update.priorSize &+= 1
    if update.index >= insert.index { update.index &+= 1 }
  }

  private static func updateAndArrayErase(_ update: inout ListStep, _ erase: ListStep)
    throws(ListSizeMismatch)
  {
    try requireSameSize(update, erase)
    update.priorSize &-= 1
    if update.index == erase.index { return update.discard() }
    if update.index > erase.index { update.index -= 1 }
  }

  private static func updateAndArrayMove(_ update: inout ListStep, _ move: ListStep) {
    update.index = update.index.moved(from: move.index, to: move.destination)
  }

  /// For two inserts at the same index, puts the earlier element first.
  private static func arrayInsertAndArrayInsert(
    _ left: inout ListStep,
    _ right: inout ListStep
  ) throws(ListSizeMismatch) {
    try requireSameSize(left, right)
    left.priorSize &+= 1
    right.priorSize &+= 1
    if left.index > right.index || left.index == right.index && left.isLater(than: right) {
      left.index &+= 1
    } else {
      right.index &+= 1
    }
  }

  private static func arrayInsertAndArrayErase(
    _ insert: inout ListStep,
    _ erase: inout ListStep
  ) throws(ListSizeMismatch) {
    try requireSameSize(insert, erase)
    erase.priorSize &+= 1
    insert.priorSize &-= 1
    if insert.index <= erase.index { erase.index &+= 1 } else { insert.index -= 1 }
  }

  private static func arrayEraseAndArrayErase(
    _ left: inout ListStep,
    _ right: inout ListStep
  ) throws(ListSizeMismatch) {
    try requireSameSize(left, right)
    left.priorSize &-= 1
    right.priorSize &-= 1
    if left.index == right.index {
      left.discard()
      right.discard()
    } else if left.index > right.index {
      left.index -= 1
    } else {
      right.index -= 1
    }
  }

  /// Adjusts the index of a Clear, which addresses a collection inside a list of mixed by its index, as its
  /// neighbours move. The reference lacks this rule, and its two sides then differ.
  static func shiftClear(_ clear: inout MergeOperand, beside list: MergeOperand) {
    guard [.arrayInsert, .arrayErase, .arrayMove].contains(list.kind) else { return }
    clear.noteDoubt(.deviation)
    let (index, other) = (clear.step.index, list.step)
    switch list.kind {
    case .arrayInsert where index >= other.index: clear.step.index &+= 1
    case .arrayErase where index == other.index: clear.discard()
    case .arrayErase where index > other.index: clear.step.index -= 1
    case .arrayMove: clear.step.index = index.moved(from: other.index, to: other.destination)
    default: break
    }
  }

  static func requireSameSize(_ left: ListStep, _ right: ListStep) throws(ListSizeMismatch) {
    guard left.priorSize == right.priorSize else {
      throw ListSizeMismatch(sizes: (left.priorSize, right.priorSize))
    }
  }
}

/// An error thrown if two instructions on one list start from different lengths.
struct ListSizeMismatch: Error {
  let sizes: (UInt32, UInt32)

  func error(at operand: MergeOperand) -> MergeError {
    MergeError(
      .listSize,
      "the two sides disagree on the size of the list at \(operand.place): \(sizes.0) and \(sizes.1) elements"
    )
  }
}

extension MergeOperand {
  /// The place in the form used by messages: `Task(42).tags[0]`.
  var place: String {
    let steps = settledPath.map { element in
      switch element {
      case .index(let index): "[\(index)]"
      case .name(let name): ".\(name)"
      }
    }
    return "\(table)(\(object?.key.description ?? "")).\(field)\(steps.joined())"
  }
}
