// SPDX-License-Identifier: Apache-2.0

extension Lexer {
  /// Matches a keyword, an identifier, or one of the literals that start with a letter.
  func word(at start: Int) -> Match {
    let end = identifierEnd(at: start)
    if let literal = literalWithSigns(at: start), literal.end > end { return literal }
    if let word = PackedWord(bytes[start..<end]) {
      if let kind = WordTable.exact.kind(of: word) { return (kind, end) }
      if let kind = WordTable.ofAnyCase.kind(of: word.lowercased) { return (kind, end) }
    }
    return (numberedWord(start..<end) ?? .identifier, end)
  }

  func identifierEnd(at start: Int) -> Int {
    var index = start + 1
    while let byte = byte(at: index) {
      if Self.isIdentifierStart(byte) || Self.isDigit(byte) || byte == UInt8(ascii: "-") {
        index += 1
      } else if byte == UInt8(ascii: "\\"), let next = self.byte(at: index + 1), " nrt".utf8.contains(next) {
        index += 2
      } else {
        break
      }
    }
    return index
  }

  /// Matches `O12`, `$0` and `$K0`.
  private func numberedWord(_ range: Range<Int>) -> Token.Kind? {
    switch bytes[range.lowerBound] {
    case UInt8(ascii: "O"): return endsInDigits(range, after: 1) ? .link : nil
    case UInt8(ascii: "$"):
      if byte(at: range.lowerBound + 1) == UInt8(ascii: "K") {
        return endsInDigits(range, after: 2) ? .keyPathArgument : nil
      }
      return endsInDigits(range, after: 1) ? .argument : nil
    default: return nil
    }
  }

  private func endsInDigits(_ range: Range<Int>, after count: Int) -> Bool {
    let digits = range.lowerBound + count
    return digits < range.upperBound && digits + digitCount(at: digits) == range.upperBound
  }

  private func literalWithSigns(at start: Int) -> Match? {
    switch bytes[start] {
    case UInt8(ascii: "B") where starts(at: start, with: "B64\""): base64(at: start)
    case UInt8(ascii: "u") where starts(at: start, with: "uuid("):
      identifierLiteral(at: start + 5, groups: [8, 4, 4, 4, 12], .uuid)
    case UInt8(ascii: "o") where starts(at: start, with: "oid("):
      identifierLiteral(at: start + 4, groups: [24], .objectId)
    case UInt8(ascii: "T"): secondsAndNanoseconds(at: start + 1)
    case UInt8(ascii: "L"): typedLink(at: start + 1)
    default: nil
    }
  }

  func base64(at start: Int) -> Match? {
    var index = start + 4
    while let byte = byte(at: index), Self.isLetter(byte) || Self.isDigit(byte) || "/+=".utf8.contains(byte) {
      index += 1
    }
    return byte(at: index) == UInt8(ascii: "\"") ? (.base64, index + 1) : nil
  }

  private func identifierLiteral(at start: Int, groups: [Int], _ kind: Token.Kind) -> Match? {
    var index = start
    for (number, count) in groups.enumerated() {
      if number > 0 {
        guard byte(at: index) == UInt8(ascii: "-") else { return nil }
        index += 1
      }
      guard hexCount(at: index, atMost: count) == count else { return nil }
      index += count
    }
    return byte(at: index) == UInt8(ascii: ")") ? (kind, index + 1) : nil
  }

  private func secondsAndNanoseconds(at start: Int) -> Match? {
    guard let colon = signedEnd(at: start), byte(at: colon) == UInt8(ascii: ":"),
      let end = signedEnd(at: colon + 1)
    else { return nil }
    return (.timestamp, end)
  }

  private func typedLink(at start: Int) -> Match? {
    let table = digitCount(at: start)
    guard table > 0, byte(at: start + table) == UInt8(ascii: ":") else { return nil }
    let key = digitCount(at: start + table + 1)
    return key > 0 ? (.typedLink, start + table + 1 + key) : nil
  }

  private func signedEnd(at start: Int) -> Int? {
    let digits = start + signLength(at: start)
    let count = digitCount(at: digits)
    return count > 0 ? digits + count : nil
  }

  func signLength(at index: Int) -> Int {
    byte(at: index) == UInt8(ascii: "+") || byte(at: index) == UInt8(ascii: "-") ? 1 : 0
  }

  /// Returns the word with its ASCII letters in lower case. Keywords contain no other letters.
  static func lowercasedASCII(_ word: String) -> String {
    String(decoding: word.utf8.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
