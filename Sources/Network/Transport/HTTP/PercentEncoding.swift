// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Percent-encoding of URLs (RFC 3986 §2.1).
public enum PercentEncoding {
  /// Encodes everything except letters, digits and `-._~`, for use as a path component or a query value.
  public static func encode(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in text.utf8 {
      if isUnreserved(byte) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns the decoded text, or nil if an escape is malformed or the result is not valid UTF-8.
  public static func decode(_ text: some StringProtocol) -> String? {
    decode(text.utf8, plusIsSpace: false)
  }

  /// Decodes like ``decode(_:)``, but treats `+` as a space, as in queries and forms.
  public static func decodeForm(_ text: some StringProtocol) -> String? {
    decode(text.utf8, plusIsSpace: true)
  }

  private static func decode(_ text: some Sequence<UInt8>, plusIsSpace: Bool) -> String? {
    var result: [UInt8] = []
    var iterator = text.makeIterator()
    while let byte = iterator.next() {
      if byte == UInt8(ascii: "%") {
        guard let high = iterator.next().flatMap(Hex.digitValue),
          let low = iterator.next().flatMap(Hex.digitValue)
        else { return nil }
        result.append(high << 4 | low)
      } else {
        result.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return String(validating: result, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
