// SPDX-License-Identifier: Apache-2.0

/// Short parts that are searched for at once, in a time that hardly depends on their number.
public struct TextParts: Hashable, Sendable {
  /// The position in a text where a part must occur.
  public enum Place: Hashable, Sendable {
    case anywhere
    case start
    case end
  }

  private let place: Place
  private let ignoresCase: Bool
  /// The parts in sorted order. None is a prefix of another, because the shorter one finds every match of the longer
  /// one. At each position of a text at most one part can therefore match, and binary search finds it.
  private let parts: [[UInt32]]
  /// The number of characters in the longest part.
  private let greatestCount: Int
  private let beginnings: Beginnings

  /// Creates a search for parts.
  ///
  /// - Parameters:
  ///   - parts: The bytes of each part.
  ///   - place: The position where one of them must occur.
  ///   - ignoresCase: Whether upper and lower case are equal.
  public init(_ parts: [[UInt8]], _ place: Place, ignoresCase: Bool) {
    self.place = place
    self.ignoresCase = ignoresCase
    let sorted = parts.map { part in
      part.withUnsafeBufferPointer { part in
        var reader = CharacterReader(part, ignoresCase: ignoresCase, isBackward: place == .end)
        return reader.next(part.count)
      }
    }.sorted { $0.lexicographicallyPrecedes($1) }
    var kept: [[UInt32]] = []
    for part in sorted where kept.last.map({ !part.starts(with: $0) }) ?? true { kept.append(part) }
    self.parts = kept
    greatestCount = kept.reduce(0) { max($0, $1.count) }
    beginnings = Beginnings(of: kept)
  }

  public static func == (left: TextParts, right: TextParts) -> Bool {
    left.place == right.place && left.ignoresCase == right.ignoresCase && left.parts == right.parts
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(place)
    hasher.combine(ignoresCase)
    hasher.combine(parts)
  }

  /// Whether a text contains one of the parts at the required position.
  public func isAny(in text: TextMatching.Bytes) -> Bool {
    var reader = CharacterReader(text, ignoresCase: ignoresCase, isBackward: place == .end)
    guard place == .anywhere else { return stands(in: reader.next(greatestCount), at: 0) }
    // Long texts are read in chunks to avoid a second copy of the whole text in memory.
    var characters: [UInt32] = []
    while true {
      characters += reader.next(Self.stretch + greatestCount - characters.count)
      let isAtEnd = characters.count < Self.stretch + greatestCount
      let places = isAtEnd ? characters.count + 1 : Self.stretch
      if (0..<places).contains(where: { stands(in: characters, at: $0) }) { return true }
      if isAtEnd { return false }
      characters.removeFirst(Self.stretch)
    }
  }

  private static let stretch = 4096

  private func stands(in text: [UInt32], at start: Int) -> Bool {
    guard beginnings.mayContain(text, at: start) else { return false }
    var candidates = 0..<parts.count
    while !candidates.isEmpty {
      let middle = (candidates.lowerBound + candidates.upperBound) / 2
      switch Self.order(parts[middle], text, at: start) {
      case 0: return true
      case ..<0: candidates = middle + 1..<candidates.upperBound
      default: candidates = candidates.lowerBound..<middle
      }
    }
    return false
  }

  /// Compares a part with the rest of a text. Returns 0 if the rest starts with the part.
  private static func order(_ part: [UInt32], _ text: [UInt32], at start: Int) -> Int {
    for index in part.indices {
      guard start + index < text.count else { return 1 }
      let (left, right) = (part[index], text[start + index])
      if left != right { return left < right ? -1 : 1 }
    }
    return 0
  }
}

/// Reads the units to compare: case-folded characters, or bytes; backwards if parts must occur at the end.
private struct CharacterReader {
  private let text: TextMatching.Bytes
  private let ignoresCase: Bool
  private let isBackward: Bool
  private var offset: Int

  init(_ text: TextMatching.Bytes, ignoresCase: Bool, isBackward: Bool) {
    self.text = text
    self.ignoresCase = ignoresCase
    self.isBackward = isBackward
    offset = isBackward ? text.count : 0
  }

  /// Returns the next `count` units, or as many as are left.
  mutating func next(_ count: Int) -> [UInt32] {
    var characters: [UInt32] = []
    characters.reserveCapacity(min(count, isBackward ? offset : text.count - offset))
    while characters.count < count, isBackward ? offset > 0 : offset < text.count {
      characters.append(isBackward ? previous() : next())
    }
    return characters
  }

  private mutating func next() -> UInt32 {
    guard ignoresCase else {
      defer { offset += 1 }
      return UInt32(text[offset])
    }
    let character = TextMatching.Character(text, at: offset)
    offset = character.end
    return character.folded
  }

  private mutating func previous() -> UInt32 {
    guard ignoresCase else {
      offset -= 1
      return UInt32(text[offset])
    }
    let character = TextMatching.Character(text, before: offset)
    offset = character.start
    return character.folded
  }
}

/// A filter of the first two characters of all parts, which rules out most positions of a text.
private struct Beginnings {
  /// One bit for each hash of two characters. The number of words is a power of two that grows with the number of
  /// parts.
  private var bits: [UInt64]
  private var hasEmptyPart = false

  init(of parts: [[UInt32]]) {
    var wordCount = 4
    while wordCount < min(parts.count, 1024) { wordCount *= 2 }
    bits = [UInt64](repeating: 0, count: wordCount)
    for part in parts {
      switch part.count {
      case 0: hasEmptyPart = true
      case 1: for next in 0..<256 { insert(number(part[0], UInt32(next))) }
      default: insert(number(part[0], part[1]))
      }
    }
  }

  /// Hashes two characters. Only the lower byte of the second one counts, so that for a part of one character all
  /// possible successors can be inserted.
  private func number(_ first: UInt32, _ second: UInt32) -> Int {
    Int((first &* 0x9E37_79B1) ^ (second & 0xFF)) & (bits.count * 64 - 1)
  }

  private mutating func insert(_ number: Int) { bits[number / 64] |= 1 << UInt64(number % 64) }

  func mayContain(_ text: [UInt32], at start: Int) -> Bool {
    guard start < text.count else { return hasEmptyPart }
    let number = number(text[start], start + 1 < text.count ? text[start + 1] : 0)
    return hasEmptyPart || bits[number / 64] & 1 << UInt64(number % 64) != 0
  }
}
