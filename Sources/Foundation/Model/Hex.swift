// SPDX-License-Identifier: Apache-2.0

/// Hexadecimal text.
public enum Hex {
  /// Returns two lower-case digits for each byte.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes for an even number of digits of either case, or nil for any other text.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 2)
    var pending: UInt8?
    for character in text.utf8 {
      guard let digit = digitValue(character) else { return nil }
      if let high = pending {
        bytes.append(high << 4 | digit)
        pending = nil
      } else {
        pending = digit
      }
    }
    return pending == nil ? bytes : nil
  }

  /// Returns the value of a digit of either case; nil for any other character.
  package static func digitValue(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
