// SPDX-License-Identifier: Apache-2.0

/// A property of the objects of a collection, as a collection of its own. Live: it follows the collection.
///
/// ```swift
/// class TeamSummary: Projection<Team> {
///   @Projected(\Team.tasks.projectTo.taskName) var taskNames: ProjectedCollection<String>
/// }
/// ```
public struct ProjectedCollection<Element: RealmCollectionValue> {
  let source: any ProjectedElements<Element>

  init(_ source: any ProjectedElements<Element>) { self.source = source }

  /// Whether the object that has the collection was deleted.
  public var isInvalidated: Bool { source.isInvalidated }

  /// The index of the first object whose property equals a value; nil if there is none.
  public func index(of value: Element) -> Int? { firstIndex(of: value) }

  /// Observes the collection until the token is invalidated or released. The first call is made during the next
  /// refresh.
  public func observe(_ block: @escaping (RealmCollectionChange<ProjectedCollection<Element>>) -> Void)
    -> NotificationToken
  {
    source.observe { change in block(change.map { _ in self }) }
  }
}

extension ProjectedCollection: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { source.count }

  /// The property of the object at an index.
  public subscript(index: Int) -> Element {
    get { source.value(at: index) }
    nonmutating set { source.setValue(newValue, at: index) }
  }
}

extension ProjectedCollection: ThreadConfined {
  public var realm: Realm? { source.realm }
}

extension ProjectedCollection: CustomStringConvertible {
  public var description: String {
    let lines = enumerated().map { index, value in "\t[\(index)] \(value)\n" }
    return "ProjectedCollection<\(Element.self)> {\n\(lines.joined())}"
  }
}

/// The objects of a collection. A property of theirs, as a member of this, is a `ProjectedCollection`.
@dynamicMemberLookup
public struct CollectionElementMapper<Element: ObjectBase> {
  fileprivate let collection: AnyRealmCollection<Element>

  /// A property of the objects.
  public subscript<Value: RealmCollectionValue>(dynamicMember member: KeyPath<Element, Value>)
    -> ProjectedCollection<Value>
  {
    ProjectedCollection(ObjectProperties(collection: collection, keyPath: member))
  }
}

extension RealmCollection where Element: ObjectBase {
  /// The objects, of which a `Projection` can show a property: `\Team.tasks.projectTo.taskName`.
  public var projectTo: CollectionElementMapper<Element> {
    CollectionElementMapper(collection: AnyRealmCollection(self))
  }
}

/// The elements of a `ProjectedCollection`, of objects of any class.
protocol ProjectedElements<Value> {
  associatedtype Value
  var realm: Realm? { get }
  var isInvalidated: Bool { get }
  var count: Int { get }
  func value(at index: Int) -> Value
  func setValue(_ value: Value, at index: Int)
  func observe(_ block: @escaping (RealmCollectionChange<Void>) -> Void) -> NotificationToken
  var isFrozen: Bool { get }
  func frozen() -> Self
  func thawed() -> Self?
}

private struct ObjectProperties<Member: ObjectBase, Value: RealmCollectionValue>: ProjectedElements {
  let collection: AnyRealmCollection<Member>
  let keyPath: KeyPath<Member, Value>

  var realm: Realm? { collection.realm }
  var isInvalidated: Bool { collection.isInvalidated }
  var count: Int { collection.count }

  func value(at index: Int) -> Value { collection[index][keyPath: keyPath] }

  func setValue(_ value: Value, at index: Int) {
    guard let keyPath = keyPath as? ReferenceWritableKeyPath<Member, Value> else {
      preconditionFailure("KeyPath is not writable")
    }
    collection[index][keyPath: keyPath] = value
  }

  func observe(_ block: @escaping (RealmCollectionChange<Void>) -> Void) -> NotificationToken {
    collection.observe { change in block(change.map { _ in () }) }
  }

  var isFrozen: Bool { collection.isFrozen }
  func frozen() -> Self { Self(collection: collection.freeze(), keyPath: keyPath) }
  func thawed() -> Self? { collection.thaw().map { Self(collection: $0, keyPath: keyPath) } }
}
