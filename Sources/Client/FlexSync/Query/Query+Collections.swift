// SPDX-License-Identifier: Apache-2.0

import Foundation

// The elements of a map are its values.

extension Query where T: _QueryMultiple {
  /// Whether the collection contains the element.
  public func contains(_ value: T._QueryElement) -> Query<Bool> {
    Query<Bool>(.comparison(.constant(value), "IN", node))
  }

  /// Whether the collection contains any of the elements.
  public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool>
  where Values.Element == T._QueryElement {
    isIn(values.map { $0 })
  }

  /// Whether any element equals the value.
  public static func == (left: Query, right: T._QueryElement) -> Query<Bool> { left.compared("==", right) }
  /// Whether any element differs from the value.
  public static func != (left: Query, right: T._QueryElement) -> Query<Bool> { left.compared("!=", right) }

  /// The number of elements.
  public var count: Query<Int> { Query<Int>(node.applying("@count")) }
}

extension Query where T: _QueryMultiple, T._QueryElement: _QueryOrdered {
  /// Whether any element is greater than the value.
  public static func > (left: Query, right: T._QueryElement) -> Query<Bool> { left.compared(">", right) }
  /// Whether any element is at least the value.
  public static func >= (left: Query, right: T._QueryElement) -> Query<Bool> { left.compared(">=", right) }
  /// Whether any element is less than the value.
  public static func < (left: Query, right: T._QueryElement) -> Query<Bool> { left.compared("<", right) }
  /// Whether any element is at most the value.
  public static func <= (left: Query, right: T._QueryElement) -> Query<Bool> { left.compared("<=", right) }

  /// The smallest element; null if there is none.
  public var min: Query<T._QueryElement> { Query<T._QueryElement>(node.applying("@min")) }
  /// The greatest element; null if there is none.
  public var max: Query<T._QueryElement> { Query<T._QueryElement>(node.applying("@max")) }
}

extension Query where T: _QueryMultiple, T._QueryElement: _QueryOrdered & Comparable {
  /// Whether all elements lie in the range, both ends included; false if there are no elements.
  public func contains(_ range: ClosedRange<T._QueryElement>) -> Query<Bool> {
    (min >= range.lowerBound) && (max <= range.upperBound)
  }

  /// Whether all elements lie in the range, the upper end excluded; false if there are no elements.
  public func contains(_ range: Range<T._QueryElement>) -> Query<Bool> {
    (min >= range.lowerBound) && (max < range.upperBound)
  }
}

extension Query where T: _QueryMultiple {
  /// Whether all elements that are not null lie in the range, both ends included; false if there are none.
  public func contains<Wrapped: _QueryOrdered & Comparable>(_ range: ClosedRange<Wrapped>) -> Query<Bool>
  where T._QueryElement == Wrapped? {
    (min >= range.lowerBound) && (max <= range.upperBound)
  }

  /// Whether all elements that are not null lie in the range, the upper end excluded; false if there are none.
  public func contains<Wrapped: _QueryOrdered & Comparable>(_ range: Range<Wrapped>) -> Query<Bool>
  where T._QueryElement == Wrapped? {
    (min >= range.lowerBound) && (max < range.upperBound)
  }
}

/// A type whose values can be summed.
public protocol _QueryNumeric: _QueryOrdered {}

extension Int: _QueryNumeric {}
extension Int8: _QueryNumeric {}
extension Int16: _QueryNumeric {}
extension Int32: _QueryNumeric {}
extension Int64: _QueryNumeric {}
extension Float: _QueryNumeric {}
extension Double: _QueryNumeric {}
extension Optional: _QueryNumeric where Wrapped: _QueryNumeric {}

extension Query where T: _QueryMultiple, T._QueryElement: _QueryNumeric {
  /// The average of the elements; null if there is none.
  public var avg: Query<T._QueryElement> { Query<T._QueryElement>(node.applying("@avg")) }
  /// The sum of the elements; 0 if there is none.
  public var sum: Query<T._QueryElement> { Query<T._QueryElement>(node.applying("@sum")) }
}

/// Aggregates of a property of the objects in a collection: `$0.items.price.avg`.
extension Query where T: _QueryOrdered {
  /// The smallest value of the property; null if there is none.
  public var min: Query { Query(node.applyingToCollection("@min")) }
  /// The greatest value of the property; null if there is none.
  public var max: Query { Query(node.applyingToCollection("@max")) }
}

extension Query where T: _QueryNumeric {
  /// The average of the values of the property; null if there is none.
  public var avg: Query { Query(node.applyingToCollection("@avg")) }
  /// The sum of the values of the property; 0 if there is none.
  public var sum: Query { Query(node.applyingToCollection("@sum")) }
}

extension QueryNode {
  fileprivate func applyingToCollection(_ function: String) -> QueryNode {
    guard case .path(let path) = self, !path.isMultiple else { return applying(function) }
    var names: [String] = []
    for case .property(let name, _) in path.steps { names.append(name) }
    Misuse.stop(
      "Invalid keypath '\(names.joined(separator: ".")).\(function)': Property '\(names.last ?? "")' is not a link or "
        + "collection and can only appear at the end of a keypath."
    )
  }
}
