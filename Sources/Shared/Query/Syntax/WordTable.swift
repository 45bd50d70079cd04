// SPDX-License-Identifier: Apache-2.0

/// A word of up to 16 bytes packed into a number, to find keywords without creating strings.
struct PackedWord: Comparable {
  private let bits: UInt128

  private init(bits: UInt128) {
    self.bits = bits
  }

  /// Returns nil for longer words, which cannot be keywords.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count <= 16 else { return nil }
    bits = bytes.reduce(0) { $0 << 8 | UInt128($1) }
  }

  init(_ word: StaticString) {
    bits = word.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt128($1) } }
  }

  /// The word with its letters in lower case.
  var lowercased: PackedWord {
    var (rest, result, shift) = (bits, UInt128(0), UInt128(0))
    while rest != 0 {
      let byte = UInt8(truncatingIfNeeded: rest)
      result |= UInt128(byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte) << shift
      rest >>= 8
      shift += 8
    }
    return PackedWord(bits: result)
  }

  static func < (left: PackedWord, right: PackedWord) -> Bool { left.bits < right.bits }
}

/// A table of keywords, searched by binary search.
struct WordTable {
  private let entries: [(word: PackedWord, kind: Token.Kind)]

  init(_ words: KeyValuePairs<StaticString, Token.Kind>) {
    entries = words.map { (PackedWord($0.key), $0.value) }.sorted { $0.word < $1.word }
  }

  func kind(of word: PackedWord) -> Token.Kind? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].word < word { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && entries[low].word == word ? entries[low].kind : nil
  }

  static let exact = WordTable(Token.exactWords)
  static let ofAnyCase = WordTable(Token.wordsOfAnyCase)
}
