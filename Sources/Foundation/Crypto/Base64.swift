// SPDX-License-Identifier: Apache-2.0

/// Standard Base64 (RFC 4648 §4), with padding.
public enum Base64 {
  private static let codec = Base64Codec(character62: "+", character63: "/", padded: true)

  /// Returns the text of `bytes`, padded with `=`, on one line.
  public static func encode(_ bytes: [UInt8]) -> String { codec.encode(bytes) }

  /// Returns the bytes of `text`, or nil unless ``encode(_:)`` would produce exactly this text: other characters,
  /// white space, missing padding and nonzero unused bits are all rejected.
  public static func decode(_ text: String) -> [UInt8]? { codec.decode(text) }
}

/// URL-safe Base64 (RFC 4648 §5) without padding, as used by JSON Web Tokens.
public enum Base64URL {
  private static let codec = Base64Codec(character62: "-", character63: "_", padded: false)

  /// Returns the text of `bytes`, without padding.
  public static func encode(_ bytes: [UInt8]) -> String { codec.encode(bytes) }

  /// Returns the bytes of `text`, or nil unless ``encode(_:)`` would produce exactly this text.
  public static func decode(_ text: String) -> [UInt8]? { codec.decode(text) }
}

/// One variant of Base64.
struct Base64Codec: Sendable {
  private static let pad = UInt8(ascii: "=")
  private static let invalid: UInt8 = 255

  private let alphabet: [UInt8]
  private let values: [UInt8]
  private let padded: Bool

  init(character62: Unicode.Scalar, character63: Unicode.Scalar, padded: Bool) {
    var alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    alphabet += [UInt8(ascii: character62), UInt8(ascii: character63)]
    var values = [UInt8](repeating: Self.invalid, count: 256)
    for (value, character) in alphabet.enumerated() {
      values[Int(character)] = UInt8(value)
    }
    self.alphabet = alphabet
    self.values = values
    self.padded = padded
  }

  func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let available = min(3, bytes.count - index)
      var group: UInt32 = 0
      for offset in 0..<3 {
        group = group << 8 | (offset < available ? UInt32(bytes[index + offset]) : 0)
      }
      for position in 0...available {
        text.append(alphabet[Int(group >> UInt32(18 - 6 * position)) & 63])
      }
      if padded { text.append(contentsOf: repeatElement(Self.pad, count: 3 - available)) }
      index += available
    }
    return String(decoding: text, as: UTF8.self)
  }

  func decode(_ text: String) -> [UInt8]? {
    var text = text
    return text.withUTF8 { decode($0[...]) }
  }

  private func decode(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> [UInt8]? {
    guard let characters = withoutPadding(text), characters.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count * 3 / 4)
    var bits: UInt32 = 0
    var bitCount = 0
    for character in characters {
      let value = values[Int(character)]
      guard value != Self.invalid else { return nil }
      bits = bits << 6 | UInt32(value)
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        bits &= (1 << UInt32(bitCount)) - 1
      }
    }
    return bits == 0 ? bytes : nil
  }

  /// Returns nil if the padding is not what this variant requires.
  private func withoutPadding(_ text: Slice<UnsafeBufferPointer<UInt8>>)
    -> Slice<UnsafeBufferPointer<UInt8>>?
  {
    guard padded else { return text }
    guard text.count % 4 == 0 else { return nil }
    let padding = text.suffix(2).reversed().prefix { $0 == Self.pad }.count
    return text.dropLast(padding)
  }
}
