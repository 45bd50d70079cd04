// SPDX-License-Identifier: Apache-2.0

/// The effect of an instruction on one that reaches deeper (protocol §7.3, "Nested instructions").
extension PairRules {
  static func nest(outer: MergeOperand, inner: inout MergeOperand) {
    if createsEntry(outer, around: inner) { inner.noteDoubt(.embeddedEntry) }
    switch outer.kind {
    case .addTable, .addColumn, .eraseColumn, .createObject, .setInsert, .setErase: break
    case .eraseTable: if inner.table == outer.table { inner.discard() }
    case .eraseObject: if inner.object == outer.object { inner.discard() }
    case .update: if replaces(outer, contentAt: inner) { inner.discard() }
    case .addInteger, .clear: if outer.isPrefix(of: inner) { inner.discard() }
    case .arrayInsert: nestInArrayInsert(outer, &inner)
    case .arrayErase: nestInArrayErase(outer, &inner)
    case .arrayMove: nestInArrayMove(outer, &inner)
    }
  }

  /// Whether an update removes everything inside its place. Creating an embedded object does not clear an existing
  /// one, and turning a place into a list or dictionary keeps the contents of an existing one.
  private static func replaces(_ update: MergeOperand, contentAt inner: MergeOperand) -> Bool {
    guard update.isPrefix(of: inner) else { return false }
    switch (update.payload, inner.path[update.path.count]) {
    case (.object, _), (.list, .index), (.dictionary, .name): return false
    default: return true
    }
  }

  /// Whether an update creates an embedded object that may be the value of a dictionary key, where it replaces an
  /// existing one.
  private static func createsEntry(_ update: MergeOperand, around inner: MergeOperand) -> Bool {
    guard update.kind == .update, update.payload == .object, case .name = update.path.last else {
      return false
    }
    return update.isPrefix(of: inner)
  }

  private static func nestInArrayInsert(_ insert: MergeOperand, _ inner: inout MergeOperand) {
    guard let index = insert.indexInList(of: inner), index >= insert.step.index else { return }
    inner.path[insert.path.count - 1] = .index(index &+ 1)
  }

  private static func nestInArrayErase(_ erase: MergeOperand, _ inner: inout MergeOperand) {
    guard let index = erase.indexInList(of: inner), index >= erase.step.index else { return }
    if index == erase.step.index {
      inner.discard()
    } else {
      inner.path[erase.path.count - 1] = .index(index - 1)
    }
  }

  /// Adjusts the inner path. The reference alters the move instead, and its two sides then differ. No rule both
  /// agrees with the reference and converges, so this one converges.
  private static func nestInArrayMove(_ move: MergeOperand, _ inner: inout MergeOperand) {
    guard let index = move.indexInList(of: inner) else { return }
    inner.noteDoubt(.deviation)
    let newIndex = index.moved(from: move.step.index, to: move.step.destination)
    if newIndex != index { inner.path[move.path.count - 1] = .index(newIndex) }
  }
}

extension UInt32 {
  /// Returns the new index of the element at this index after a move ("getvsmove" in protocol §7.3).
  func moved(from: UInt32, to: UInt32) -> UInt32 {
    if self == from { return to }
    let removed = self > from ? self - 1 : self
    return removed >= to ? removed &+ 1 : removed
  }
}
