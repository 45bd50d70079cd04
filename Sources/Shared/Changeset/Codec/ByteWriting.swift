// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Writes the primitive fields of a changeset (protocol §6.1, §6.4).
extension [UInt8] {
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
    appendMagnitude(UInt64(text.utf8.count))
    append(contentsOf: text.utf8)
  }

  /// Appends the length, then the bytes.
  mutating func appendCounted(_ bytes: [UInt8]) {
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

  private mutating func appendBigEndian(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  /// Appends a value other than a link. Links need the string table.
  mutating func append(_ value: Value) {
    append((value.type ?? .mixed).rawValue)
    switch value {
    case .null, .link: break
    case .int(let value): appendInteger(value)
    case .bool(let value): append(value ? 1 : 0)
    case .string(let value): appendCounted(value)
    case .malformedString(let value), .binary(let value): appendCounted(value)
    case .timestamp(let value):
      appendInteger(value.seconds)
      appendInteger(Int64(value.nanoseconds))
    case .float(let value):
      Swift.withUnsafeBytes(of: value.bitPattern.littleEndian) { append(contentsOf: $0) }
    case .double(let value):
      Swift.withUnsafeBytes(of: value.bitPattern.littleEndian) { append(contentsOf: $0) }
    case .decimal(let value):
      appendCoefficient(high: value.coefficientHigh, low: value.coefficientLow)
      appendInteger(Int64(value.exponent))
      append(value.isNegative ? 1 : 0)
    case .objectId(let value):
      appendBigEndian(value.high)
      appendBigEndian(value.low)
    case .uuid(let value):
      appendBigEndian(value.high)
      appendBigEndian(value.low)
    case .list, .dictionary:
      preconditionFailure(
        "A nested collection is encoded as the instructions that build it, never as one value"
      )
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
