// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncQuery

@Suite("Text that is looked for in bounded time")
struct LongPatternTests {
  private func text(_ letters: [String], _ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
    (0..<count).flatMap { _ in Array(letters[Int.random(in: 0..<letters.count, using: &random)].utf8) }
  }

  /// Few different letters, so that much of the text almost matches. `\u{130}` has no lower-case form of one character.
  private static let letters = ["a", "A", "b", "é", "É", "\u{130}", "🦊"]

  private func scalars(_ bytes: [UInt8], _ ignoresCase: Bool) -> [UInt32] {
    bytes.withUnsafeBufferPointer { bytes in
      var scalars: [UInt32] = []
      var index = 0
      while index < bytes.count {
        let character = TextMatching.Character(bytes, at: index)
        scalars.append(ignoresCase ? character.folded : character.scalar)
        index = character.end
      }
      return scalars
    }
  }

  @Test("Long patterns match what short ones match", arguments: 0..<40 as Range<UInt64>)
  func patterns(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let letters = Array(Self.letters.prefix(Int.random(in: 1...7, using: &random)))
      var text = text(letters, Int.random(in: 0...14, using: &random), &random)
      let pattern = self.text(letters + ["*", "?", "*"], Int.random(in: 0...8, using: &random), &random)
      // Also bytes that are no text.
      if Bool.random(using: &random), !text.isEmpty { text.removeLast() }
      for ignoresCase in [false, true] {
        let expected = TextMatching.compare(text, pattern) {
          TextMatching.isLikeShort($0, $1, ignoresCase: ignoresCase)
        }
        let found = LongPattern(scalars(pattern, ignoresCase)).matches(scalars(text, ignoresCase))
        #expect(found == expected, "\(text) LIKE \(pattern)")
      }
    }
  }

  @Test("Long segments are found wherever they stand", arguments: 0..<20 as Range<UInt64>)
  func longSegments(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 {
      let text = text(["a", "b"], Int.random(in: 150...400, using: &random), &random)
      // Of the text itself, some letters asked for by question marks and one perhaps wrong.
      let start = Int.random(in: 0...30, using: &random)
      var segment = Array(text[start..<start + Int.random(in: 65...100, using: &random)])
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        segment[Int.random(in: 0..<segment.count, using: &random)] = UInt8(ascii: "?")
      }
      if Bool.random(using: &random) { segment[Int.random(in: 0..<segment.count, using: &random)] ^= 3 }
      let pattern = [UInt8(ascii: "*")] + segment + [UInt8(ascii: "*")]
      for ignoresCase in [false, true] {
        let answers = [TextMatching.isLike, TextMatching.isLikeShort].map { isLike in
          TextMatching.compare(text, pattern) { isLike($0, $1, ignoresCase) }
        }
        #expect(answers[0] == answers[1])
      }
    }
  }

  @Test("CONTAINS finds long parts", arguments: 0..<20 as Range<UInt64>)
  func parts(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let text = text(["a", "b", "é"], 300, &random)
      let start = Int.random(in: 0...50, using: &random)
      var part = Array(text[start..<start + 90])
      if Bool.random(using: &random) { part[Int.random(in: 0..<90, using: &random)] = UInt8(ascii: "a") }
      let isIn = (0...text.count - 90).contains { Array(text[$0..<$0 + 90]) == part }
      #expect(TextMatching.compare(text, part, TextMatching.contains) == isIn)
      let pair = (String(decoding: text, as: UTF8.self), String(decoding: part, as: UTF8.self))
      guard Array(pair.1.utf8) == part else { continue }
      #expect(
        TextMatching.compare(Array(pair.0.uppercased().utf8), part, TextMatching.containsIgnoringCase) == isIn
      )
    }
  }

  /// The text that takes the longest: at every place all but the end of the part is there. Tried one by one, these would
  /// take hours.
  @Test("The worst parts and patterns for a long text take little time")
  func worstCase() {
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
    let run = String(repeating: "a", count: 500)
    let longRun = String(repeating: "a", count: 1 << 17)
    let part = Array("\(longRun)b".utf8)
    let patterns = ["*\(longRun)b*", "*\(run)?b?\(run)*"].map { Array($0.utf8) }
    let time = ContinuousClock().measure {
      #expect(!TextMatching.compare(text, part, TextMatching.contains))
      #expect(!TextMatching.compare(text, part, TextMatching.containsIgnoringCase))
      for pattern in patterns {
        for ignoresCase in [false, true] {
          #expect(
            !TextMatching.compare(text, pattern) { TextMatching.isLike($0, $1, ignoresCase: ignoresCase) }
          )
        }
      }
    }
    #expect(time < .seconds(30))
  }
}
