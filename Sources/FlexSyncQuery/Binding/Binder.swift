// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension ParsedQuery {
  /// Gives the names of the query their meaning in `schema`, and resolves its constants and arguments.
  ///
  /// - Parameters:
  ///   - schema: The classes that the query may refer to.
  ///   - className: The class whose objects are queried.
  ///   - arguments: The values of `$0`, `$1` …
  /// - Throws: `QueryError` with the reference's words (rql §3): kind `query` for names and types that do not fit,
  ///   `argument` for arguments, `unsupported` for constructs that this version cannot bind.
  public func bind(
    to schema: Schema,
    className: String,
    arguments: [QueryArgument] = []
  ) throws(QueryError) -> BoundQuery {
    guard schema[className] != nil else { throw .query("The schema has no class '\(className)'") }
    let binder = Binder(text: text, schema: schema, className: className, arguments: arguments)
    return BoundQuery(
      className: className,
      predicate: try binder.bind(predicate),
      options: try binder.bind(clauses)
    )
  }
}

/// Binds one parsed query.
struct Binder {
  let text: String
  let schema: Schema
  let className: String
  let arguments: [QueryArgument]

  func bind(_ syntax: SyntaxPredicate) throws(QueryError) -> Predicate {
    switch syntax {
    case .always: return .always
    case .never: return .never
    case .and(let conditions): return .all(try bind(conditions))
    case .or(let conditions): return .any(try bind(conditions))
    case .not(let condition): return .not(try bind(condition))
    case .comparison(let comparison): return .comparison(try bind(comparison))
    case .between(let expression, let limits): return try bindBetween(expression, limits)
    case .geoWithin: throw .unsupported("GEOWITHIN")
    }
  }

  private func bind(_ conditions: [SyntaxPredicate]) throws(QueryError) -> [Predicate] {
    var bound: [Predicate] = []
    for condition in conditions { bound.append(try bind(condition)) }
    return bound
  }

  private func bindBetween(
    _ expression: SyntaxExpression,
    _ limits: SyntaxList
  ) throws(QueryError) -> Predicate {
    guard limits.elements.count == 2 else {
      throw .query("Operator 'BETWEEN' requires list with 2 elements.")
    }
    if case .path(let path) = try operand(expression), path.isCollectionOfValues, path.quantifier != .all {
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

  /// An operand that is no constant.
  func operand(_ expression: SyntaxExpression) throws(QueryError) -> Operand {
    switch expression {
    case .path(let path): return .path(try resolve(path))
    case .aggregate(_, let function, _): throw .unsupported("The aggregate \(function.rawValue)")
    case .subquery: throw .unsupported("SUBQUERY")
    case .arithmetic(let symbol, _, _): throw .unsupported("Arithmetic with '\(symbol.rawValue)'")
    case .constant, .list: throw .query("Cannot compare two constants")
    }
  }
}

extension SyntaxExpression {
  /// Whether the expression has a value without any object.
  var isConstant: Bool {
    switch self {
    case .constant, .list: true
    case .path, .aggregate, .subquery: false
    case .arithmetic(_, let left, let right): left.isConstant && right.isConstant
    }
  }
}
