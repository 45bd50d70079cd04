// SPDX-License-Identifier: Apache-2.0

/// What an instruction does to one that reaches deeper (protocol §7.3, "Nested instructions").
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

  /// Whether an update leaves nothing of what was inside. Creating an embedded object does not clear one that is
  /// there, and making something a list or a dictionary keeps the contents of one.
  private static func replaces(_ update: MergeOperand, contentAt inner: MergeOperand) -> Bool {
    guard update.isPrefix(of: inner) else { return false }
    switch (update.payload, inner.path[update.path.count]) {
    case (.object, _), (.list, .index), (.dictionary, .name): return false
    default: return true
    }
  }

  /// Whether an update creates an embedded object, perhaps as the value of a dictionary's key, which replaces one.
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

  /// The reference alters the move here instead of the inner path, and its two sides then differ. There is no rule
  /// that agrees with it and converges, so this is the one that converges.
  private static func nestInArrayMove(_ move: MergeOperand, _ inner: inout MergeOperand) {
    guard let index = move.indexInList(of: inner) else { return }
    inner.noteDoubt(.deviation)
    let newIndex = index.moved(from: move.step.index, to: move.step.destination)
    if newIndex != index { inner.path[move.path.count - 1] = .index(newIndex) }
  }
}

extension UInt32 {
  /// Where the element at this index is after one was moved ("getvsmove" in protocol §7.3).
  func moved(from: UInt32, to: UInt32) -> UInt32 {
    if self == from { return to }
    let removed = self > from ? self - 1 : self
    return removed >= to ? removed &+ 1 : removed
  }
}
