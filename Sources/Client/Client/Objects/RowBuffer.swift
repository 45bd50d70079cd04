// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncModel
import FlexSyncStore

/// Rows of one class as C values, read at the same time. Objects that were read together share the buffer.
final class RowBuffer {
  let realm: Realm
  // The realm keeps its classes alive for as long as it lives.
  unowned(unsafe) let info: ClassInfo
  let columnCount: Int
  let capacity: Int
  private let rows: UnsafeMutablePointer<Int64>
  private let values: UnsafeMutablePointer<flx_value_t>
  // Nothing else accesses it during a change, and checking that at run time would cost as much as the change
  // itself.
  @exclusivity(unchecked) private var texts = TextArena()

  init(_ realm: Realm, _ info: ClassInfo, capacity: Int) {
    self.realm = realm
    self.info = info
    self.capacity = capacity
    columnCount = info.columns.count
    // One allocation, because reading a single object costs few more.
    let valuesSize = columnCount * capacity * MemoryLayout<flx_value_t>.stride
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: valuesSize + capacity * MemoryLayout<Int64>.stride,
      alignment: MemoryLayout<flx_value_t>.alignment
    )
    values = memory.bindMemory(to: flx_value_t.self, capacity: columnCount * capacity)
    rows = (memory + valuesSize).bindMemory(to: Int64.self, capacity: capacity)
    var unread = flx_value_t()
    unread.type = .unread
    values.initialize(repeating: unread, count: columnCount * capacity)
  }

  deinit { UnsafeMutableRawPointer(values).deallocate() }

  /// Returns the number of the row at a filled position.
  @inline(__always)
  func row(at position: Int) -> Int64 { rows[position] }

  /// Returns the values of a row, by column index.
  @inline(__always)
  func values(at position: Int) -> UnsafeMutablePointer<flx_value_t> { values + position * columnCount }

  /// Discards the rows so that others can be read.
  func removeAll() { texts.removeAll() }

  /// Stores a row, given the cells of the columns that `indexes` lists.
  func fill(
    _ position: Int,
    row: Int64,
    _ indexes: UnsafeMutableBufferPointer<Int>,
    _ cells: UnsafeMutablePointer<Cell>
  ) {
    rows[position] = row
    let values = values(at: position)
    for (number, column) in indexes.enumerated() { values[column].take(cells[number], &texts) }
  }
}

extension flx_value_t {
  /// Takes the value of a cell; text and bytes are copied into `texts`.
  @inline(__always)
  fileprivate mutating func take(_ cell: Cell, _ texts: inout TextArena) {
    borrow(cell)
    switch cell.kind {
    case .string, .binary, .mixedLink: string = texts.copy(cell.bytes)
    default: break
    }
  }

  /// Takes the value of a cell; text and bytes are those of the cell.
  ///
  /// A link becomes the primary key of its target, marked as such, because the target may appear or disappear
  /// without the row being written.
  @inline(__always)
  mutating func borrow(_ cell: Cell) {
    // One jump for each value, because rows are read often: each case also sets the type.
    switch cell.kind {
    case .null: type = .FLX_TYPE_NULL
    case .list: type = .FLX_TYPE_LIST
    case .dictionary: type = .FLX_TYPE_DICTIONARY
    case .int:
      type = .FLX_TYPE_INT
      integer = Int64(bitPattern: cell.first)
    case .bool:
      type = .FLX_TYPE_BOOL
      boolean = cell.first != 0
    case .string:
      type = .FLX_TYPE_STRING
      string = flx_string_t(borrowing: cell.bytes)
    case .binary:
      type = .FLX_TYPE_BINARY
      binary = flx_string_t(borrowing: cell.bytes)
    case .mixedLink:
      type = .mixedLink
      string = flx_string_t(borrowing: cell.bytes)
    case .timestamp:
      type = .FLX_TYPE_TIMESTAMP
      timestamp.seconds = Int64(bitPattern: cell.first)
      timestamp.nanoseconds = Int32(truncatingIfNeeded: Int64(bitPattern: cell.second))
    case .float:
      type = .FLX_TYPE_FLOAT
      float_value = Float(bitPattern: UInt32(truncatingIfNeeded: cell.first))
    case .double:
      type = .FLX_TYPE_DOUBLE
      double_value = Double(bitPattern: cell.first)
    case .objectId:
      type = .FLX_TYPE_OBJECT_ID
      object_id = flx_object_id_t(ObjectId(high: cell.first, low: UInt32(truncatingIfNeeded: cell.second)))
    case .uuid:
      type = .FLX_TYPE_UUID
      uuid = flx_uuid_t(UUIDValue(high: cell.first, low: cell.second))
    case .decimal:
      type = .FLX_TYPE_DECIMAL
      decimal = flx_decimal_t(high: cell.first, low: cell.second)
    }
    if cell.isLink { type = .key(of: type) }
  }
}

extension flx_string_t {
  /// Refers to bytes, which the caller keeps alive.
  @inline(__always)
  init(borrowing bytes: UnsafeRawBufferPointer) {
    self.init(data: bytes.baseAddress?.assumingMemoryBound(to: CChar.self), size: bytes.count)
  }
}

/// Internal marks in a row, which C callers never see.
extension flx_type_t {
  /// Not read with the row: not requested so far, or a collection, or a property that the realm does not have.
  static let unread = flx_type_t(mark: -2)
  /// A link in a mixed, as the bytes that `MixedLink` reads.
  static let mixedLink = flx_type_t(mark: -3)
  private static let firstKey: Int32 = -200

  private init(mark: Int32) { self = unsafeBitCast(mark, to: flx_type_t.self) }

  /// Returns the mark of a primary key that stands for a link.
  fileprivate static func key(of type: flx_type_t) -> flx_type_t {
    flx_type_t(mark: firstKey + type.rawValue)
  }

  /// Whether the value can be passed to a C caller as it is.
  @inline(__always)
  var isPlain: Bool { rawValue >= -1 }

  /// The value type of a primary key that stands for a link.
  var keyType: flx_type_t { flx_type_t(mark: rawValue - Self.firstKey) }
}
