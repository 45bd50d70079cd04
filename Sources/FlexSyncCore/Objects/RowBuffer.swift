// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel
import FlexSyncStorage

/// Rows of one class as C values, read at one time. Objects that were read together share it.
///
/// A link is kept as the primary key of its target, since the target may come and go without its row being written:
/// null is no link, `FLX_TYPE_MIXED` the link to the object whose key is null.
final class RowBuffer {
  let columnCount: Int
  private let capacity: Int
  private let values: UnsafeMutablePointer<flx_value_t>
  private var texts = TextArena()

  init(_ info: ClassInfo, capacity: Int) {
    columnCount = info.columns.count
    self.capacity = capacity
    values = .allocate(capacity: max(columnCount * capacity, 1))
    values.initialize(repeating: flx_value_t(), count: columnCount * capacity)
  }

  deinit { values.deallocate() }

  /// The values of a row by column index.
  @inline(__always)
  func values(at position: Int) -> UnsafeMutablePointer<flx_value_t> { values + position * columnCount }

  /// Forgets the rows, to read others.
  func removeAll() { texts.removeAll() }

  /// Takes over the row on which a scan of the class's `readColumns` stands.
  func read(_ scan: RowScan, _ info: ClassInfo, at position: Int) {
    let row = values(at: position)
    for (index, column) in info.readColumns.enumerated() {
      row[column.index] = read(scan, index, column.schema.type)
    }
  }

  @inline(__always)
  private func read(_ scan: RowScan, _ index: Int, _ type: ValueType) -> flx_value_t {
    var value = flx_value_t()
    guard !scan.isNull(index) else {
      value.type = .FLX_TYPE_NULL
      return value
    }
    switch type {
    case .int:
      value.integer = scan.int(index)
      value.type = .FLX_TYPE_INT
    case .bool:
      value.boolean = scan.bool(index)
      value.type = .FLX_TYPE_BOOL
    case .string:
      value.string = texts.copy(UnsafeRawBufferPointer(scan.stringBytes(index)))
      value.type = .FLX_TYPE_STRING
    case .binary:
      value.binary = texts.copy(scan.binaryBytes(index))
      value.type = .FLX_TYPE_BINARY
    case .timestamp:
      value.timestamp = flx_timestamp_t(scan.timestamp(index))
      value.type = .FLX_TYPE_TIMESTAMP
    case .float:
      value.float_value = scan.float(index)
      value.type = .FLX_TYPE_FLOAT
    case .double:
      value.double_value = scan.double(index)
      value.type = .FLX_TYPE_DOUBLE
    case .objectId:
      value.object_id = flx_object_id_t(scan.objectId(index))
      value.type = .FLX_TYPE_OBJECT_ID
    case .uuid:
      value.uuid = flx_uuid_t(scan.uuid(index))
      value.type = .FLX_TYPE_UUID
    case .link: value = targetKey(scan.value(index))
    case .mixed, .decimal: value = scan.value(index).lent(&texts)
    }
    return value
  }

  private func targetKey(_ link: Value) -> flx_value_t {
    guard case .link(let link) = link, let key = link.key.value else { return Value.null.lent(&texts) }
    var value = key.lent(&texts)
    if key == .null { value.type = .FLX_TYPE_MIXED }
    return value
  }
}
