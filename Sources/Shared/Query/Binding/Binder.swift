// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension ParsedQuery {
  /// Resolves the names of the query in `schema`, along with its constants and arguments.
  ///
  /// - Parameters:
  ///   - schema: The classes that the query may refer to.
  ///   - className: The class whose objects are queried.
  ///   - arguments: The values of `$0`, `$1` … and `$K0` …
  ///   - mapping: Aliases of properties and classes.
  /// - Throws: `QueryError` with the reference's messages (QueryLanguage §3): kind `query` for names and types that
  ///   do not fit, `argument` for arguments.
  public func bind(
    to schema: Schema,
    className: String,
    arguments: [QueryArgument] = [],
    mapping: KeyPathMapping = KeyPathMapping()
  ) throws(QueryError) -> BoundQuery {
    guard schema[className] != nil else { throw .query("The schema has no class '\(className)'") }
    let binder = Binder(
      text: text,
      schema: schema,
      className: className,
      arguments: arguments,
      mapping: mapping
    )
    return BoundQuery(
      className: className,
      predicate: try binder.bind(predicate),
      options: try binder.bind(clauses)
    )
  }
}

/// Binds one parsed query, or the condition of a subquery in it.
struct Binder {
  let text: String
  let schema: Schema
  /// The class whose objects are queried, or that of the subquery's objects.
  var className: String
  let arguments: [QueryArgument]
  let mapping: KeyPathMapping
  /// The variables of the enclosing subqueries, each with the class of its objects.
  var variables: [Variable] = []

  struct Variable: Hashable {
    let name: String
    let className: String
  }

  func bind(_ syntax: SyntaxPredicate) throws(QueryError) -> Predicate {
    switch syntax {
    case .always: return .always
    case .never: return .never
    case .and(let conditions): return .all(try bind(conditions))
    case .or(let conditions): return .any(try bind(conditions))
    case .not(let condition): return .not(try bind(condition))
    case .comparison(let comparison): return .comparison(try bind(comparison))
    case .between(let expression, let limits): return try bindBetween(expression, limits)
    case .geoWithin(let path, let geometry): return .geoWithin(try bind(path, within: geometry))
    }
  }

  private func bind(_ conditions: [SyntaxPredicate]) throws(QueryError) -> [Predicate] {
    try conditions.map { condition throws(QueryError) in try bind(condition) }
  }

  private func bindBetween(
    _ expression: SyntaxExpression,
    _ limits: SyntaxList
  ) throws(QueryError) -> Predicate {
    guard limits.elements.count == 2 else {
      throw .query("Operator 'BETWEEN' requires list with 2 elements.")
    }
    guard !expression.isConstant else { throw .query("Cannot compare two constants") }
    if case .path(let path) = try operand(expression), path.isInPrimitiveCollection, path.quantifier != .all {
      throw .query("Only 'ALL' supported for operator 'BETWEEN' when applied to lists.")
    }
    let lower = SyntaxComparison(
      left: expression,
      operator: .greaterOrEqual,
      ignoresCase: false,
      right: .constant(limits.elements[0])
    )
    let upper = SyntaxComparison(
      left: expression,
      operator: .lessOrEqual,
      ignoresCase: false,
      right: .constant(limits.elements[1])
    )
    return .all([.comparison(try bind(lower)), .comparison(try bind(upper))])
  }

  /// Returns the argument at an index.
  func argument(at index: Int) throws(QueryError) -> QueryArgument {
    let count = arguments.count
    if index < count { return arguments[index] }
    guard count > 0 else {
      throw .argument("Request for argument at index \(index) but no arguments are provided")
    }
    let provided = count == 1 ? "1 argument is" : "\(count) arguments are"
    throw .argument("Request for argument at index \(index) but only \(provided) provided")
  }
}

extension SyntaxExpression {
  /// Whether the expression has a value that does not depend on an object.
  var isConstant: Bool {
    switch self {
    case .constant, .list: true
    case .path, .aggregate, .subquery: false
    case .arithmetic(_, let left, let right): left.isConstant && right.isConstant
    }
  }
}
