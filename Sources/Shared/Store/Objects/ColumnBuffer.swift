// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Memory of a caller that receives one single-valued property of many rows, a column as columnar formats lay it out.
public struct ColumnBuffer: BitwiseCopyable {
  /// One value for each row; nil for strings and binary data.
  public var values: UnsafeMutableRawPointer?
  /// One byte for each row: 1 for a value, 0 for null. Nil if the property cannot be null.
  public var validity: UnsafeMutablePointer<UInt8>?
  /// For strings and binary data, one offset for each row and one more: where each value begins and the last one ends.
  public var offsets: UnsafeMutablePointer<Int64>?
  /// Space for text and bytes, one value after the other.
  public var bytes: UnsafeMutableRawPointer?
  public var byteCapacity = 0
  private var usedByteCount = 0

  public init() {}

  /// Copies text or bytes behind those copied before. Returns nil if there is no room, and otherwise their place.
  @inline(__always)
  public mutating func copy(_ source: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard source.count <= byteCapacity - usedByteCount else { return nil }
    guard source.count > 0, let bytes else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let place = bytes + usedByteCount
    place.copyMemory(from: source.baseAddress.unsafelyUnwrapped, byteCount: source.count)
    usedByteCount += source.count
    return UnsafeRawBufferPointer(start: place, count: source.count)
  }

  /// Writes where the value of a row ends, and the next one begins.
  @inline(__always)
  fileprivate func endValue(of row: Int) {
    offsets.unsafelyUnwrapped[row + 1] = Int64(usedByteCount)
  }

  @inline(__always)
  fileprivate func store<Value: BitwiseCopyable>(_ value: Value, at row: Int) {
    values.unsafelyUnwrapped.assumingMemoryBound(to: Value.self)[row] = value
  }

  @inline(__always)
  fileprivate func zero(_ row: Int, stride: Int) {
    values.unsafelyUnwrapped.advanced(by: row * stride).initializeMemory(
      as: UInt8.self,
      repeating: 0,
      count: stride
    )
  }
}

/// The outcome of reading rows into columns.
public struct ColumnsRead {
  /// The number of rows written.
  public var rowCount = 0
  /// The column that has no room for its value in the next row; nil if another reason ended the read.
  public var fullColumn: Int?
  /// Whether there are no further rows.
  public var isAtEnd = false

  public init() {}
}

extension RowScan {
  /// Reads rows into columns, until there are `capacity` of them, or no further row, or one that does not fit, which
  /// is then the first one of the next read.
  ///
  /// - Parameters:
  ///   - read: The rows written so far.
  ///   - resolve: Stores a link or a mixed value, given the number of the column and that of the row. Returns false if
  ///     there is no room.
  public func read(
    into buffers: UnsafeMutableBufferPointer<ColumnBuffer>,
    capacity: Int,
    _ read: inout ColumnsRead,
    resolve: (Int, Int, Cell) throws -> Bool
  ) throws {
    var isOnRow = isOnUnreadRow
    defer { isOnUnreadRow = isOnRow }
    while read.rowCount < capacity {
      if !isOnRow {
        guard try next() else {
          read.isAtEnd = true
          return
        }
        isOnRow = true
      }
      for (index, reader) in readers.enumerated() {
        guard try write(reader, to: &buffers[index], index, read.rowCount, resolve) else {
          read.fullColumn = index
          return
        }
      }
      isOnRow = false
      read.rowCount += 1
    }
  }

  /// Writes the value of one column. Returns false if there is no room.
  @inline(__always)
  private func write(
    _ reader: CellReader,
    to buffer: inout ColumnBuffer,
    _ index: Int,
    _ row: Int,
    _ resolve: (Int, Int, Cell) throws -> Bool
  ) throws -> Bool {
    let position = reader.position
    if reader.isLink || reader.type == .mixed { return try resolve(index, row, statement.cell(reader)) }
    if reader.isNullable {
      let isNull = statement.isNull(position)
      buffer.validity.unsafelyUnwrapped[row] = isNull ? 0 : 1
      if isNull {
        buffer.storeNull(reader.type, row)
        return true
      }
    } else {
      buffer.validity?[row] = 1
    }
    switch reader.type {
    case .int: buffer.store(statement.int(position), at: row)
    case .bool: buffer.store(statement.int(position) != 0, at: row)
    case .string:
      guard buffer.copy(UnsafeRawBufferPointer(statement.textBytes(position))) != nil else { return false }
      buffer.endValue(of: row)
    case .binary:
      guard buffer.copy(statement.blobBytes(position)) != nil else { return false }
      buffer.endValue(of: row)
    case .timestamp: buffer.store(TimestampElement(statement.timestamp(position)), at: row)
    case .float: buffer.store(statement.float(position), at: row)
    case .double: buffer.store(statement.number(position), at: row)
    case .objectId: buffer.storeIdentifier(statement.blobBytes(position), ObjectId.byteCount, row)
    case .uuid: buffer.storeIdentifier(statement.blobBytes(position), UUIDValue.byteCount, row)
    case .decimal: buffer.store(DecimalElement(statement.decimal(position)), at: row)
    case .link, .mixed: break
    }
    return true
  }
}

/// A timestamp as it lies in a column.
private struct TimestampElement: BitwiseCopyable {
  let seconds: Int64
  let nanoseconds: Int32
  /// Written as well, so that programs can pass on or compare whole columns.
  let padding: Int32 = 0

  init(_ timestamp: Timestamp) {
    seconds = timestamp.seconds
    nanoseconds = timestamp.nanoseconds
  }
}

/// A decimal as it lies in a column.
private struct DecimalElement: BitwiseCopyable {
  let high: UInt64
  let low: UInt64

  init(_ decimal: Decimal128) {
    high = decimal.high
    low = decimal.low
  }
}

extension ColumnBuffer {
  fileprivate func storeNull(_ type: ValueType, _ row: Int) {
    switch type {
    case .string, .binary: endValue(of: row)
    case .int: store(0 as Int64, at: row)
    case .bool: store(false, at: row)
    case .timestamp: store(TimestampElement(.epoch), at: row)
    case .float: store(0 as Float, at: row)
    case .double: store(0 as Double, at: row)
    case .objectId: zero(row, stride: ObjectId.byteCount)
    case .uuid: zero(row, stride: UUIDValue.byteCount)
    case .decimal: store(DecimalElement(Decimal128(high: 0, low: 0)), at: row)
    case .link, .mixed: break
    }
  }

  /// Stores an identifier, which is zero in a damaged file.
  @inline(__always)
  fileprivate func storeIdentifier(_ source: UnsafeRawBufferPointer, _ byteCount: Int, _ row: Int) {
    guard source.count == byteCount, let address = source.baseAddress else {
      return zero(row, stride: byteCount)
    }
    values.unsafelyUnwrapped.advanced(by: row * byteCount).copyMemory(from: address, byteCount: byteCount)
  }
}
