// SPDX-License-Identifier: Apache-2.0

extension Parser {
  /// Parses `expr` of the grammar, or a condition in parentheses. Operators of equal precedence are left-associative.
  ///
  /// - Parameter precedence: The lowest precedence to parse. Operators that bind less tightly are left to the caller.
  mutating func expression(from precedence: Int = 1) throws(QueryError) -> Node {
    try arithmetic(on: try primary(), from: precedence)
  }

  /// Parses the rest of an expression after its first operand. It is separate from `expression(from:)` so that its
  /// variables do not occupy the stack once per open parenthesis.
  private mutating func arithmetic(on first: Node, from precedence: Int) throws(QueryError) -> Node {
    var node = first
    let depthBefore = depth
    defer { depth = depthBefore }
    while let symbol = current.arithmeticOperator, symbol.precedence >= precedence,
      case .expression(let left, _) = node
    {
      advance()
      try enter()
      guard case .expression(let right, _) = try expression(from: symbol.precedence + 1) else {
        throw unexpected()
      }
      node = .expression(.arithmetic(symbol, left, right), isValue: false)
    }
    return node
  }

  private mutating func primary() throws(QueryError) -> Node {
    guard accept(.leftParenthesis) else { return .expression(try value(), isValue: true) }
    try enter()
    defer { depth -= 1 }
    let inner = try disjunction()
    try expect(.rightParenthesis)
    if case .expression(let expression, _) = inner { return .expression(expression, isValue: false) }
    return inner
  }

  /// Parses `value` of the grammar.
  mutating func value() throws(QueryError) -> SyntaxExpression {
    if current == .subquery { return try subquery() }
    if current == .leftBrace { return .list(try list()) }
    if let quantifier = acceptQuantifier() {
      if current == .leftBrace { return .list(try list(quantifier)) }
      if current == .argument { return .constant(.argument(takeNumber(after: 1), quantifier)) }
      return .path(try measuredPath(quantifier))
    }
    if let constant = try constant() { return .constant(constant) }
    let start = try path()
    guard current == .dot, let function = kind(ahead: 1).aggregateFunction else {
      return .path(try measured(start))
    }
    advance()
    advance()
    let property = accept(.dot) ? try identifier() : nil
    return .aggregate(start, function, of: property)
  }

  private mutating func measuredPath(_ quantifier: Quantifier) throws(QueryError) -> SyntaxPath {
    var path = try path()
    path.quantifier = quantifier
    return try measured(path)
  }

  private mutating func measured(_ start: SyntaxPath) throws(QueryError) -> SyntaxPath {
    var path = start
    if current == .dot, kind(ahead: 1) == .size || kind(ahead: 1) == .type {
      path.measure = kind(ahead: 1) == .size ? .size : .type
      advance()
      advance()
    } else if current == .leftBracket, kind(ahead: 1) == .sizeIndex {
      advance()
      advance()
      try expect(.rightBracket)
      path.measure = .size
    }
    return path
  }

  private mutating func subquery() throws(QueryError) -> SyntaxExpression {
    // A subquery uses as much stack as three parentheses.
    try enter(levels: 3)
    defer { depth -= 3 }
    advance()
    try expect(.leftParenthesis)
    let collection = try path()
    try expect(.comma)
    let variablePosition = tokens[index].range.lowerBound
    let variable = try subqueryVariable()
    try expect(.comma)
    let predicate = try condition()
    for sign in [Token.Kind.rightParenthesis, .dot, .size] { try expect(sign) }
    guard variable.utf8.first == UInt8(ascii: "$"), variable.utf8.count > 1 else {
      throw .syntax(
        text,
        "The subquery variable '\(variable)' is invalid. It must start with '$' and have a name, as in '$x'",
        position: variablePosition
      )
    }
    return .subquery(collection, variable: variable, predicate)
  }

  private mutating func subqueryVariable() throws(QueryError) -> String {
    guard current.mayBeIdentifier else { throw unexpected(expecting: "identifier") }
    return try identifier()
  }

  mutating func list(_ given: Quantifier? = nil) throws(QueryError) -> SyntaxList {
    let quantifier = given ?? acceptQuantifier()
    try expect(.leftBrace)
    var elements: [SyntaxConstant] = []
    if current == .rightBrace {
      advance()
      return SyntaxList(quantifier: quantifier, elements: [])
    }
    // A comma before the first element is accepted, as in the reference.
    _ = accept(.comma)
    repeat {
      guard let element = try constant() else { throw unexpected() }
      elements.append(element)
    } while accept(.comma)
    guard accept(.rightBrace) else { throw unexpected(expecting: "',' or '}'") }
    return SyntaxList(quantifier: quantifier, elements: elements)
  }

  mutating func acceptQuantifier() -> Quantifier? {
    if accept(.any) { return .any }
    if accept(.all) { return .all }
    return accept(.none) ? Quantifier.none : nil
  }

  func kind(ahead distance: Int) -> Token.Kind {
    index + distance < tokens.count ? tokens[index + distance].kind : .end
  }
}

extension ArithmeticOperator {
  fileprivate var precedence: Int {
    switch self {
    case .add, .subtract: 1
    case .multiply, .divide: 2
    }
  }
}
