// SPDX-License-Identifier: Apache-2.0

extension Parser {
  /// Parses a literal or an argument. Returns nil if the current token starts neither.
  mutating func constant() throws(QueryError) -> SyntaxConstant? {
    switch current {
    case .infinity, .notANumber, .float, .timestamp, .link, .typedLink, .trueConstant, .falseConstant, .null:
      return takeLiteral()
    case .base64: return takeBase64()
    case .object: return try object()
    case .binary where kind(ahead: 1) == .leftParenthesis: return try binary()
    case .any, .all, .none:
      guard kind(ahead: 1) == .argument, let quantifier = acceptQuantifier() else { return nil }
      return .argument(takeNumber(after: 1), quantifier)
    default: return primaryKey()
    }
  }

  private mutating func primaryKey() -> SyntaxConstant? {
    switch current {
    case .natural, .number, .uuid, .objectId: takeLiteral()
    case .string: .literal(.string, takeString())
    case .argument: .argument(takeNumber(after: 1), nil)
    default: nil
    }
  }

  private mutating func takeLiteral() -> SyntaxConstant {
    defer { advance() }
    return .literal(current, currentText)
  }

  private mutating func takeBase64() -> SyntaxConstant {
    let text = currentText
    advance()
    return .literal(.base64, String(text.dropFirst(4).dropLast()))
  }

  private mutating func object() throws(QueryError) -> SyntaxConstant {
    advance()
    try expect(.leftParenthesis)
    guard current == .string else { throw unexpected(expecting: "string") }
    let className = takeString()
    try expect(.comma)
    // Base64 and null extend the grammar, so that every key can be written.
    let key: SyntaxConstant? =
      switch current {
      case .base64: takeBase64()
      case .null: takeLiteral()
      default: primaryKey()
      }
    guard let key else { throw unexpected() }
    try expect(.rightParenthesis)
    return .object(className: className, key: key)
  }

  private mutating func binary() throws(QueryError) -> SyntaxConstant {
    advance()
    try expect(.leftParenthesis)
    let content: SyntaxConstant
    switch current {
    case .string: content = .literal(.string, takeString())
    case .base64: content = takeBase64()
    default: throw unexpected(expecting: "string or base64 string")
    }
    try expect(.rightParenthesis)
    return .binary(content)
  }
}
