// SPDX-License-Identifier: Apache-2.0

/// The operators on text that SQLite lacks, on UTF-8 bytes.
///
/// Storage registers those of them that `SQLFunction` names as SQL functions, so that a query gives one answer in SQL
/// and in memory. Ignoring case compares characters by their simple lower-case form.
public enum TextMatching {
  public static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    guard let first = part.first else { return true }
    guard part.count <= text.count else { return false }
    for start in 0...(text.count - part.count)
    where text[start] == first && text[start..<start + part.count].elementsEqual(part) {
      return true
    }
    return false
  }

  public static func equalsIgnoringCase(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    folded(left) == folded(right)
  }

  public static func containsIgnoringCase(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    contains(folded(text), folded(part))
  }

  public static func beginsIgnoringCase(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    folded(text).starts(with: folded(part))
  }

  public static func endsIgnoringCase(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    folded(text).reversed().starts(with: folded(part).reversed())
  }

  /// Whether `text` has the form of `pattern`, in which `*` stands for any run of characters and `?` for exactly one.
  ///
  /// Takes time proportional to the product of the lengths at most.
  public static func isLike(_ text: [UInt8], _ pattern: [UInt8], ignoresCase: Bool) -> Bool {
    let text = ignoresCase ? folded(text) : text
    let pattern = ignoresCase ? folded(pattern) : pattern
    var (textIndex, patternIndex) = (0, 0)
    var retry: (text: Int, pattern: Int)?
    while textIndex < text.count {
      if patternIndex < pattern.count, pattern[patternIndex] == UInt8(ascii: "*") {
        retry = (textIndex, patternIndex + 1)
        patternIndex += 1
      } else if patternIndex < pattern.count, pattern[patternIndex] == UInt8(ascii: "?") {
        textIndex = nextCharacter(text, after: textIndex)
        patternIndex += 1
      } else if patternIndex < pattern.count, pattern[patternIndex] == text[textIndex] {
        textIndex += 1
        patternIndex += 1
      } else if let again = retry {
        textIndex = nextCharacter(text, after: again.text)
        retry = (textIndex, again.pattern)
        patternIndex = again.pattern
      } else {
        return false
      }
    }
    return pattern[patternIndex...].allSatisfy { $0 == UInt8(ascii: "*") }
  }

  private static func nextCharacter(_ text: [UInt8], after index: Int) -> Int {
    var next = index + 1
    while next < text.count, text[next] & 0xC0 == 0x80 { next += 1 }
    return next
  }

  /// Each character in the lower-case form it has if that is one character; bytes that are not UTF-8 stay.
  static func folded(_ text: [UInt8]) -> [UInt8] {
    if text.allSatisfy({ $0 < 0x80 }) { return text.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 } }
    guard let string = String(validating: text, as: UTF8.self) else { return text }
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    for scalar in string.unicodeScalars {
      let lower = scalar.properties.lowercaseMapping.unicodeScalars
      let folded = lower.count == 1 ? lower.first ?? scalar : scalar
      result.append(contentsOf: UTF8.encode(folded) ?? UTF8.encodedReplacementCharacter)
    }
    return result
  }
}
