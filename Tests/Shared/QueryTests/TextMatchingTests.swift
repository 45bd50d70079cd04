// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Testing

@testable import FlexSyncQuery

@Suite("Looking for text, upper and lower case being the same")
struct TextMatchingTests {
  /// Characters that fold to each other, also over the border of ASCII (the Kelvin sign is a k), and broken ones.
  private static let pieces: [[UInt8]] =
    ["a", "A", "b", "k", "K", "\u{212A}", "é", "É", "σ", "ς", "Σ", "İ", "1", " "].map { Array($0.utf8) } + [
      [0xC3], [0x80],
    ]

  private func text(_ count: ClosedRange<Int>, _ random: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: count, using: &random)).flatMap { _ in Self.pieces.randomElement(using: &random) ?? []
    }
  }

  /// Whether the part stands at the begin of what is left behind some character.
  private func isIn(_ part: [UInt8], _ text: [UInt8]) -> Bool {
    var rest = text[...]
    while true {
      if TextMatching.compare(Array(rest), part, TextMatching.beginsIgnoringCase) { return true }
      guard !rest.isEmpty else { return false }
      rest = rest.withUnsafeBufferPointer {
        rest.dropFirst(TextMatching.Character(TextMatching.Bytes(rebasing: $0[...]), at: 0).end)
      }
    }
  }

  @Test("A part is found wherever the text begins with it behind a character, and nowhere else")
  func parts() {
    var random = SeededGenerator(seed: 1)
    var foundCount = 0
    for _ in 0..<20_000 {
      let (text, part) = (text(0...12, &random), text(0...3, &random))
      let found = TextMatching.compare(text, part, TextMatching.containsIgnoringCase)
      #expect(found == isIn(part, text), "\(part) in \(text)")
      foundCount += found ? 1 : 0
    }
    #expect(foundCount > 2_000 && foundCount < 18_000)
  }

  @Test(
    "Many parts are found at once wherever one of them is found alone",
    arguments: [TextParts.Place.anywhere, .start, .end],
    [false, true]
  )
  func manyParts(place: TextParts.Place, ignoresCase: Bool) {
    var random = SeededGenerator(seed: 2)
    var foundCount = 0
    for _ in 0..<10_000 {
      let text = text(0...12, &random)
      let shortest = Int.random(in: 0..<200, using: &random) == 0 ? 0 : 1
      let parts = (0..<Int.random(in: 0...6, using: &random)).map { _ in self.text(shortest...3, &random) }
      let found = text.withUnsafeBufferPointer {
        TextParts(parts, place, ignoresCase: ignoresCase).isAny(in: $0)
      }
      let isOneFound = parts.contains { TextMatching.compare(text, $0, test(place, ignoresCase)) }
      #expect(found == isOneFound, "\(parts) in \(text)")
      foundCount += found ? 1 : 0
    }
    #expect(foundCount > 300 && foundCount < 9_000)
  }

  @Test("Parts of a long text are found wherever they stand", arguments: [false, true])
  func longTexts(ignoresCase: Bool) {
    let parts = TextParts([Array("NEEDLE".utf8), Array("é1".utf8)], .anywhere, ignoresCase: ignoresCase)
    for length in [0, 1, 4089, 4095, 4096, 4097, 4101, 4102, 8190, 8192, 12_000] {
      let rest = [UInt8](repeating: UInt8(ascii: "x"), count: length)
      for part in ["NEEDLE", "é1"] {
        let text = rest + Array(part.utf8)
        #expect(text.withUnsafeBufferPointer(parts.isAny), "\(part) behind \(length) bytes")
        #expect((text + rest).withUnsafeBufferPointer(parts.isAny), "\(part) between \(length) bytes each")
        #expect(!text.dropLast().withUnsafeBufferPointer(parts.isAny), "the begin of \(part) only")
      }
    }
  }

  private func test(
    _ place: TextParts.Place,
    _ ignoresCase: Bool
  ) -> (TextMatching.Bytes, TextMatching.Bytes) -> Bool {
    switch (place, ignoresCase) {
    case (.anywhere, false): TextMatching.contains
    case (.anywhere, true): TextMatching.containsIgnoringCase
    case (.start, false): TextMatching.begins
    case (.start, true): TextMatching.beginsIgnoringCase
    case (.end, false): TextMatching.ends
    case (.end, true): TextMatching.endsIgnoringCase
    }
  }
}
