// SPDX-License-Identifier: Apache-2.0

/// Short parts that are looked for at once, in a time that hardly depends on how many there are.
public struct TextParts: Hashable, Sendable {
  /// Where in a text a part has to stand.
  public enum Place: Hashable, Sendable {
    case anywhere
    case start
    case end
  }

  private let place: Place
  private let ignoresCase: Bool
  /// Sorted, and none begins with another one, which would find all that it finds. So of all parts only one can stand at a
  /// place of a text, and a binary search finds it.
  private let parts: [[UInt32]]
  private let beginnings: Beginnings

  /// - Parameters:
  ///   - parts: The bytes of each part.
  ///   - place: Where one of them has to stand.
  ///   - ignoresCase: Whether upper and lower case are the same.
  public init(_ parts: [[UInt8]], _ place: Place, ignoresCase: Bool) {
    self.place = place
    self.ignoresCase = ignoresCase
    let sorted = parts.map { part in
      part.withUnsafeBufferPointer { Self.characters($0, place, ignoresCase: ignoresCase) }
    }.sorted { $0.lexicographicallyPrecedes($1) }
    var kept: [[UInt32]] = []
    for part in sorted where kept.last.map({ !part.starts(with: $0) }) ?? true { kept.append(part) }
    self.parts = kept
    beginnings = Beginnings(of: kept)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(parts.count)
    hasher.combine(parts.first)
    hasher.combine(parts.last)
  }

  /// Whether one of the parts stands in a text.
  public func isAny(in text: TextMatching.Bytes) -> Bool {
    let text = Self.characters(text, place, ignoresCase: ignoresCase)
    guard place == .anywhere else { return stands(in: text, at: 0) }
    return (0...text.count).contains { stands(in: text, at: $0) }
  }

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

  /// How a part sorts beside the rest of a text; 0 if the rest begins with it.
  private static func order(_ part: [UInt32], _ text: [UInt32], at start: Int) -> Int {
    for index in part.indices {
      guard start + index < text.count else { return 1 }
      let (left, right) = (part[index], text[start + index])
      if left != right { return left < right ? -1 : 1 }
    }
    return 0
  }

  /// What is compared: folded characters, from the end where parts stand there, or bytes.
  private static func characters(
    _ text: TextMatching.Bytes,
    _ place: Place,
    ignoresCase: Bool
  ) -> [UInt32] {
    guard ignoresCase else {
      return place == .end ? text.reversed().map(UInt32.init) : text.map(UInt32.init)
    }
    guard place == .end else { return TextMatching.characters(text, ignoresCase: true) }
    var characters: [UInt32] = []
    var end = text.count
    while end > 0 {
      let character = TextMatching.Character(text, before: end)
      characters.append(character.folded)
      end = character.start
    }
    return characters
  }
}

/// With which two characters parts begin: most places of a text are ruled out by them.
private struct Beginnings: Hashable {
  /// A bit for the lower bytes of both.
  private var bits = [UInt64](repeating: 0, count: 1024)
  private var hasEmptyPart = false

  init(of parts: [[UInt32]]) {
    for part in parts {
      switch part.count {
      case 0: hasEmptyPart = true
      case 1: for next in 0..<256 { insert(Self.number(part[0], UInt32(next))) }
      default: insert(Self.number(part[0], part[1]))
      }
    }
  }

  private static func number(_ first: UInt32, _ second: UInt32) -> Int {
    Int(first & 0xFF) << 8 | Int(second & 0xFF)
  }

  private mutating func insert(_ number: Int) { bits[number / 64] |= 1 << UInt64(number % 64) }

  func mayContain(_ text: [UInt32], at start: Int) -> Bool {
    guard start < text.count else { return hasEmptyPart }
    let number = Self.number(text[start], start + 1 < text.count ? text[start + 1] : 0)
    return hasEmptyPart || bits[number / 64] & 1 << UInt64(number % 64) != 0
  }
}
