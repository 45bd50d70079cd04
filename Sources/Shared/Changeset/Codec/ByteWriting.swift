// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Writes the primitive fields of a changeset (protocol §6.1, §6.4).
extension ByteBuffer {
  /// Appends a signed integer.
  @inline(__always)
  mutating func appendInteger(_ value: Int64) {
    appendMagnitude(UInt64(value < 0 ? ~value : value), sign: value < 0 ? 0x40 : 0)
  }

  /// Appends an unsigned integer, or the complement of a negative one together with its sign.
  @inline(__always)
  mutating func appendMagnitude(_ value: UInt64, sign: UInt8 = 0) {
    var rest = value
    while rest >= 0x40 {
      append(0x80 | UInt8(truncatingIfNeeded: rest & 0x7f))
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest) | sign)
  }

  /// Appends the length in bytes, then the bytes.
  mutating func appendCounted(_ text: String) {
    var text = text
    text.withUTF8 { appendCounted(UnsafeRawBufferPointer($0)) }
  }

  /// Appends the length, then the bytes.
  @inline(__always)
  mutating func appendCounted(_ bytes: UnsafeRawBufferPointer) {
    appendMagnitude(UInt64(bytes.count))
    append(contentsOf: bytes)
  }

  mutating func append(_ type: ValueType, _ identifier: ObjectId) {
    append(type.rawValue)
    appendBigEndian(identifier.high)
    appendBigEndian(identifier.low)
  }

  mutating func append(_ type: ValueType, _ identifier: UUIDValue) {
    append(type.rawValue)
    appendBigEndian(identifier.high)
    appendBigEndian(identifier.low)
  }

  @inline(__always)
  private mutating func appendBigEndian(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  @inline(__always)
  private mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  /// Appends a value other than a link or a collection.
  mutating func append(_ cell: Cell) {
    switch cell.kind {
    case .int:
      append(ValueType.int.rawValue)
      appendInteger(Int64(bitPattern: cell.first))
    case .bool:
      append(ValueType.bool.rawValue)
      append(cell.first == 0 ? 0 : 1)
    case .string, .binary:
      append((cell.kind == .string ? ValueType.string : .binary).rawValue)
      appendCounted(cell.bytes)
    case .timestamp:
      append(ValueType.timestamp.rawValue)
      appendInteger(Int64(bitPattern: cell.first))
      appendInteger(Int64(bitPattern: cell.second))
    case .float:
      append(ValueType.float.rawValue)
      appendLittleEndian(UInt32(truncatingIfNeeded: cell.first))
    case .double:
      append(ValueType.double.rawValue)
      appendLittleEndian(cell.first)
    case .objectId:
      append(.objectId, ObjectId(high: cell.first, low: UInt32(truncatingIfNeeded: cell.second)))
    case .uuid: append(.uuid, UUIDValue(high: cell.first, low: cell.second))
    case .decimal:
      let value = Decimal128(high: cell.first, low: cell.second)
      append(ValueType.decimal.rawValue)
      appendCoefficient(high: value.coefficientHigh, low: value.coefficientLow)
      appendInteger(Int64(value.exponent))
      append(value.isNegative ? 1 : 0)
    case .null: append(ValueType.mixed.rawValue)
    case .list, .dictionary, .mixedLink:
      preconditionFailure("A cell that refers to other data cannot be encoded as a plain value")
    }
  }

  /// Appends the coefficient of a decimal. Like an integer it ends with fewer than six bits, although it has no sign.
  private mutating func appendCoefficient(high: UInt64, low: UInt64) {
    var high = high
    var low = low
    while high != 0 || low >= 0x40 {
      append(0x80 | UInt8(truncatingIfNeeded: low & 0x7f))
      low = low >> 7 | high << 57
      high >>= 7
    }
    append(UInt8(truncatingIfNeeded: low))
  }
}
