// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The Base64 form that query texts use for strings and bytes that cannot be quoted.
enum Base64Text {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
  )

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      bits <<= UInt32(8 * (3 - group.count))
      for position in 0..<4 {
        let isPadding = position > group.count
        text.append(isPadding ? UInt8(ascii: "=") : alphabet[Int(bits >> UInt32(18 - 6 * position) & 63)])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  static func bytes(_ text: String) throws(QueryError) -> [UInt8] {
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
    let padding = text.utf8.count - digits.count
    guard text.utf8.count % 4 == 0, padding < 3,
      text.utf8.suffix(padding).allSatisfy({ $0 == UInt8(ascii: "=") })
    else { throw .query("'\(text)' is not valid Base64") }
    for digit in digits {
      guard let value = alphabet.firstIndex(of: digit) else { throw .query("'\(text)' is not valid Base64") }
      bits = (bits << 6 | UInt32(value)) & 0xFFFFFF
      bitCount += 6
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
    }
    return bytes
  }

  static func string(_ text: String) throws(QueryError) -> Value {
    let bytes = try bytes(text)
    guard let string = String(validating: bytes, as: UTF8.self) else { return .malformedString(bytes) }
    return .string(string)
  }
}
