// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Encodes primary keys as bytes: a type code, followed by the value.
package enum KeyCoding {
  package static func encode(_ key: PrimaryKey) -> [UInt8] {
    switch key {
    case .null: [0]
    case .int(let value): [1] + bigEndianBytes(UInt64(bitPattern: value))
    case .string(let text): [2] + Array(text.utf8)
    case .objectId(let value): [3] + value.bytes
    case .uuid(let value): [4] + value.bytes
    case .globalKey(let high, let low): [5] + bigEndianBytes(high) + bigEndianBytes(low)
    }
  }

  /// Returns nil for bytes that `encode` never writes.
  package static func decode(_ bytes: [UInt8]) -> PrimaryKey? {
    let value = bytes.dropFirst()
    switch bytes.first {
    case 0 where value.isEmpty: return .null
    case 1 where value.count == 8: return .int(Int64(bitPattern: UInt64(bigEndianBytes: value)))
    case 2: return String(validating: value, as: UTF8.self).map(PrimaryKey.string)
    case 3: return ObjectId(bytes: value).map(PrimaryKey.objectId)
    case 4: return UUIDValue(bytes: value).map(PrimaryKey.uuid)
    case 5 where value.count == 16:
      return .globalKey(
        high: UInt64(bigEndianBytes: value.prefix(8)),
        low: UInt64(bigEndianBytes: value.suffix(8))
      )
    default: return nil
    }
  }

  private static func bigEndianBytes(_ value: UInt64) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}
