// SPDX-License-Identifier: Apache-2.0

/// Splits a query text into tokens. The longest match wins (QueryLanguage §1).
struct Lexer {
  let text: String
  let bytes: [UInt8]
  /// Whether `[d]` and `[cd]` are tokens.
  let allowsDiacritics: Bool
  var position = 0

  init(_ text: String, allowsDiacritics: Bool = false) {
    self.text = text
    self.allowsDiacritics = allowsDiacritics
    bytes = Array(text.utf8)
  }

  /// Returns all tokens. The last one is of kind `end`.
  static func tokens(of text: String) throws(QueryError) -> [Token] {
    var lexer = Lexer(text)
    return try lexer.tokens()
  }

  mutating func tokens() throws(QueryError) -> [Token] {
    var tokens: [Token] = []
    tokens.reserveCapacity(bytes.count / 4 + 2)
    while true {
      let token = try next()
      tokens.append(token)
      if token.kind == .end { return tokens }
    }
  }

  private mutating func next() throws(QueryError) -> Token {
    while let byte = byte(at: position), Self.isBlank(byte) { position += 1 }
    let start = position
    guard let first = byte(at: start) else { return Token(kind: .end, range: start..<start) }
    guard let match = match(first, at: start) else { throw invalidCharacter(at: start) }
    position = match.end
    return Token(kind: match.kind, range: start..<match.end)
  }

  /// A kind of token and the offset after its last byte.
  typealias Match = (kind: Token.Kind, end: Int)

  private func match(_ first: UInt8, at start: Int) -> Match? {
    if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") { return string(at: start, quote: first) }
    if Self.isIdentifierStart(first) { return word(at: start) }
    if let match = numeric(at: start) { return match }
    if first == UInt8(ascii: "#") { return escapedName(at: start) }
    if first == UInt8(ascii: "@") { return collectionWord(at: start) }
    return sign(first, at: start)
  }

  private func sign(_ first: UInt8, at start: Int) -> Match? {
    if starts(at: start, with: "[c]") { return (.caseInsensitive, start + 3) }
    if allowsDiacritics {
      if starts(at: start, with: "[d]") { return (.diacriticInsensitive, start + 3) }
      if starts(at: start, with: "[cd]") { return (.caseAndDiacriticInsensitive, start + 4) }
    }
    if let second = byte(at: start + 1), let kind = Self.sign(first, second) { return (kind, start + 2) }
    guard let kind = Self.sign(first) else { return nil }
    return (kind, start + 1)
  }

  private func string(at start: Int, quote: UInt8) -> Match? {
    var index = start + 1
    while let byte = byte(at: index) {
      if byte == quote { return (.string, index + 1) }
      guard byte == UInt8(ascii: "\\") else {
        index += 1
        continue
      }
      guard let escape = escapeLength(at: index) else { return nil }
      index += escape
    }
    return nil
  }

  /// Matches a name that follows `#`, as an identifier, in quotes or in Base64. It is a name even if it is a word of the
  /// language or has characters that identifiers cannot have (QueryLanguage §1, "Identifiers").
  private func escapedName(at start: Int) -> Match? {
    guard let first = byte(at: start + 1) else { return nil }
    if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
      return string(at: start + 1, quote: first).map { (.identifier, $0.end) }
    }
    if starts(at: start + 1, with: "B64\"") { return base64(at: start + 1).map { (.identifier, $0.end) } }
    return Self.isIdentifierStart(first) ? (.identifier, identifierEnd(at: start + 1)) : nil
  }

  private func escapeLength(at index: Int) -> Int? {
    guard let byte = byte(at: index + 1) else { return nil }
    if byte == UInt8(ascii: "u") { return hexCount(at: index + 2, atMost: 4) == 4 ? 6 : nil }
    return "\"'/bfnrt0\\".utf8.contains(byte) ? 2 : nil
  }

  private func collectionWord(at start: Int) -> Match? {
    var end = start + 1
    while end - start < Self.longestCollectionWord, let byte = byte(at: end), Self.isLetter(byte) { end += 1 }
    while end > start + 1 {
      if let kind = Token.collectionWords[slice(start..<end)] { return (kind, end) }
      end -= 1
    }
    return nil
  }

  private static let longestCollectionWord = "@values".utf8.count

  private func invalidCharacter(at start: Int) -> QueryError {
    var end = start + 1
    while let byte = byte(at: end), byte & 0xC0 == 0x80 { end += 1 }
    return .syntax(text, "invalid character: \(slice(start..<end))", position: start)
  }
}

extension Lexer {
  func byte(at index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

  func slice(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  func starts(at index: Int, with prefix: StaticString) -> Bool {
    prefix.withUTF8Buffer { prefix in
      guard index + prefix.count <= bytes.count else { return false }
      for offset in 0..<prefix.count where bytes[index + offset] != prefix[offset] { return false }
      return true
    }
  }

  /// Returns the number of decimal digits at an index.
  func digitCount(at index: Int) -> Int {
    var end = index
    while let byte = byte(at: end), Self.isDigit(byte) { end += 1 }
    return end - index
  }

  /// Returns the number of hexadecimal digits at an index.
  func hexCount(at index: Int, atMost limit: Int = .max) -> Int {
    var count = 0
    while count < limit, let byte = byte(at: index + count), Self.isHexDigit(byte) { count += 1 }
    return count
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }

  static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

  static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 6 }

  /// Whether an identifier may start with the byte: letters, the underscore, the dollar sign and all non-ASCII
  /// characters.
  static func isIdentifierStart(_ byte: UInt8) -> Bool {
    isLetter(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$") || byte >= 0x80
  }

  private static func sign(_ byte: UInt8) -> Token.Kind? {
    switch byte {
    case UInt8(ascii: "+"): .plus
    case UInt8(ascii: "-"): .minus
    case UInt8(ascii: "*"): .star
    case UInt8(ascii: "/"): .slash
    case UInt8(ascii: "["): .leftBracket
    case UInt8(ascii: "]"): .rightBracket
    case UInt8(ascii: "("): .leftParenthesis
    case UInt8(ascii: ")"): .rightParenthesis
    case UInt8(ascii: "{"): .leftBrace
    case UInt8(ascii: "}"): .rightBrace
    case UInt8(ascii: ","): .comma
    case UInt8(ascii: "."): .dot
    case UInt8(ascii: "="): .equal
    case UInt8(ascii: "<"): .less
    case UInt8(ascii: ">"): .greater
    case UInt8(ascii: "!"): .not
    default: nil
    }
  }

  private static func sign(_ first: UInt8, _ second: UInt8) -> Token.Kind? {
    let (equal, less, greater) = (UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">"))
    return switch (first, second) {
    case (equal, equal): .equal
    case (UInt8(ascii: "!"), equal), (less, greater): .notEqual
    case (less, equal), (equal, less): .lessOrEqual
    case (greater, equal), (equal, greater): .greaterOrEqual
    case (UInt8(ascii: "&"), UInt8(ascii: "&")): .and
    case (UInt8(ascii: "|"), UInt8(ascii: "|")): .or
    default: nil
    }
  }
}
