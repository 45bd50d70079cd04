// SPDX-License-Identifier: Apache-2.0

/// The effect of two concurrent instructions on each other (protocol §7.3 and §7.4).
///
/// A rule may alter or discard either side; one pair of schema instructions also inserts an instruction before the
/// other side. All rules are symmetric: it makes no difference which side is local and which is incoming.
enum PairRules {
  /// Moves two instructions that start from the same state over each other.
  ///
  /// - Returns: An instruction to place right before `left` or `right`, if any.
  static func apply(
    _ left: inout MergeOperand,
    _ right: inout MergeOperand
  ) throws(MergeError) -> Prepended? {
    if left.hasPath && right.hasPath && left.field != right.field { return nil }
    let leftDepth = left.depth
    let rightDepth = right.depth
    if leftDepth < rightDepth { nest(outer: left, inner: &right) }
    if rightDepth < leftDepth { nest(outer: right, inner: &left) }
    if left.isDiscarded || right.isDiscarded { return nil }
    if left.kind <= right.kind { return try applySameLevel(&left, &right).map { .right($0) } }
    return try applySameLevel(&right, &left).map { .left($0) }
  }

  /// Moves two plain steps on the same property over each other.
  ///
  /// - Returns: Whether no other rule applies to the pair.
  static func applyPlain(_ left: inout MergeOperand, _ right: inout MergeOperand) throws(MergeError) -> Bool {
    // Updates of the same element compare their payloads, which plain steps lack.
    if left.kind == .update && right.kind == .update { return left.step.index != right.step.index }
    do throws(ListSizeMismatch) { try apply(&left.step, &right.step) } catch { throw error.error(at: left) }
    return true
  }

  /// An instruction to place right before the one of the named side.
  enum Prepended {
    case left(Instruction)
    case right(Instruction)
  }

  /// Applies the rules for two instructions, of which the left one has the lesser kind. The result goes before the
  /// right one.
  private static func applySameLevel(
    _ left: inout MergeOperand,
    _ right: inout MergeOperand
  ) throws(MergeError) -> Instruction? {
    if !left.hasPath {
      if right.hasPath { eraseColumnAndContent(left, &right) } else { return try applySchema(&left, &right) }
      return nil
    }
    guard left.path.count == right.path.count else { return nil }
    if left.hasSamePath(as: right) { try applySamePath(&left, &right) }
    if left.isDiscarded || right.isDiscarded { return nil }
    if left.hasSameList(as: right) { try applySameList(&left, &right) }
    return nil
  }

  private static func applySchema(
    _ left: inout MergeOperand,
    _ right: inout MergeOperand
  ) throws(MergeError) -> Instruction? {
    switch (left.kind, right.kind) {
    case (.addTable, .addTable): try addTableAndAddTable(&left, &right)
    case (.addTable, .eraseTable): addTableAndEraseTable(&left, right)
    case (.addColumn, .addColumn): try addColumnAndAddColumn(&left, &right)
    case (.addColumn, .eraseTable): return addColumnAndEraseTable(&left, right)
    case (.addColumn, .eraseColumn): addColumnAndEraseColumn(&left, right)
    case (.eraseTable, .eraseTable), (.eraseColumn, .eraseColumn): discardBothIfSame(&left, &right)
    case (.createObject, .eraseObject): createObjectAndEraseObject(&left, right)
    case (.eraseObject, .eraseObject): eraseObjectAndEraseObject(&left, &right)
    default: break
    }
    return nil
  }

  /// Applies the rules for two instructions with the same path.
  private static func applySamePath(_ left: inout MergeOperand, _ right: inout MergeOperand)
    throws(MergeError)
  {
    switch (left.kind, right.kind) {
    case (.update, .update): try updateAndUpdate(&left, &right)
    case (.update, .addInteger): updateAndAddInteger(&left, &right)
    case (.update, .clear): updateAndClear(&left, &right)
    case (.addInteger, .clear): left.discard()
    case (.clear, .clear): discardEarlier(&left, &right)
    case (.clear, .setInsert), (.clear, .setErase): right.discard()
    case (.setInsert, .setInsert), (.setInsert, .setErase), (.setErase, .setErase):
      setInstructions(&left, &right)
    default: break
    }
  }

  /// Applies the rules for two instructions on elements of the same list, whether or not the elements differ.
  private static func applySameList(_ left: inout MergeOperand, _ right: inout MergeOperand)
    throws(MergeError)
  {
    if left.kind == .clear {
      shiftClear(&left, beside: right)
    } else {
      do throws(ListSizeMismatch) { try apply(&left.step, &right.step) } catch { throw error.error(at: left) }
    }
    left.settlePath()
    right.settlePath()
  }

  static func discardEarlier(_ left: inout MergeOperand, _ right: inout MergeOperand) {
    if left.isLater(than: right) { right.discard() } else { left.discard() }
  }
}
