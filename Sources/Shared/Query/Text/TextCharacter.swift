// SPDX-License-Identifier: Apache-2.0

extension TextMatching {
  /// One character of a text. A byte that is not valid UTF-8 is a character of its own.
  struct Character {
    let start: Int
    let end: Int
    /// The Unicode scalar, or a number above all scalars for a byte that is not valid UTF-8.
    let scalar: UInt32

    private static let firstInvalid: UInt32 = 0x11_0000

    /// Creates the character that starts at an offset.
    init(_ text: Bytes, at start: Int) {
      self.start = start
      let first = text[start]
      let length = Self.length(first)
      var scalar = UInt32(first)
      if length > 1, start + length <= text.count {
        scalar &= 0x7F >> UInt32(length)
        for index in start + 1..<start + length {
          guard text[index] & 0xC0 == 0x80 else {
            (end, self.scalar) = (start + 1, Self.firstInvalid + UInt32(first))
            return
          }
          scalar = scalar << 6 | UInt32(text[index] & 0x3F)
        }
        (end, self.scalar) = (start + length, scalar)
      } else {
        (end, self.scalar) = (start + 1, first < 0x80 ? scalar : Self.firstInvalid + scalar)
      }
    }

    /// Creates the character that ends before an offset.
    init(_ text: Bytes, before end: Int) {
      var start = end - 1
      while start > 0, end - start < 4, text[start] & 0xC0 == 0x80 { start -= 1 }
      let character = Character(text, at: start)
      self = character.end == end ? character : Character(text, at: end - 1)
    }

    private static func length(_ first: UInt8) -> Int {
      switch first {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    }

    /// The Greek sigma at the end of a word and elsewhere. Both have the same upper-case form.
    private static let (finalSigma, sigma): (UInt32, UInt32) = (0x3C2, 0x3C3)

    /// The lower-case form if it is a single character, otherwise the scalar itself. The final sigma becomes the
    /// other one.
    var folded: UInt32 {
      if scalar < 0x80 { return scalar &- 0x41 < 26 ? scalar | 0x20 : scalar }
      if scalar == Self.finalSigma { return Self.sigma }
      guard let character = Unicode.Scalar(scalar) else { return scalar }
      let lower = character.properties.lowercaseMapping.unicodeScalars
      guard let first = lower.first, lower.index(after: lower.startIndex) == lower.endIndex else {
        return scalar
      }
      return first.value
    }

    /// Whether this character of a pattern matches another character.
    func isAnyOrEquals(_ other: Character, ignoresCase: Bool) -> Bool {
      if scalar == UInt32(UInt8(ascii: "?")) || scalar == other.scalar { return true }
      return ignoresCase && folded == other.folded
    }
  }
}
