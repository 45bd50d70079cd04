// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Reads values (protocol §6.4).
extension ChangesetDecoder {
  mutating func readPayload() throws(ChangesetError) -> Payload {
    let code = try reader.readByte()
    if let type = ValueType(rawValue: code) { return .value(try readValue(type)) }
    switch code {
    case MarkerCode.object: return .object
    case MarkerCode.dictionary: return .dictionary
    case MarkerCode.erased: return .erased
    case MarkerCode.list: return .list
    case MarkerCode.set: return .set
    default: throw reader.errorAtLastByte("unknown value type \(code)")
    }
  }

  mutating func readValue(_ type: ValueType) throws(ChangesetError) -> Value {
    switch type {
    case .mixed: return .null
    case .int: return .int(try reader.readInteger())
    case .bool: return .bool(try reader.readFlag())
    case .string: return try readString()
    case .binary: return .binary(Array(try reader.readCountedBytes()))
    case .timestamp: return .timestamp(try readTimestamp())
    case .float:
      let bits = try reader.readBytes(4).loadUnaligned(as: UInt32.self)
      return .float(Float(bitPattern: UInt32(littleEndian: bits)))
    case .double:
      let bits = try reader.readBytes(8).loadUnaligned(as: UInt64.self)
      return .double(Double(bitPattern: UInt64(littleEndian: bits)))
    case .decimal: return .decimal(try readDecimal())
    case .link: return .link(Link(className: try readName(), key: try readKey()))
    case .objectId: return .objectId(try readObjectId())
    case .uuid: return .uuid(try readUUID())
    }
  }

  private mutating func readString() throws(ChangesetError) -> Value {
    let bytes = try reader.readCountedBytes()
    if let text = String(validating: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self) {
      return .string(text)
    }
    return .malformedString(Array(bytes))
  }

  private mutating func readTimestamp() throws(ChangesetError) -> Timestamp {
    let start = reader.position
    let seconds = try reader.readInteger()
    let nanoseconds = try reader.readInteger()
    guard let nanoseconds = Int32(exactly: nanoseconds),
      let timestamp = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    else {
      throw ChangesetError(
        message: "invalid timestamp of \(seconds) s and \(nanoseconds) ns",
        position: start
      )
    }
    return timestamp
  }

  private mutating func readDecimal() throws(ChangesetError) -> Decimal128 {
    let coefficient = try reader.readCoefficient()
    let exponent = try reader.readInteger()
    guard WireLimits.decimalExponents.contains(exponent) else {
      throw reader.errorAtLastByte("decimal exponent \(exponent) is out of range")
    }
    return Decimal128(
      coefficientHigh: coefficient.high,
      coefficientLow: coefficient.low,
      exponent: Int32(exponent),
      isNegative: try reader.readFlag()
    )
  }

  mutating func readObjectId() throws(ChangesetError) -> ObjectId {
    let bytes = try reader.readBytes(ObjectId.byteCount)
    let high = bytes.loadUnaligned(as: UInt64.self)
    let low = bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
    return ObjectId(high: UInt64(bigEndian: high), low: UInt32(bigEndian: low))
  }

  mutating func readUUID() throws(ChangesetError) -> UUIDValue {
    let bytes = try reader.readBytes(UUIDValue.byteCount)
    let high = bytes.loadUnaligned(as: UInt64.self)
    let low = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    return UUIDValue(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low))
  }
}

extension ValueType {
  /// Whether a primary key can have the type (protocol §6.3).
  var canBePrimaryKey: Bool {
    switch self {
    case .int, .string, .objectId, .uuid: true
    case .mixed, .bool, .binary, .timestamp, .float, .double, .decimal, .link: false
    }
  }
}
