// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// One side of a comparison.
public indirect enum Operand: Hashable, Sendable {
  case constant(Value)
  /// `{a, b}`. Without a quantifier, a comparison with a collection of primitives compares the entire lists in order.
  /// In all other places, no quantifier means ANY.
  case list([Value], Quantifier?)
  case path(PropertyPath)
  /// A number, or a time for timestamps, computed over a collection.
  case aggregate(Aggregate)
  /// The number of objects in a collection that meet a condition, as an int.
  case subquery(Subquery)
  /// The result for two operands, at least one of which is not a constant. Null if either is null or not a number.
  case arithmetic(ArithmeticOperator, Operand, Operand)
}

/// `@min`, `@max`, `@sum` or `@avg` (QueryLanguage §6). Nulls are skipped. Without any values `@sum` is 0 and the
/// others are null.
public struct Aggregate: Hashable, Sendable {
  /// The path to the collection, without a quantifier.
  public var path: PropertyPath
  public var function: AggregateFunction
  /// The property of the class that the links at the end of the path lead to; nil for a collection of primitives.
  public var property: PropertySchema?

  public init(_ function: AggregateFunction, over path: PropertyPath) {
    self.function = function
    self.path = path
  }

  /// The type of the aggregated elements.
  public var elementType: ValueType { property?.type ?? path.type }

  /// The type of the result. Averages of integers and floats are doubles.
  public var type: ValueType {
    switch (function, elementType) {
    case (.average, .int), (.average, .float): .double
    case (.sum, .float): .double
    default: elementType
    }
  }
}

/// `SUBQUERY(path, $x, predicate).@count`.
public struct Subquery: Hashable, Sendable {
  /// A path that ends in a list of links or in backlinks, without a quantifier.
  public var path: PropertyPath
  /// The class of the objects at the end of the path.
  public var className: String
  /// The condition on those objects.
  public var predicate: Predicate
}

extension Operand {
  /// Calls `body` for every operand that is not arithmetic, from left to right, excluding those inside subqueries.
  func forEachTerm<Failure: Error>(_ body: (Operand) throws(Failure) -> Void) throws(Failure) {
    guard case .arithmetic(_, let left, let right) = self else { return try body(self) }
    try left.forEachTerm(body)
    try right.forEachTerm(body)
  }

  /// Calls `body` for every path that starts at the queried class, from left to right.
  public func forEachPath<Failure: Error>(_ body: (PropertyPath) throws(Failure) -> Void) throws(Failure) {
    try forEachTerm { (term) throws(Failure) in
      switch term {
      case .path(let path): try body(path)
      case .aggregate(let aggregate): try body(aggregate.path)
      case .subquery(let subquery): try body(subquery.path)
      case .constant, .list, .arithmetic: break
      }
    }
  }
}
