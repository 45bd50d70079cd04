// SPDX-License-Identifier: Apache-2.0

/// Parses the tokens of a query into its syntax tree by recursive descent.
///
/// A parenthesis may contain a condition or an expression, and only the tokens after it decide which. The same
/// functions therefore parse both into a `Node`, and each caller decides which of the two it accepts.
struct Parser {
  let text: String
  let bytes: [UInt8]
  let tokens: [Token]
  let allowsSignedCoordinates: Bool
  /// Whether the text is a key path and nothing else, so that words of the language can only be names.
  var readsKeyPath = false
  var index = 0
  /// The number of open parentheses, negations, subqueries and chained arithmetic, all of which use stack.
  var depth = 0

  /// The maximum value of `depth`. It keeps the recursion within half a megabyte of stack, the size available on
  /// secondary threads. It is more than twice the depth of a syntax tree, because canonical texts use up to two
  /// parentheses where other texts use one.
  static let maximumDepth = 2 * SyntaxDepth.maximum + 10

  init(
    _ text: String,
    allowsSignedCoordinates: Bool = false,
    allowsDiacritics: Bool = false
  ) throws(QueryError) {
    self.text = text
    self.allowsSignedCoordinates = allowsSignedCoordinates
    var lexer = Lexer(text, allowsDiacritics: allowsDiacritics)
    bytes = lexer.bytes
    tokens = try lexer.tokens()
  }

  /// A condition or an expression.
  enum Node {
    case predicate(SyntaxPredicate)
    /// `isValue` is false for parentheses and arithmetic, which the string operators do not support.
    case expression(SyntaxExpression, isValue: Bool)
  }

  /// Parses the entire text.
  mutating func query() throws(QueryError) -> (SyntaxPredicate, [SyntaxClause]) {
    let predicate = try condition()
    var clauses: [SyntaxClause] = []
    while current != .end { clauses.append(try clause()) }
    return (predicate, clauses)
  }

  mutating func condition() throws(QueryError) -> SyntaxPredicate {
    guard case .predicate(let predicate) = try disjunction() else { throw unexpected() }
    return predicate
  }

  mutating func disjunction() throws(QueryError) -> Node {
    let first = try conjunction()
    guard current == .or, case .predicate(let predicate) = first else { return first }
    var operands = [predicate]
    while accept(.or) {
      guard case .predicate(let next) = try conjunction() else { throw unexpected() }
      operands.append(next)
    }
    return .predicate(.or(operands))
  }

  private mutating func conjunction() throws(QueryError) -> Node {
    let first = try negation()
    guard current == .and, case .predicate(let predicate) = first else { return first }
    var operands = [predicate]
    while accept(.and) {
      guard case .predicate(let next) = try negation() else { throw unexpected() }
      operands.append(next)
    }
    return .predicate(.and(operands))
  }

  /// Parses NOT, which binds tighter than AND: it applies to the single comparison or parenthesis that follows.
  private mutating func negation() throws(QueryError) -> Node {
    guard accept(.not) else { return try comparison() }
    try enter()
    defer { depth -= 1 }
    guard case .predicate(let predicate) = try negation() else { throw unexpected() }
    return .predicate(.not(predicate))
  }

  private mutating func comparison() throws(QueryError) -> Node {
    if accept(.truePredicate) { return .predicate(.always) }
    if accept(.falsePredicate) { return .predicate(.never) }
    return try comparison(of: try expression())
  }

  /// Parses the rest of a comparison after its left side. It is separate from `comparison()` so that its variables do
  /// not occupy the stack once per open parenthesis.
  private mutating func comparison(of node: Node) throws(QueryError) -> Node {
    guard case .expression(let left, let isValue) = node else { return node }
    if let symmetric = current.expressionOperator {
      return .predicate(try comparison(left, symmetric, allowsIgnoringCase: symmetric.allowsIgnoringCase))
    }
    guard isValue else { return node }
    if let stringOperator = current.stringOperator {
      return .predicate(try stringComparison(left, stringOperator))
    }
    if accept(.between) { return .predicate(.between(left, try list())) }
    if current == .geoWithin, case .path(let path) = left {
      advance()
      return .predicate(.geoWithin(path, try geometry()))
    }
    return node
  }

  private mutating func comparison(
    _ left: SyntaxExpression,
    _ symbol: SyntaxComparison.Operator,
    allowsIgnoringCase: Bool
  ) throws(QueryError) -> SyntaxPredicate {
    advance()
    let options = allowsIgnoringCase ? textOptions() : (ignoresCase: false, ignoresDiacritics: false)
    guard case .expression(let right, _) = try expression() else { throw unexpected() }
    return comparison(left, symbol, options, right)
  }

  private mutating func stringComparison(
    _ left: SyntaxExpression,
    _ symbol: SyntaxComparison.Operator
  ) throws(QueryError) -> SyntaxPredicate {
    advance()
    let options = symbol == .text ? (ignoresCase: false, ignoresDiacritics: false) : textOptions()
    return comparison(left, symbol, options, try value())
  }

  /// What an operator does not distinguish.
  typealias TextOptions = (ignoresCase: Bool, ignoresDiacritics: Bool)

  private mutating func textOptions() -> TextOptions {
    if accept(.caseAndDiacriticInsensitive) { return (true, true) }
    if accept(.diacriticInsensitive) { return (false, true) }
    return (accept(.caseInsensitive), false)
  }

  private func comparison(
    _ left: SyntaxExpression,
    _ symbol: SyntaxComparison.Operator,
    _ options: TextOptions,
    _ right: SyntaxExpression
  ) -> SyntaxPredicate {
    .comparison(
      SyntaxComparison(
        left: left,
        operator: symbol,
        ignoresCase: options.ignoresCase,
        ignoresDiacritics: options.ignoresDiacritics,
        right: right
      )
    )
  }
}

extension SyntaxComparison.Operator {
  fileprivate var allowsIgnoringCase: Bool { self == .equal || self == .notEqual || self == .membership }
}

extension Parser {
  var current: Token.Kind { tokens[index].kind }

  /// The text of the current token.
  var currentText: String { String(decoding: bytes[tokens[index].range], as: UTF8.self) }

  mutating func advance() {
    if current != .end { index += 1 }
  }

  mutating func accept(_ kind: Token.Kind) -> Bool {
    guard current == kind else { return false }
    advance()
    return true
  }

  mutating func expect(_ kind: Token.Kind) throws(QueryError) {
    guard accept(kind) else { throw unexpected(expecting: kind.name) }
  }

  mutating func enter(levels: Int = 1) throws(QueryError) {
    depth += levels
    if depth > Self.maximumDepth { throw SyntaxDepth.error(position: tokens[index].range.lowerBound) }
  }

  func unexpected(expecting expected: String? = nil) -> QueryError {
    let detail = "syntax error, unexpected \(current.name)" + (expected.map { ", expecting \($0)" } ?? "")
    return .syntax(text, detail, position: tokens[index].range.lowerBound)
  }
}
