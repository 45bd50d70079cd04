// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Writes values as SQL text. Text and bytes are written in hexadecimal, so no content can terminate the literal.
enum SQLLiteral {
  static func of(_ value: Value) -> String? {
    switch value {
    case .null: "NULL"
    case .int(let int): int == Int64.min ? nil : String(int)
    case .bool(let bool): bool ? "1" : "0"
    case .string(let string): "CAST(x'\(Hex.encode(string.utf8))' AS TEXT)"
    case .malformedString(let bytes): "CAST(x'\(Hex.encode(bytes))' AS TEXT)"
    case .binary(let bytes): "x'\(Hex.encode(bytes))'"
    case .objectId(let objectId): "x'\(Hex.encode(objectId.bytes))'"
    case .uuid(let uuid): "x'\(Hex.encode(uuid.bytes))'"
    case .timestamp, .float, .double, .decimal, .link, .list, .dictionary: nil
    }
  }
}
