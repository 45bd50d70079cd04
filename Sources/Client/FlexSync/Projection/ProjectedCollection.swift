// SPDX-License-Identifier: Apache-2.0

import Dispatch

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

  /// Observes the collection until the token is invalidated or released. The first call is made soon after this, or during
  /// the next refresh if the realm does not refresh by itself.
  ///
  /// - Parameters:
  ///   - keyPaths: what counts as a modification of an object of the projected collection, in the names of the object's
  ///     properties; see `RealmCollection`. Nil for all of its properties, not only the one that this shows.
  ///   - queue: the serial queue on which to observe the collection, in a realm of the queue; nil for the realm of the
  ///     collection.
  public func observe(
    keyPaths: [String]? = nil,
    on queue: DispatchQueue? = nil,
    _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
  ) -> NotificationToken {
    source.observe(keyPaths: keyPaths, on: queue, block)
  }

  /// Observes the collection on an actor, in a realm of the actor, until the token is invalidated or released. If the task
  /// is canceled before the observation has begun, the token is invalid.
  ///
  /// - Parameter keyPaths: what counts as a modification; see `observe(keyPaths:on:_:)`.
  public func observe<ActorType: Actor>(
    keyPaths: [String]? = nil,
    on actor: ActorType,
    _isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated ActorType, RealmCollectionChange<ProjectedCollection>) -> Void
  ) async -> NotificationToken {
    await source.observe(keyPaths: keyPaths, on: actor, _isolation: _isolation, block)
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
protocol ProjectedElements<Value>: _ObservableCollection, Referable
where _Change == RealmCollectionChange<ProjectedCollection<Value>> {
  associatedtype Value: RealmCollectionValue
  var count: Int { get }
  func value(at index: Int) -> Value
  func setValue(_ value: Value, at index: Int)
}

private struct ObjectProperties<Member: ObjectBase, Value: RealmCollectionValue>: ProjectedElements {
  typealias _ObservedElement = Member

  let collection: AnyRealmCollection<Member>
  let keyPath: KeyPath<Member, Value>

  var realm: Realm? { collection.realm }
  var isInvalidated: Bool { collection.isInvalidated }
  var count: Int { collection.count }

  func value(at index: Int) -> Value { collection[index][keyPath: keyPath] }

  func setValue(_ value: Value, at index: Int) {
    guard let keyPath = keyPath as? ReferenceWritableKeyPath<Member, Value> else {
      Misuse.stop("KeyPath is not writable")
    }
    collection[index][keyPath: keyPath] = value
  }

  func _observe(
    _ keyPaths: [String],
    _ block: @escaping (RealmCollectionChange<ProjectedCollection<Value>>) -> Void
  ) -> NotificationToken {
    collection._observe(keyPaths) { change in block(change.map { _ in ProjectedCollection(self) }) }
  }

  var isFrozen: Bool { collection.isFrozen }
  func freeze() -> Self { Self(collection: collection.freeze(), keyPath: keyPath) }
  func thaw() -> Self? { collection.thaw().map { Self(collection: $0, keyPath: keyPath) } }
}

extension ObjectProperties: DerivedFromResults {
  var origin: Results<Member> { collection._results }
  var derivation: (Results<Member>) -> ObjectProperties {
    let keyPath = keyPath
    return { ObjectProperties(collection: AnyRealmCollection($0), keyPath: keyPath) }
  }
}

extension ProjectedCollection: Referable {
  func makeReference() -> ReferenceHandle { source.makeReference() }

  static func resolve(_ reference: ReferenceHandle, in realm: _RealmHandle) -> ProjectedCollection? {
    let source = reference.derivedType?.resolve(reference, in: realm)
    return (source as? any ProjectedElements<Element>).map { ProjectedCollection($0) }
  }
}
