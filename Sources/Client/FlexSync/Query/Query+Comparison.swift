// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Query {
  func compared(_ symbol: String, _ value: any RealmCollectionValue) -> Query<Bool> {
    Query<Bool>(.comparison(node, symbol, .constant(value)))
  }

  func compared(_ symbol: String, _ other: QueryNode) -> Query<Bool> {
    Query<Bool>(.comparison(node, symbol, other))
  }

  func isIn(_ values: some Sequence<any RealmCollectionValue>) -> Query<Bool> {
    Query<Bool>(.comparison(node, "IN", .constants(Array(values))))
  }
}

extension Query where T: RealmCollectionValue {
  public static func == (left: Query, right: T) -> Query<Bool> { left.compared("==", right) }
  public static func != (left: Query, right: T) -> Query<Bool> { left.compared("!=", right) }
  public static func == (left: Query, right: Query) -> Query<Bool> { left.compared("==", right.node) }
  public static func != (left: Query, right: Query) -> Query<Bool> { left.compared("!=", right.node) }

  /// Whether the property equals any of the values.
  public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool> where Values.Element == T {
    isIn(values.map { $0 })
  }
}

/// A type whose values are ordered in queries.
public protocol _QueryOrdered: RealmCollectionValue {}

extension String: _QueryOrdered {}
extension Date: _QueryOrdered {}
extension ObjectId: _QueryOrdered {}
extension UUID: _QueryOrdered {}
extension Optional: _QueryOrdered where Wrapped: _QueryOrdered {}

extension Query where T: _QueryOrdered {
  public static func > (left: Query, right: T) -> Query<Bool> { left.compared(">", right) }
  public static func >= (left: Query, right: T) -> Query<Bool> { left.compared(">=", right) }
  public static func < (left: Query, right: T) -> Query<Bool> { left.compared("<", right) }
  public static func <= (left: Query, right: T) -> Query<Bool> { left.compared("<=", right) }
  public static func > (left: Query, right: Query) -> Query<Bool> { left.compared(">", right.node) }
  public static func >= (left: Query, right: Query) -> Query<Bool> { left.compared(">=", right.node) }
  public static func < (left: Query, right: Query) -> Query<Bool> { left.compared("<", right.node) }
  public static func <= (left: Query, right: Query) -> Query<Bool> { left.compared("<=", right.node) }
}

extension Query where T: _QueryOrdered & Comparable {
  /// Whether the value lies in the range, both ends included.
  public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
    Query<Bool>(.between(node, range.lowerBound, range.upperBound))
  }

  /// Whether the value lies in the range, the upper end excluded.
  public func contains(_ range: Range<T>) -> Query<Bool> {
    (self >= range.lowerBound) && (self < range.upperBound)
  }
}

extension Query {
  /// Whether the value is not null and lies in the range, both ends included.
  public func contains<Wrapped: _QueryOrdered & Comparable>(_ range: ClosedRange<Wrapped>) -> Query<Bool>
  where T == Wrapped? {
    Query<Bool>(.between(node, range.lowerBound, range.upperBound))
  }

  /// Whether the value is not null and lies in the range, the upper end excluded.
  public func contains<Wrapped: _QueryOrdered & Comparable>(_ range: Range<Wrapped>) -> Query<Bool>
  where T == Wrapped? {
    compared(">=", range.lowerBound) && compared("<", range.upperBound)
  }
}

extension Query where T: PersistableEnum, T.RawValue: _QueryOrdered {
  public static func > (left: Query, right: T) -> Query<Bool> { left.compared(">", right) }
  public static func >= (left: Query, right: T) -> Query<Bool> { left.compared(">=", right) }
  public static func < (left: Query, right: T) -> Query<Bool> { left.compared("<", right) }
  public static func <= (left: Query, right: T) -> Query<Bool> { left.compared("<=", right) }

  /// Whether the raw value of the case lies in the range, both ends included.
  public func contains(_ range: ClosedRange<T>) -> Query<Bool> where T: Comparable {
    Query<Bool>(.between(node, range.lowerBound, range.upperBound))
  }

  /// Whether the raw value of the case lies in the range, the upper end excluded.
  public func contains(_ range: Range<T>) -> Query<Bool> where T: Comparable {
    (self >= range.lowerBound) && (self < range.upperBound)
  }
}

extension Query where T == Bool {
  /// The expression as a condition: a property on its own means that it is true.
  var condition: QueryNode {
    if case .path(let path) = node { .flag(path, true) } else { node }
  }

  public static func && (left: Query, right: Query) -> Query { Query(.and(left.condition, right.condition)) }
  public static func || (left: Query, right: Query) -> Query { Query(.or(left.condition, right.condition)) }
  public static prefix func ! (query: Query) -> Query {
    if case .path(let path) = query.node { return Query(.flag(path, false)) }
    return Query(.not(query.node))
  }

  /// The number of elements of a collection that satisfy the condition: `($0.items.price > 9).count > 2`.
  public var count: Query<Int> { Query<Int>(.subqueryCount(condition)) }
}
