// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel
import FlexSyncStorage

/// Rows of one class as C values, read at one time. Objects that were read together share it.
final class RowBuffer {
  let columnCount: Int
  private let capacity: Int
  private let values: UnsafeMutablePointer<flx_value_t>
  private var texts = TextArena()

  init(_ info: ClassInfo, capacity: Int) {
    columnCount = info.columns.count
    self.capacity = capacity
    values = .allocate(capacity: max(columnCount * capacity, 1))
    var unread = flx_value_t()
    unread.type = .unread
    values.initialize(repeating: unread, count: columnCount * capacity)
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
    let traits = info.traits
    var next = 0
    for index in 0..<columnCount where traits[index].kind == .plain || traits[index].kind == .link {
      if traits[index].isNullable, scan.isNull(next) {
        row[index].type = .FLX_TYPE_NULL
      } else {
        read(scan, next, traits[index].type, into: row + index)
      }
      next += 1
    }
  }

  /// Takes over a value that is not null.
  @inline(__always)
  private func read(
    _ scan: RowScan,
    _ index: Int,
    _ type: ValueType,
    into value: UnsafeMutablePointer<flx_value_t>
  ) {
    switch type {
    case .int:
      value.pointee.integer = scan.int(index)
      value.pointee.type = .FLX_TYPE_INT
    case .bool:
      value.pointee.boolean = scan.bool(index)
      value.pointee.type = .FLX_TYPE_BOOL
    case .string:
      value.pointee.string = texts.copy(UnsafeRawBufferPointer(scan.stringBytes(index)))
      value.pointee.type = .FLX_TYPE_STRING
    case .binary:
      value.pointee.binary = texts.copy(scan.binaryBytes(index))
      value.pointee.type = .FLX_TYPE_BINARY
    case .timestamp:
      value.pointee.timestamp = flx_timestamp_t(scan.timestamp(index))
      value.pointee.type = .FLX_TYPE_TIMESTAMP
    case .float:
      value.pointee.float_value = scan.float(index)
      value.pointee.type = .FLX_TYPE_FLOAT
    case .double:
      value.pointee.double_value = scan.double(index)
      value.pointee.type = .FLX_TYPE_DOUBLE
    case .objectId:
      value.pointee.object_id = flx_object_id_t(scan.objectId(index))
      value.pointee.type = .FLX_TYPE_OBJECT_ID
    case .uuid:
      value.pointee.uuid = flx_uuid_t(scan.uuid(index))
      value.pointee.type = .FLX_TYPE_UUID
    case .link: value.pointee = targetKey(scan.value(index))
    case .mixed, .decimal: value.pointee = scan.value(index).lent(&texts)
    }
  }

  /// The primary key of a link's target, marked as such: the target may come and go without this row being written.
  private func targetKey(_ link: Value) -> flx_value_t {
    guard case .link(let link) = link, let key = link.key.value else { return Value.null.lent(&texts) }
    var value = key.lent(&texts)
    value.type = .key(of: value.type)
    return value
  }
}

/// Marks in a row that no C caller sees.
extension flx_type_t {
  /// Not read with the row: a list, or a property that the realm does not have.
  static let unread = flx_type_t(mark: -2)
  private static let firstKey: Int32 = -200

  private init(mark: Int32) { self = unsafeBitCast(mark, to: flx_type_t.self) }

  /// A primary key that stands for a link.
  fileprivate static func key(of type: flx_type_t) -> flx_type_t {
    flx_type_t(mark: firstKey + type.rawValue)
  }

  /// Whether the value can be given to a C caller as it is.
  @inline(__always)
  var isPlain: Bool { rawValue >= -1 }

  /// The type of a primary key that stands for a link.
  var keyType: flx_type_t { flx_type_t(mark: rawValue - Self.firstKey) }
}
