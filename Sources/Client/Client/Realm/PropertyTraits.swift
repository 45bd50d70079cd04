// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel
import FlexSyncStore

/// What reading and writing a property has to know.
struct PropertyTraits {
  /// How a property is read.
  enum Kind: UInt8 {
    /// A value that the row holds.
    case plain
    /// The primary key of another object, which has to be looked up.
    case link
    /// A list, set or dictionary, in a table of its own.
    case collection
    /// A property of the file that the realm was not opened with.
    case hidden
  }

  let kind: Kind
  let type: ValueType
  let isNullable: Bool

  init(_ column: Column, isDeclared: Bool) {
    let schema = column.schema
    kind = !isDeclared ? .hidden : !column.isSingle ? .collection : schema.type == .link ? .link : .plain
    type = schema.type
    isNullable = schema.isNullable
  }
}
