// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Rules for classes, columns and entire objects (protocol §7.4, "Schema" and "Objects").
extension PairRules {
  static func addTableAndAddTable(
    _ left: inout MergeOperand,
    _ right: inout MergeOperand
  ) throws(MergeError) {
    guard left.table == right.table, case .addTable(_, let leftKind, let leftKey) = left.original,
      case .addTable(_, let rightKind, let rightKey) = right.original
    else { return }
    if let reason = disagreement(leftKind, leftKey, rightKind, rightKey) {
      throw MergeError(
        reason,
        "both sides add the class \(left.table), but differently (\(reason.rawValue)); make the schemas match"
      )
    }
    left.discard()
    right.discard()
  }

  private static func disagreement(
    _ leftKind: ClassKind,
    _ left: PropertySchema?,
    _ rightKind: ClassKind,
    _ right: PropertySchema?
  ) -> MergeError.Reason? {
    if (leftKind == .embedded) != (rightKind == .embedded) { return .primaryKeyPresence }
    if (left == nil) != (right == nil) { return .primaryKeyPresence }
    if left?.name != right?.name { return .primaryKeyName }
    if left?.type != right?.type { return .primaryKeyType }
    if left?.isNullable != right?.isNullable { return .primaryKeyNullability }
    return leftKind == rightKind ? nil : .asymmetry
  }

  static func addTableAndEraseTable(_ add: inout MergeOperand, _ erase: MergeOperand) {
    if add.table == erase.table { add.discard() }
  }

  static func addColumnAndAddColumn(
    _ left: inout MergeOperand,
    _ right: inout MergeOperand
  ) throws(MergeError) {
    guard left.table == right.table, left.field == right.field,
      case .addColumn(_, let leftColumn, let leftKeyType) = left.original,
      case .addColumn(_, let rightColumn, let rightKeyType) = right.original
    else { return }
    if let reason = disagreement(leftColumn, rightColumn, sameKeyType: leftKeyType == rightKeyType) {
      throw MergeError(
        reason,
        "both sides add the property \(left.table).\(left.field), but differently (\(reason.rawValue)); make the "
          + "schemas match"
      )
    }
    left.discard()
    right.discard()
  }

  private static func disagreement(_ left: PropertySchema, _ right: PropertySchema, sameKeyType: Bool)
    -> MergeError.Reason?
  {
    if left.type != right.type { return .columnType }
    if left.isNullable != right.isNullable { return .columnNullability }
    if left.collection != right.collection { return .columnCollection }
    if left.linkTarget != right.linkTarget { return .columnLinkTarget }
    return sameKeyType ? nil : .columnKeyType
  }

  /// A link column cannot point to an erased class, so the side that erases the class erases the column first.
  static func addColumnAndEraseTable(_ add: inout MergeOperand, _ erase: MergeOperand) -> Instruction? {
    guard case .addColumn(let table, let column, _) = add.original, column.linkTarget == erase.table else {
      return nil
    }
    add.discard()
    return .eraseColumn(table: table, name: column.name)
  }

  static func addColumnAndEraseColumn(_ add: inout MergeOperand, _ erase: MergeOperand) {
    if add.table == erase.table && add.field == erase.field { add.discard() }
  }

  /// EraseTable × EraseTable and EraseColumn × EraseColumn.
  static func discardBothIfSame(_ left: inout MergeOperand, _ right: inout MergeOperand) {
    guard left.table == right.table, left.field == right.field else { return }
    left.discard()
    right.discard()
  }

  /// Discards every instruction on the erased column. The reference discards only updates and leaves others that
  /// cannot be applied.
  static func eraseColumnAndContent(_ erase: MergeOperand, _ content: inout MergeOperand) {
    guard erase.kind == .eraseColumn else { return }
    if erase.table == content.table && erase.field == content.field { content.discard() }
  }

  /// The erasure always wins, regardless of the stamps.
  static func createObjectAndEraseObject(_ create: inout MergeOperand, _ erase: MergeOperand) {
    if create.object == erase.object { create.discard() }
  }

  static func eraseObjectAndEraseObject(_ left: inout MergeOperand, _ right: inout MergeOperand) {
    if left.object == right.object { discardEarlier(&left, &right) }
  }
}
