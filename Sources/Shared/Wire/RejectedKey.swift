// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncModel

/// Encodes the primary key of a rejected update: Base64 of a payload with inline strings (protocol §2.4.7).
public enum RejectedKey {
  private static let null: UInt8 = 0x00
  private static let int: UInt8 = 0x01
  private static let string: UInt8 = 0x03
  private static let objectId: UInt8 = 0x0a
  private static let uuid: UInt8 = 0x0b

  /// Encodes a key. A global key, which no synced class has, is written as null.
  public static func encode(_ key: PrimaryKey) -> String {
    switch key {
    case .null, .globalKey: Base64.encode([null])
    case .int(let value): Base64.encode([int] + integerBytes(value))
    case .string(let value):
      Base64.encode([string] + integerBytes(Int64(value.utf8.count)) + Array(value.utf8))
    case .objectId(let value): Base64.encode([objectId] + value.bytes)
    case .uuid(let value): Base64.encode([uuid] + value.bytes)
    }
  }

  public static func decode(_ text: String) throws(ProtocolError) -> PrimaryKey {
    guard let bytes = Base64.decode(text), let key = key(of: bytes) else {
      throw ProtocolError(.badSyntax, "bad json_error: '\(text)' is not an encoded primary key")
    }
    return key
  }

  private static func key(of bytes: [UInt8]) -> PrimaryKey? {
    guard let type = bytes.first else { return nil }
    var rest = bytes.dropFirst()
    switch type {
    case null: return rest.isEmpty ? .null : nil
    case int:
      guard let value = takeInteger(from: &rest), rest.isEmpty else { return nil }
      return .int(value)
    case string:
      guard let count = takeInteger(from: &rest), count == rest.count else { return nil }
      return String(validating: rest, as: UTF8.self).map(PrimaryKey.string)
    case objectId: return ObjectId(bytes: rest).map(PrimaryKey.objectId)
    case uuid: return UUIDValue(bytes: rest).map(PrimaryKey.uuid)
    default: return nil
    }
  }

  /// Returns groups of seven bits, the lowest first. The last byte has six bits and the sign (protocol §6.1).
  private static func integerBytes(_ value: Int64) -> [UInt8] {
    var magnitude = UInt64(bitPattern: value < 0 ? ~value : value)
    var bytes: [UInt8] = []
    while magnitude >= 0x40 {
      bytes.append(0x80 | UInt8(magnitude & 0x7f))
      magnitude >>= 7
    }
    bytes.append(UInt8(magnitude) | (value < 0 ? 0x40 : 0))
    return bytes
  }

  private static func takeInteger(from bytes: inout ArraySlice<UInt8>) -> Int64? {
    var magnitude: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = bytes.popFirst() {
      let isLast = byte & 0x80 == 0
      let bits = UInt64(byte & (isLast ? 0x3f : 0x7f))
      guard shift < 64, (bits << shift) >> shift == bits else { return nil }
      magnitude |= bits << shift
      shift += 7
      guard isLast else { continue }
      guard let value = Int64(exactly: magnitude) else { return nil }
      return byte & 0x40 == 0 ? value : ~value
    }
    return nil
  }
}
