// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The text operators that SQLite lacks, on UTF-8 bytes.
///
/// `FlexSyncStore` registers those listed in `SQLFunction` as SQL functions, so that a query gives the same answer in
/// SQL and in memory. Case-insensitive operators compare characters by their simple lower-case form. Nothing here
/// allocates unless the part or the pattern is longer than `longestShortPart`.
public enum TextMatching {
  /// The bytes of a string or binary value.
  public typealias Bytes = UnsafeBufferPointer<UInt8>

  /// The size in bytes of the longest part or pattern that is simply tried at every position of a text. Users choose
  /// both, and longer ones could keep a server busy for minutes.
  static let longestShortPart = 64

  public static func contains(_ text: Bytes, _ part: Bytes) -> Bool {
    guard let first = part.first else { return true }
    guard part.count <= text.count else { return false }
    guard part.count <= longestShortPart else {
      return TextSearch(Array(part)).first(in: text, 0..<text.count) != nil
    }
    for start in 0...(text.count - part.count)
    where text[start] == first && isPrefix(part, of: text[start...]) {
      return true
    }
    return false
  }

  public static func begins(_ text: Bytes, _ part: Bytes) -> Bool {
    isPrefix(part, of: text[...])
  }

  public static func ends(_ text: Bytes, _ part: Bytes) -> Bool {
    part.count <= text.count && isPrefix(part, of: text[(text.count - part.count)...])
  }

  private static func isPrefix(_ part: Bytes, of text: Slice<Bytes>) -> Bool {
    guard part.count <= text.count else { return false }
    for index in 0..<part.count where text[text.startIndex + index] != part[index] { return false }
    return true
  }

  public static func equalsIgnoringCase(_ left: Bytes, _ right: Bytes) -> Bool {
    end(ofFolded: right, in: left, at: 0) == left.count
  }

  public static func beginsIgnoringCase(_ text: Bytes, _ part: Bytes) -> Bool {
    end(ofFolded: part, in: text, at: 0) != nil
  }

  public static func containsIgnoringCase(_ text: Bytes, _ part: Bytes) -> Bool {
    guard part.count <= longestShortPart else {
      let text = characters(text, ignoresCase: true)
      return TextSearch(characters(part, ignoresCase: true)).first(in: text, 0..<text.count) != nil
    }
    guard let first = part.first else { return true }
    // A single byte rules out most positions. Servers search each text for a great many parts.
    let wanted = first < 0x80 ? folded(first) : nil
    var start = 0
    while start < text.count {
      let isASCII = text[start] < 0x80
      if isASCII, let wanted, folded(text[start]) != wanted {
        start += 1
        continue
      }
      if end(ofFolded: part, in: text, at: start) != nil { return true }
      start = isASCII ? start + 1 : Character(text, at: start).end
    }
    return false
  }

  public static func endsIgnoringCase(_ text: Bytes, _ part: Bytes) -> Bool {
    var (textEnd, partEnd) = (text.count, part.count)
    while partEnd > 0 {
      guard textEnd > 0 else { return false }
      let (left, right) = (Character(text, before: textEnd), Character(part, before: partEnd))
      guard left.folded == right.folded else { return false }
      (textEnd, partEnd) = (left.start, right.start)
    }
    return true
  }

  /// Returns the offset after `part` if it occurs in `text` at `start`, ignoring case; otherwise nil.
  private static func end(ofFolded part: Bytes, in text: Bytes, at start: Int) -> Int? {
    var (textIndex, partIndex) = (start, 0)
    while partIndex < part.count {
      guard textIndex < text.count else { return nil }
      if text[textIndex] < 0x80, part[partIndex] < 0x80 {
        guard folded(text[textIndex]) == folded(part[partIndex]) else { return nil }
        (textIndex, partIndex) = (textIndex + 1, partIndex + 1)
        continue
      }
      let (left, right) = (Character(text, at: textIndex), Character(part, at: partIndex))
      guard left.folded == right.folded else { return nil }
      (textIndex, partIndex) = (left.end, right.end)
    }
    return textIndex
  }

  /// Returns the lower-case form of an ASCII character.
  private static func folded(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }

  /// Whether `text` matches `pattern`, in which `*` stands for any run of characters and `?` for exactly one.
  ///
  /// Takes time proportional to the sum of the lengths. Segments with question marks cost that time once per 64
  /// characters of their length, and beyond `LongPattern.longestMaskedSegment` once per character.
  public static func isLike(_ text: Bytes, _ pattern: Bytes, ignoresCase: Bool) -> Bool {
    guard pattern.count > longestShortPart else {
      return isLikeShort(text, pattern, ignoresCase: ignoresCase)
    }
    return LongPattern(characters(pattern, ignoresCase: ignoresCase))
      .matches(characters(text, ignoresCase: ignoresCase))
  }

  /// Tries the pattern at every position. Takes at most time proportional to the product of the lengths.
  static func isLikeShort(_ text: Bytes, _ pattern: Bytes, ignoresCase: Bool) -> Bool {
    var (textIndex, patternIndex) = (0, 0)
    var retry: (text: Int, pattern: Int)?
    while textIndex < text.count {
      let character = Character(text, at: textIndex)
      let wanted = patternIndex < pattern.count ? Character(pattern, at: patternIndex) : nil
      if let wanted, wanted.scalar == UInt32(UInt8(ascii: "*")) {
        patternIndex = wanted.end
        if patternIndex == pattern.count { return true }
        if !ignoresCase { textIndex = start(of: pattern[patternIndex], in: text, from: textIndex) }
        retry = (textIndex, patternIndex)
      } else if let wanted, wanted.isAnyOrEquals(character, ignoresCase: ignoresCase) {
        (textIndex, patternIndex) = (character.end, wanted.end)
      } else if let again = retry {
        textIndex = Character(text, at: again.text).end
        patternIndex = again.pattern
        if !ignoresCase { textIndex = start(of: pattern[patternIndex], in: text, from: textIndex) }
        retry = (textIndex, again.pattern)
      } else {
        return false
      }
    }
    return pattern[patternIndex...].allSatisfy { $0 == UInt8(ascii: "*") }
  }

  private static func characters(_ text: Bytes, ignoresCase: Bool) -> [UInt32] {
    var characters: [UInt32] = []
    characters.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      let character = Character(text, at: index)
      characters.append(ignoresCase ? character.folded : character.scalar)
      index = character.end
    }
    return characters
  }

  /// Returns the next offset where the rest of a pattern, which starts with `byte`, can match. Only literal ASCII
  /// characters are searched for, because their bytes never occur inside another character.
  private static func start(of byte: UInt8, in text: Bytes, from offset: Int) -> Int {
    guard byte < 0x80, byte != UInt8(ascii: "?"), byte != UInt8(ascii: "*") else { return offset }
    var offset = offset
    while offset < text.count, text[offset] != byte { offset += 1 }
    return offset
  }
}

extension TextMatching {
  /// Returns the result of an operator for two strings or two binary values, or nil for any other pair.
  static func compare(_ left: Value, _ right: Value, _ test: (Bytes, Bytes) -> Bool) -> Bool? {
    switch (left, right) {
    case (.string(var left), .string(var right)): left.withUTF8 { left in right.withUTF8 { test(left, $0) } }
    case (.binary(let left), .binary(let right)), (.malformedString(let left), .malformedString(let right)):
      left.withUnsafeBufferPointer { left in right.withUnsafeBufferPointer { test(left, $0) } }
    case (.string(var left), .malformedString(let right)):
      left.withUTF8 { left in right.withUnsafeBufferPointer { test(left, $0) } }
    case (.malformedString(let left), .string(var right)):
      left.withUnsafeBufferPointer { left in right.withUTF8 { test(left, $0) } }
    default: nil
    }
  }

  /// Returns the result of an operator for byte arrays.
  static func compare(_ left: [UInt8], _ right: [UInt8], _ test: (Bytes, Bytes) -> Bool) -> Bool {
    left.withUnsafeBufferPointer { left in right.withUnsafeBufferPointer { test(left, $0) } }
  }
}
