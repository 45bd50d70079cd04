// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Query where T: RealmCollectionValue {
  private func compare(_ comparison: String, _ value: T) -> Query<Bool> {
    Query<Bool>(.comparison(node, comparison, .constant(value)))
  }

  private func compare(_ comparison: String, _ other: Query) -> Query<Bool> {
    Query<Bool>(.comparison(node, comparison, other.node))
  }

  public static func == (left: Query, right: T) -> Query<Bool> { left.compare("==", right) }
  public static func != (left: Query, right: T) -> Query<Bool> { left.compare("!=", right) }
  public static func == (left: Query, right: Query) -> Query<Bool> { left.compare("==", right) }
  public static func != (left: Query, right: Query) -> Query<Bool> { left.compare("!=", right) }

  /// Whether the property has one of the values.
  public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool> where Values.Element == T {
    Query<Bool>(.comparison(node, "IN", .constants(values.map { $0 })))
  }
}

/// Types whose values have an order in queries.
public protocol _QueryOrdered: RealmCollectionValue {}

extension Int: _QueryOrdered {}
extension Int8: _QueryOrdered {}
extension Int16: _QueryOrdered {}
extension Int32: _QueryOrdered {}
extension Int64: _QueryOrdered {}
extension Float: _QueryOrdered {}
extension Double: _QueryOrdered {}
extension String: _QueryOrdered {}
extension Date: _QueryOrdered {}
extension Optional: _QueryOrdered where Wrapped: _QueryOrdered {}

extension Query where T: _QueryOrdered {
  private func order(_ comparison: String, _ right: QueryNode) -> Query<Bool> {
    Query<Bool>(.comparison(node, comparison, right))
  }

  public static func > (left: Query, right: T) -> Query<Bool> { left.order(">", .constant(right)) }
  public static func >= (left: Query, right: T) -> Query<Bool> { left.order(">=", .constant(right)) }
  public static func < (left: Query, right: T) -> Query<Bool> { left.order("<", .constant(right)) }
  public static func <= (left: Query, right: T) -> Query<Bool> { left.order("<=", .constant(right)) }
  public static func > (left: Query, right: Query) -> Query<Bool> { left.order(">", right.node) }
  public static func >= (left: Query, right: Query) -> Query<Bool> { left.order(">=", right.node) }
  public static func < (left: Query, right: Query) -> Query<Bool> { left.order("<", right.node) }
  public static func <= (left: Query, right: Query) -> Query<Bool> { left.order("<=", right.node) }
}

extension Query where T: _QueryOrdered & Comparable {
  /// Whether the value lies in the range, both ends included.
  public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
    Query<Bool>(.comparison(node, "BETWEEN", .constants([range.lowerBound, range.upperBound])))
  }

  /// Whether the value lies in the range, the upper end left out.
  public func contains(_ range: Range<T>) -> Query<Bool> {
    Query<Bool>(
      .and(
        .comparison(node, ">=", .constant(range.lowerBound)),
        .comparison(node, "<", .constant(range.upperBound))
      )
    )
  }
}

extension Query where T: PersistableEnum, T.RawValue: _QueryOrdered {
  public static func > (left: Query, right: T) -> Query<Bool> {
    Query<Bool>(.comparison(left.node, ">", .constant(right)))
  }
  public static func >= (left: Query, right: T) -> Query<Bool> {
    Query<Bool>(.comparison(left.node, ">=", .constant(right)))
  }
  public static func < (left: Query, right: T) -> Query<Bool> {
    Query<Bool>(.comparison(left.node, "<", .constant(right)))
  }
  public static func <= (left: Query, right: T) -> Query<Bool> {
    Query<Bool>(.comparison(left.node, "<=", .constant(right)))
  }
}

extension Query where T == Bool {
  /// A property that stands alone means that it is true.
  var condition: QueryNode {
    switch node {
    case .path, .any: .comparison(node, "==", .constant(true))
    default: node
    }
  }

  public static func && (left: Query, right: Query) -> Query { Query(.and(left.condition, right.condition)) }
  public static func || (left: Query, right: Query) -> Query { Query(.or(left.condition, right.condition)) }
  public static prefix func ! (query: Query) -> Query {
    switch query.node {
    case .path, .any: Query(.comparison(query.node, "==", .constant(false)))
    default: Query(.not(query.node))
    }
  }
}

/// How string operators compare.
public struct StringOptions: OptionSet, Sendable {
  public let rawValue: Int
  public static let caseInsensitive = StringOptions(rawValue: 1)

  public init(rawValue: Int) { self.rawValue = rawValue }
}

/// Types on which the string operators work.
public protocol _QueryString: RealmCollectionValue {}

extension String: _QueryString {}
extension Optional: _QueryString where Wrapped == String {}

extension Query where T: _QueryString {
  private func match(_ comparison: String, _ value: T, _ options: StringOptions) -> Query<Bool> {
    let suffix = options.contains(.caseInsensitive) ? "[c]" : ""
    return Query<Bool>(.comparison(node, comparison + suffix, .constant(value)))
  }

  /// Whether the text contains another.
  public func contains(_ value: T, options: StringOptions = []) -> Query<Bool> {
    match("CONTAINS", value, options)
  }
  /// Whether the text begins with another.
  public func starts(with value: T, options: StringOptions = []) -> Query<Bool> {
    match("BEGINSWITH", value, options)
  }
  /// Whether the text ends with another.
  public func ends(with value: T, options: StringOptions = []) -> Query<Bool> {
    match("ENDSWITH", value, options)
  }
  /// Whether the text fits a pattern in which `?` stands for one character and `*` for any number.
  public func like(_ value: T, caseInsensitive: Bool = false) -> Query<Bool> {
    match("LIKE", value, caseInsensitive ? .caseInsensitive : [])
  }
  /// Whether the text equals another.
  public func equals(_ value: T, options: StringOptions = []) -> Query<Bool> { match("==", value, options) }
  /// Whether the text differs from another.
  public func notEquals(_ value: T, options: StringOptions = []) -> Query<Bool> {
    match("!=", value, options)
  }
}

extension Query where T: _ListType {
  /// Whether the list has the element.
  public func contains(_ value: T.Element) -> Query<Bool> {
    Query<Bool>(.comparison(.constant(value), "IN", node))
  }

  /// Whether the list has one of the elements.
  public func containsAny<Values: Sequence>(in values: Values) -> Query<Bool>
  where Values.Element == T.Element {
    Query<Bool>(.comparison(.any(node), "IN", .constants(values.map { $0 })))
  }

  /// The number of elements.
  public var count: Query<Int> { Query<Int>(.count(node)) }
}
