// SPDX-License-Identifier: Apache-2.0

/// A condition on objects, written as a Swift expression inside `where { … }` and `QuerySubscription { … }`.
///
/// `$0.completed == true && $0.progressMinutes > 120` becomes the query
/// `((completed == %@) && (progressMinutes > %@))` with the arguments `true` and `120`.
///
/// A condition that has no meaning, such as a comparison of two collections, is a programming error and stops the
/// program with a message.
@dynamicMemberLookup
public struct Query<T> {
  let node: QueryNode

  init(_ node: QueryNode) { self.node = node }

  /// The object to which the condition applies.
  static var root: Query { Query(.path(QueryPath())) }
}

extension Query where T: ObjectBase {
  /// A property of the object.
  public subscript<Value: _Persistable>(dynamicMember member: KeyPath<T, Value>) -> Query<Value> {
    Query<Value>(node.appending(Value.self, DiscoveredClass.of(T.self).columnName(of: member)))
  }
}

extension Query where T: _OptionalObject {
  /// A property of the object that a link points to. If the link is null, so is the property.
  public subscript<Value: _Persistable>(dynamicMember member: KeyPath<T.Wrapped, Value>) -> Query<Value> {
    Query<Value>(node.appending(Value.self, DiscoveredClass.of(T.Wrapped.self).columnName(of: member)))
  }
}

extension Query where T: _QueryCollection, T.Element: ObjectBase {
  /// A property of the objects in the collection. A comparison with it is true if any of them satisfies it.
  public subscript<Value: _Persistable>(dynamicMember member: KeyPath<T.Element, Value>) -> Query<Value> {
    Query<Value>(node.appending(Value.self, DiscoveredClass.of(T.Element.self).columnName(of: member)))
  }
}

/// The type of a link property.
public protocol _OptionalObject {
  associatedtype Wrapped: ObjectBase
}

extension Optional: _OptionalObject where Wrapped: ObjectBase {}

/// A property type that holds several values.
public protocol _QueryMultiple: _Persistable {
  associatedtype _QueryElement: RealmCollectionValue
}

/// A property type that holds elements, ordered or not.
public protocol _QueryCollection: _QueryMultiple {
  associatedtype Element: RealmCollectionValue where Element == _QueryElement
}

extension List: _QueryCollection {
  public typealias _QueryElement = Element
}
