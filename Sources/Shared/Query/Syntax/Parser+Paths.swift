// SPDX-License-Identifier: Apache-2.0

extension Parser {
  /// Parses a text that consists of a key path only, and returns its elements.
  static func keyPath(_ text: String) throws(QueryError) -> [SyntaxPath.Element] {
    guard text.utf8.count <= Query.maximumByteCount else {
      throw QueryError(.limit, "The key path is too long: \(text.utf8.count) bytes")
    }
    var parser = try Parser(text)
    parser.readsKeyPath = true
    let path = try parser.path()
    guard parser.current == .end else { throw parser.unexpected(expecting: "end of file") }
    return path.elements
  }

  /// Parses a key path without its quantifier and measure.
  mutating func path() throws(QueryError) -> SyntaxPath {
    var elements: [SyntaxPath.Element] = []
    if current == .keyPathArgument {
      elements.append(.keyPathArgument(takeNumber(after: 2)))
    } else {
      elements.append(.name(try identifier()))
    }
    while let element = try nextElement() { elements.append(element) }
    return SyntaxPath(quantifier: nil, elements: elements)
  }

  private mutating func nextElement() throws(QueryError) -> SyntaxPath.Element? {
    if current == .dot {
      guard !kind(ahead: 1).isMeasure else { return nil }
      advance()
      return .name(try identifier())
    }
    guard current == .leftBracket, kind(ahead: 1) != .sizeIndex else { return nil }
    advance()
    let element = try subscriptElement()
    try expect(.rightBracket)
    return element
  }

  private mutating func subscriptElement() throws(QueryError) -> SyntaxPath.Element {
    switch current {
    case .natural: return .index(takeNumber(after: 0))
    case .first:
      advance()
      return .index(0)
    case .last:
      advance()
      return .last
    case .star:
      advance()
      return .every
    case .string: return .key(takeString())
    case .argument: return .argument(takeNumber(after: 1))
    default: throw unexpected()
    }
  }

  /// Parses a property name and resolves its escapes. In a text that is a key path only, every word is a name.
  mutating func identifier() throws(QueryError) -> String {
    guard current.mayBeIdentifier || readsKeyPath && Identifier.isWord(bytes[tokens[index].range]) else {
      throw unexpected()
    }
    let name = try Identifier.name(currentText)
    advance()
    return name
  }

  /// Consumes a number after `prefix` characters of the current token. A number beyond the range of an index becomes
  /// the largest index.
  mutating func takeNumber(after prefix: Int) -> Int {
    let digits = currentText.dropFirst(prefix)
    advance()
    return Int(digits) ?? Int.max
  }

  /// Consumes the current string and returns it without its quotes. Escapes are left as they are (QueryLanguage §1).
  mutating func takeString() -> String {
    let range = tokens[index].range
    advance()
    return String(decoding: bytes[range.lowerBound + 1..<range.upperBound - 1], as: UTF8.self)
  }
}
