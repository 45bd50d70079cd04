// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A condition on objects, written as a Swift expression inside `where { … }` and `QuerySubscription { … }`.
///
/// `$0.completed == true && $0.progressMinutes > 120` becomes the query `(completed == $0 && progressMinutes > $1)`.
@dynamicMemberLookup
public struct Query<T> {
  let node: QueryNode

  init(_ node: QueryNode) { self.node = node }

  /// The object that the condition is about.
  static var root: Query { Query(.path([])) }
}

/// The expression behind a `Query`.
indirect enum QueryNode {
  /// A property, by the names on the way to it.
  case path([String])
  case constant(any RealmCollectionValue)
  case constants([any RealmCollectionValue])
  case comparison(QueryNode, String, QueryNode)
  case and(QueryNode, QueryNode)
  case or(QueryNode, QueryNode)
  case not(QueryNode)
  /// A quantifier before a path through a collection.
  case any(QueryNode)
  case count(QueryNode)
}

extension Query where T: Object {
  /// A property of the object.
  public subscript<Value: _Persistable>(dynamicMember member: KeyPath<T, Value>) -> Query<Value> {
    Query<Value>(node.appending(DiscoveredClass.of(T.self).columnName(of: member)))
  }
}

extension Query where T: _OptionalObject {
  /// A property of the object that a link leads to; a link to nothing matches nothing.
  public subscript<Value: _Persistable>(dynamicMember member: KeyPath<T.Wrapped, Value>) -> Query<Value> {
    Query<Value>(node.appending(DiscoveredClass.of(T.Wrapped.self).columnName(of: member)))
  }
}

extension Query where T: _ListType, T.Element: Object {
  /// A property of the objects in the list; a comparison with it asks whether any of them satisfies it.
  public subscript<Value: _Persistable>(dynamicMember member: KeyPath<T.Element, Value>) -> Query<Value> {
    Query<Value>(.any(node.appending(DiscoveredClass.of(T.Element.self).columnName(of: member))))
  }
}

/// A link property's type.
public protocol _OptionalObject {
  associatedtype Wrapped: Object
}

extension Optional: _OptionalObject where Wrapped: Object {}

/// A list property's type.
public protocol _ListType {
  associatedtype Element: RealmCollectionValue
}

extension List: _ListType {}

extension QueryNode {
  func appending(_ name: String) -> QueryNode {
    switch self {
    case .path(let names): .path(names + [name])
    case .any(let inner): .any(inner.appending(name))
    default: self
    }
  }
}
