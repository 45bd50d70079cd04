// SPDX-License-Identifier: Apache-2.0

/// A LIKE pattern that is too long to be tried at every position of a long text.
///
/// Its asterisks separate segments of a fixed length. Each segment is searched for after the previous one. The first
/// match is the best one, because it leaves the most text for the remaining segments.
struct LongPattern {
  /// The longest segment with question marks for which the search time hardly depends on its length.
  static let longestMaskedSegment = 1_024

  private static let anyRun = UInt32(UInt8(ascii: "*"))
  private static let anyCharacter = UInt32(UInt8(ascii: "?"))

  private let segments: [[UInt32]]

  /// - Parameter pattern: The pattern's characters, case-folded if case is ignored.
  init(_ pattern: [UInt32]) {
    segments = pattern.split(separator: Self.anyRun, omittingEmptySubsequences: false).map(Array.init)
  }

  /// - Parameter text: The text's characters, case-folded if case is ignored.
  func matches(_ text: [UInt32]) -> Bool {
    guard let first = segments.first, let last = segments.last, segments.count > 1 else {
      return segments.allSatisfy { $0.count == text.count && Self.fits($0, text, at: 0) }
    }
    guard text.count >= first.count + last.count, Self.fits(first, text, at: 0),
      Self.fits(last, text, at: text.count - last.count)
    else { return false }
    var start = first.count
    let end = text.count - last.count
    for segment in segments.dropFirst().dropLast() where !segment.isEmpty {
      guard segment.count <= end - start, let found = Self.find(segment, text, start..<end) else {
        return false
      }
      start = found + segment.count
    }
    return true
  }

  private static func fits(_ segment: [UInt32], _ text: [UInt32], at start: Int) -> Bool {
    segment.indices.allSatisfy { segment[$0] == anyCharacter || segment[$0] == text[start + $0] }
  }

  private static func find(_ segment: [UInt32], _ text: [UInt32], _ range: Range<Int>) -> Int? {
    guard segment.contains(anyCharacter) else { return TextSearch(segment).first(in: text, range) }
    guard segment.count > longestMaskedSegment else { return findMasked(segment, text, range) }
    return (range.lowerBound...range.upperBound - segment.count).first { fits(segment, text, at: $0) }
  }

  /// Tracks all positions where the segment may have started at the same time, with one bit for each (the method of
  /// Baeza-Yates and Gonnet).
  private static func findMasked(_ segment: [UInt32], _ text: [UInt32], _ range: Range<Int>) -> Int? {
    let wordCount = (segment.count + 63) / 64
    var others = [UInt64](repeating: 0, count: wordCount)
    for (index, character) in segment.enumerated() where character == anyCharacter {
      others[index / 64] |= 1 << UInt64(index % 64)
    }
    var masks: [UInt32: [UInt64]] = [:]
    for (index, character) in segment.enumerated() where character != anyCharacter {
      masks[character, default: others][index / 64] |= 1 << UInt64(index % 64)
    }
    let last = (word: (segment.count - 1) / 64, bit: UInt64(1) << UInt64((segment.count - 1) % 64))
    var found = [UInt64](repeating: 0, count: wordCount)
    for index in range {
      let mask = masks[text[index]] ?? others
      var carry: UInt64 = 1
      for word in 0..<wordCount {
        let next = found[word] >> 63
        found[word] = (found[word] << 1 | carry) & mask[word]
        carry = next
      }
      if found[last.word] & last.bit != 0 { return index + 1 - segment.count }
    }
    return nil
  }
}
