// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue
import FlexSyncModel
import FlexSyncStore

/// A property to read of many objects, and the caller's memory for its values.
struct ReadColumn {
  let column: Column
  let buffer: ColumnBuffer

  var noRoom: CoreError {
    CoreError(
      .valueTooLarge,
      "The value of '\(column.path)' does not fit into the \(buffer.byteCapacity) bytes of its column."
    )
  }
}

/// Reads some properties of the objects of results into the memory of callers.
///
/// A caller who reads all objects, one batch after the other, gets each batch from one statement that is left open
/// between the calls. Any other access finds the rows first and then reads each of them.
final class ColumnsReader {
  private let realm: Realm
  private let columns: [Column]
  private var orderedScan: RowScan?
  private var rowScan: RowScan?
  /// The index of the object with which the ordered scan continues.
  private var nextIndex = -1
  /// The realm's stamp at which the ordered scan was started.
  private var stamp: UInt64 = 0

  init(_ realm: Realm, _ columns: [ReadColumn]) {
    self.realm = realm
    self.columns = columns.map(\.column)
  }

  /// Whether the reader is one for these columns.
  func reads(_ columns: [ReadColumn]) -> Bool {
    self.columns.elementsEqual(columns) { $0 === $1.column }
  }

  /// Whether a single statement delivers the objects from `index` on.
  func canRead(from index: Int, _ stamp: UInt64) -> Bool {
    index == 0 || continues(from: index, stamp)
  }

  /// Whether the ordered scan stands before the object at `index`, in data that has not changed.
  private func continues(from index: Int, _ stamp: UInt64) -> Bool {
    index == nextIndex && stamp == self.stamp && orderedScan?.isPaused == true
  }

  func readInOrder(
    _ query: RowQuery,
    from index: Int,
    _ destinations: [ReadColumn],
    _ capacity: Int,
    _ stamp: UInt64
  ) throws -> ColumnsRead {
    let isContinued = continues(from: index, stamp)
    // Until the batch has been read: after an error, no other one can follow it.
    nextIndex = -1
    let scan = try isContinued ? orderedScan.unsafelyUnwrapped : query.scan(of: columns, readsRow: false)
    if !isContinued { try scan.restart() }
    orderedScan = scan
    var read = ColumnsRead()
    do {
      try withBuffers(destinations) { try fill($0, from: scan, capacity, &read) }
    } catch {
      scan.stop()
      throw error
    }
    if read.isAtEnd { return read }
    self.stamp = stamp
    nextIndex = index + read.rowCount
    scan.pause()
    return read
  }

  func readEach(_ rows: [Int64], from index: Int, _ destinations: [ReadColumn], _ capacity: Int) throws
    -> ColumnsRead
  {
    // The objects may end at the index, but not before it.
    guard index >= 0, index <= rows.count else {
      throw CoreError.indexOutOfBounds(index, count: rows.count, mayBeCount: true)
    }
    let scan = try rowScan ?? prepareRowScan()
    defer { scan.stop() }
    var read = ColumnsRead()
    try withBuffers(destinations) { buffers in
      for row in rows[index...].prefix(capacity) {
        try scan.restart(bindings: [.int(row)])
        let rowCount = read.rowCount
        try fill(buffers, from: scan, rowCount + 1, &read)
        if read.fullColumn != nil { return }
        guard read.rowCount > rowCount else {
          throw CoreError(.objectInvalidated, "An object of the results was deleted.")
        }
      }
    }
    read.isAtEnd = index + read.rowCount == rows.count
    return read
  }

  private func prepareRowScan() throws -> RowScan {
    let selection = RowSelection(condition: "t0.flx_row = ?1")
    let scan = try realm.store.scan(columns[0].table, selection, columns: columns)
    rowScan = scan
    return scan
  }

  private func withBuffers(
    _ destinations: [ReadColumn],
    _ body: (UnsafeMutableBufferPointer<ColumnBuffer>) throws -> Void
  ) rethrows {
    try withUnsafeTemporaryAllocation(of: ColumnBuffer.self, capacity: destinations.count) { buffers in
      for (index, destination) in destinations.enumerated() {
        buffers.initializeElement(at: index, to: destination.buffer)
        destination.buffer.offsets?[0] = 0
      }
      try body(buffers)
    }
  }

  /// Reads rows of a scan, until there are `capacity` of them.
  private func fill(
    _ buffers: UnsafeMutableBufferPointer<ColumnBuffer>,
    from scan: RowScan,
    _ capacity: Int,
    _ read: inout ColumnsRead
  ) throws {
    try scan.read(into: buffers, capacity: capacity, &read) { index, row, cell in
      try store(cell, columns[index], &buffers[index], at: row)
    }
  }

  /// Stores a link or a mixed value. Returns false if there is no room for its text or bytes.
  private func store(_ cell: Cell, _ column: Column, _ buffer: inout ColumnBuffer, at row: Int) throws -> Bool
  {
    var value = flx_value_t()
    value.borrow(cell)
    if !value.type.isPlain { value = try realm.link(to: value, column) }
    let hasValue = value.type != .FLX_TYPE_NULL
    if column.schema.type == .link {
      let link = hasValue ? value.link : flx_link_t()
      let elements = buffer.values.unsafelyUnwrapped.assumingMemoryBound(to: flx_link_t.self)
      elements[row] = link
      zero(elements + row, from: MemoryLayout<flx_link_t>.usedSize, to: MemoryLayout<flx_link_t>.size)
    } else {
      if value.type == .FLX_TYPE_STRING || value.type == .FLX_TYPE_BINARY {
        guard let copy = buffer.copy(cell.bytes) else { return false }
        value.string = flx_string_t(borrowing: copy)
      }
      let elements = buffer.values.unsafelyUnwrapped.assumingMemoryBound(to: flx_value_t.self)
      elements[row] = value
      zero(elements + row, from: value.type.usedSize, to: MemoryLayout<flx_value_t>.offset(of: \.type))
      zero(elements + row, from: MemoryLayout<flx_value_t>.usedSize, to: MemoryLayout<flx_value_t>.size)
    }
    buffer.validity?[row] = hasValue ? 1 : 0
    return true
  }

  /// Zeroes bytes of an element that belong to no member, so that programs can pass on or compare whole columns.
  private func zero(_ element: UnsafeMutableRawPointer, from start: Int, to end: Int?) {
    guard let end, start < end else { return }
    element.advanced(by: start).initializeMemory(as: UInt8.self, repeating: 0, count: end - start)
  }
}

extension MemoryLayout<flx_link_t> {
  /// The size without the padding at the end.
  fileprivate static var usedSize: Int {
    MemoryLayout<Int64>.size + MemoryLayout<flx_class_key_t>.size
  }
}

extension MemoryLayout<flx_value_t> {
  /// The size without the padding at the end.
  fileprivate static var usedSize: Int {
    (offset(of: \.type) ?? 0) + MemoryLayout<flx_type_t>.size
  }
}

extension flx_type_t {
  /// The size of the member of `flx_value_t` for this type, without padding.
  fileprivate var usedSize: Int {
    switch self {
    case .FLX_TYPE_INT, .FLX_TYPE_DOUBLE: MemoryLayout<Int64>.size
    case .FLX_TYPE_BOOL: MemoryLayout<Bool>.size
    case .FLX_TYPE_STRING, .FLX_TYPE_BINARY: MemoryLayout<flx_string_t>.size
    case .FLX_TYPE_TIMESTAMP: MemoryLayout<Int64>.size + MemoryLayout<Int32>.size
    case .FLX_TYPE_FLOAT: MemoryLayout<Float>.size
    case .FLX_TYPE_DECIMAL: MemoryLayout<flx_decimal_t>.size
    case .FLX_TYPE_LINK: MemoryLayout<flx_link_t>.usedSize
    case .FLX_TYPE_OBJECT_ID: MemoryLayout<flx_object_id_t>.size
    case .FLX_TYPE_UUID: MemoryLayout<flx_uuid_t>.size
    default: 0
    }
  }
}
