// SPDX-License-Identifier: Apache-2.0
// The names are those of the C interface.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CFlexSync
import FlexSyncStore

@_cdecl("flx_objects_insert") @implementation
public func flx_objects_insert(
  _ realm: OpaquePointer,
  _ class_key: flx_class_key_t,
  _ columns: In<flx_column_t>?,
  _ column_count: Int,
  _ count: Int,
  _ out_inserted: Out<Int>?,
  _ error: ErrorOut
) -> flx_status_t {
  out_inserted?.pointee = 0
  return Realm.call(realm, error) { realm in
    var inserted = 0
    defer { out_inserted?.pointee = inserted }
    guard count >= 0 else {
      throw CoreError.invalidArgument("The number of objects is out of range: \(UInt(bitPattern: count)).")
    }
    let columns = try flx_column_t.columns(columns, count: column_count)
    let info = try realm.schema.requireClass(class_key)
    try realm.insert(info, columns, count: count, inserted: &inserted)
  }
}

@_cdecl("flx_results_read") @implementation
public func flx_results_read(
  _ results: OpaquePointer,
  _ index: Int,
  _ row_capacity: Int,
  _ columns: In<flx_column_t>,
  _ column_count: Int,
  _ out_count: Out<Int>,
  _ error: ErrorOut
) -> flx_status_t {
  let needed = Needed(out_count, "out_count")
  if !needed.isNull { out_count.pointee = 0 }
  return Results.call(results, error, needed) { results in
    try results.realm.requireOpen()
    // C counts are unsigned: one that does not fit is negative here.
    guard index >= 0 else {
      throw CoreError.indexOutOfBounds(index, count: try results.count(), mayBeCount: true)
    }
    // No rows would look like the end of the results.
    guard row_capacity > 0 else {
      throw CoreError.invalidArgument(
        "`row_capacity` is \(UInt(bitPattern: row_capacity)); it must be at least 1 and below 2^63."
      )
    }
    let info = results.info
    let columns = try flx_column_t.columns(columns, count: column_count).map { try ReadColumn($0, of: info) }
    guard !columns.isEmpty else { throw CoreError.invalidArgument("There are no columns to read.") }
    out_count.pointee = try results.read(from: index, columns, capacity: row_capacity)
  }
}

extension flx_column_t {
  /// Copies the columns that a C caller describes.
  ///
  /// - Throws: `CoreError` INVALID_ARGUMENT.
  fileprivate static func columns(_ columns: In<flx_column_t>?, count: Int) throws -> [flx_column_t] {
    try SizedStruct.copies(
      columns,
      count: count,
      zeroed: flx_column_t(),
      smallest: smallestSize,
      name: "flx_column_t",
      what: "columns"
    )
  }

  /// The size of the first version of the struct.
  private static let smallestSize =
    (MemoryLayout<flx_column_t>.offset(of: \.byte_capacity) ?? 0) + MemoryLayout<Int>.size
}

extension ReadColumn {
  /// - Throws: `CoreError` INVALID_ARGUMENT, NO_SUCH_PROPERTY, TYPE_MISMATCH.
  fileprivate init(_ description: flx_column_t, of info: ClassInfo) throws {
    column = try description.property(of: info)
    try description.requireElements(column)
    if description.bytes == nil, description.byteCount > 0 { throw description.missing("bytes", column) }
    let mayBeNull = column.schema.isNullable || column.schema.type == .link
    if mayBeNull, column.schema.type != .mixed, description.validity == nil {
      throw description.missing("validity", column)
    }
    var buffer = ColumnBuffer()
    buffer.values = description.values
    buffer.validity = description.validity
    buffer.offsets = description.offsets
    buffer.bytes = description.bytes
    buffer.byteCapacity = Int(clamping: description.byteCount)
    self.buffer = buffer
  }
}
