// SPDX-License-Identifier: Apache-2.0

/// Two instructions on elements of one list (protocol §7.4, "Lists"). Every instruction counts the list's length along.
extension PairRules {
  static func updateAndArrayInsert(_ update: inout MergeOperand, _ insert: MergeOperand) throws(MergeError) {
    try requireSameSize(update, insert)
    update.priorSize &+= 1
    if update.index >= insert.index { update.index &+= 1 }
  }

  static func updateAndArrayErase(_ update: inout MergeOperand, _ erase: MergeOperand) throws(MergeError) {
    try requireSameSize(update, erase)
    update.priorSize &-= 1
    if update.index == erase.index { return update.discard() }
    if update.index > erase.index { update.index -= 1 }
  }

  static func updateAndArrayMove(_ update: inout MergeOperand, _ move: MergeOperand) {
    update.index = update.index.moved(from: move.index, to: move.destination)
  }

  /// Two inserts at one index: the earlier comes first.
  static func arrayInsertAndArrayInsert(
    _ left: inout MergeOperand,
    _ right: inout MergeOperand
  ) throws(MergeError) {
    try requireSameSize(left, right)
    left.priorSize &+= 1
    right.priorSize &+= 1
    if left.index > right.index || left.index == right.index && left.isLater(than: right) {
      left.index &+= 1
    } else {
      right.index &+= 1
    }
  }

  static func arrayInsertAndArrayErase(
    _ insert: inout MergeOperand,
    _ erase: inout MergeOperand
  ) throws(MergeError) {
    try requireSameSize(insert, erase)
    erase.priorSize &+= 1
    insert.priorSize &-= 1
    if insert.index <= erase.index { erase.index &+= 1 } else { insert.index -= 1 }
  }

  static func arrayEraseAndArrayErase(
    _ left: inout MergeOperand,
    _ right: inout MergeOperand
  ) throws(MergeError) {
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

  /// A collection inside a list of mixed is cleared by its index, which moves with its neighbours. The reference has
  /// no such rule, and its two sides then differ.
  static func shiftClear(_ clear: inout MergeOperand, beside list: MergeOperand) {
    clear.noteDoubt(.deviation)
    switch list.kind {
    case .arrayInsert where clear.index >= list.index: clear.index &+= 1
    case .arrayErase where clear.index == list.index: clear.discard()
    case .arrayErase where clear.index > list.index: clear.index -= 1
    case .arrayMove: clear.index = clear.index.moved(from: list.index, to: list.destination)
    default: break
    }
  }

  static func requireSameSize(_ left: MergeOperand, _ right: MergeOperand) throws(MergeError) {
    guard left.priorSize == right.priorSize else {
      throw MergeError(
        .listSize,
        "the two sides count \(left.priorSize) and \(right.priorSize) elements in the list at \(left.place)"
      )
    }
  }
}

extension MergeOperand {
  /// The place for messages: `Task(42).tags[0]`.
  var place: String {
    let steps = path.map { element in
      switch element {
      case .index(let index): "[\(index)]"
      case .name(let name): ".\(name)"
      }
    }
    return "\(table)(\(object?.key.description ?? "")).\(field)\(steps.joined())"
  }
}
