// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncStore

/// The traits of a property that reads and writes need.
struct PropertyTraits {
  /// The way in which a property is read.
  enum Kind: UInt8 {
    /// A value in the row itself.
    case plain
    /// The primary key of another object, which must be looked up.
    case link
    /// A list, set or dictionary, stored in a separate table.
    case collection
    /// A property in the file that is not in the schema the realm was opened with.
    case hidden
  }

  let kind: Kind
  let type: ValueType
  let isNullable: Bool
  /// Whether a program can set the property to a value that `Cell` holds, without anything else to consider.
  let takesCells: Bool
  /// The column, which the columns of the `ClassInfo` keep alive.
  let column: Unmanaged<Column>

  init(_ column: Column, isDeclared: Bool) {
    let schema = column.schema
    kind = !isDeclared ? .hidden : !column.isSingle ? .collection : schema.type == .link ? .link : .plain
    type = schema.type
    isNullable = schema.isNullable
    takesCells = kind == .plain && type != .mixed && !column.isPrimaryKey && !column.table.isEmbedded
    self.column = .passUnretained(column)
  }
}
