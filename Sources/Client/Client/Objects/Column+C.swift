// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncStore

// What must be true of a column in the memory of a program, whether values are read into it or inserted from it.

extension flx_column_t {
  /// Returns the property of the column.
  ///
  /// - Throws: `CoreError` NO_SUCH_PROPERTY, or TYPE_MISMATCH if a column cannot hold the property or has another type.
  func property(of info: ClassInfo) throws -> Column {
    let property = try info.column(property)
    guard property.isSingle else {
      throw CoreError(.typeMismatch, "The property '\(property.path)' is a \(property.schema.collection).")
    }
    guard type.rawValue == Int32(property.schema.type.rawValue) else {
      throw CoreError(
        .typeMismatch,
        "The property '\(property.path)' has type \(property.schema.type), but its column has type \(type.name)."
      )
    }
    return property
  }

  /// Whether the values are texts or bytes of any length.
  var isOfBytes: Bool { type == .FLX_TYPE_STRING || type == .FLX_TYPE_BINARY }

  /// The size of `bytes`, which C has as an unsigned number.
  var byteCount: UInt { UInt(bitPattern: byte_capacity) }

  /// - Throws: `CoreError` INVALID_ARGUMENT if there is no memory for one element per row.
  func requireElements(_ property: Column) throws {
    if isOfBytes ? offsets == nil : values == nil {
      throw missing(isOfBytes ? "offsets" : "values", property)
    }
  }

  /// Returns the error for a member that is NULL.
  func missing(_ member: String, _ property: Column) -> CoreError {
    CoreError.invalidArgument("The column of '\(property.path)' needs '\(member)', which is NULL.")
  }
}
