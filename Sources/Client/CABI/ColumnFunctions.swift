// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync
import FlexSyncStore

@_cdecl("flx_results_read") @implementation
public func flx_results_read(
  _ results: OpaquePointer,
  _ index: Int,
  _ row_capacity: Int,
  _ columns: UnsafePointer<flx_column_t>,
  _ column_count: Int,
  _ out_count: UnsafeMutablePointer<Int>,
  _ error: UnsafeMutablePointer<flx_error_t>?
) -> flx_status_t {
  withStatus(error, confined: results, Results.self, Needed(out_count, "out_count")) { results in
    out_count.pointee = 0
    try results.realm.requireOpen()
    // C counts are unsigned: one that does not fit is negative here.
    guard index >= 0 else { throw CoreError.indexOutOfBounds(index, count: try results.count()) }
    guard row_capacity >= 0 else {
      throw CoreError.invalidArgument(
        "The number of rows is out of range: \(UInt(bitPattern: row_capacity))."
      )
    }
    let columns = try ReadColumn.columns(columns, count: column_count, of: results.info)
    out_count.pointee = try results.read(from: index, columns, capacity: row_capacity)
  }
}

extension ReadColumn {
  /// Returns the columns that a C caller describes.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT, NO_SUCH_PROPERTY, TYPE_MISMATCH.
  fileprivate static func columns(
    _ columns: UnsafePointer<flx_column_t>,
    count: Int,
    of info: ClassInfo
  ) throws -> [ReadColumn] {
    let view = try CArray.view(columns, count: count, "columns")
    guard let first = view.baseAddress, count > 0 else {
      throw CoreError.invalidArgument("There are no columns to read.")
    }
    // A program that was compiled against another version has elements of another size.
    let size = Int(clamping: first.pointee.struct_size)
    let (byteCount, isTooMany) = size.multipliedReportingOverflow(by: count)
    guard !isTooMany else { throw CoreError.invalidArgument("flx_column_t.struct_size is \(size).") }
    return try stride(from: 0, to: max(byteCount, 1), by: max(size, 1)).map { offset in
      let address = (UnsafeRawPointer(first) + offset).assumingMemoryBound(to: flx_column_t.self)
      let column = try SizedStruct.copy(
        address,
        zeroed: flx_column_t(),
        smallest: smallestSize,
        name: "flx_column_t"
      )
      guard Int(clamping: column.struct_size) == size else {
        throw CoreError.invalidArgument("flx_column_t.struct_size differs between the columns.")
      }
      return try ReadColumn(column, of: info)
    }
  }

  /// The size of the first version of the struct.
  private static let smallestSize =
    (MemoryLayout<flx_column_t>.offset(of: \.byte_capacity) ?? 0) + MemoryLayout<Int>.size

  private init(_ description: flx_column_t, of info: ClassInfo) throws {
    column = try info.column(description.property)
    guard column.isSingle else {
      throw CoreError(.typeMismatch, "The property '\(column.path)' is a \(column.schema.collection).")
    }
    guard description.type.rawValue == Int32(column.schema.type.rawValue) else {
      throw CoreError(
        .typeMismatch,
        "The property '\(column.path)' has type \(column.schema.type), but the column has type "
          + "\(description.type.name)."
      )
    }
    buffer = ColumnBuffer(
      values: description.values,
      validity: description.validity,
      offsets: description.offsets,
      bytes: description.bytes,
      byteCapacity: Int(clamping: description.byte_capacity)
    )
    try requireMemory()
  }

  /// - Throws: `CoreError` INVALID_ARGUMENT if the caller has not provided the memory that the property needs.
  private func requireMemory() throws {
    let hasText = column.schema.type == .string || column.schema.type == .binary
    if hasText ? buffer.offsets == nil : buffer.values == nil {
      throw missing(hasText ? "offsets" : "values")
    }
    if buffer.bytes == nil, buffer.byteCapacity > 0 { throw missing("bytes") }
    let mayBeNull = column.schema.isNullable || column.schema.type == .link
    if mayBeNull, column.schema.type != .mixed, buffer.validity == nil { throw missing("validity") }
  }

  private func missing(_ member: String) -> CoreError {
    CoreError.invalidArgument("The column for '\(column.path)' needs memory, but its '\(member)' is NULL.")
  }
}
