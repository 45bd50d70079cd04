// SPDX-License-Identifier: Apache-2.0

/// The base class of lists, sets and maps.
///
/// Until its object is added to a realm, a collection holds its contents itself; from then on it reads and writes the
/// realm.
public class _PersistedCollection {
  /// The collection in the realm of the object; nil while the object is in none.
  final var managed: ManagedCollection?
  /// Set in a collection of a probe, with which key paths are resolved.
  final var tracer: PropertyTracer?

  /// Not public: programs create lists, sets and maps only.
  required init() {}

  /// Takes ownership of a collection in a realm.
  required convenience init(takingOver managed: ManagedCollection) {
    self.init()
    self.managed = managed
  }

  /// Takes ownership of a collection in a realm, and empties it.
  convenience init(emptying managed: ManagedCollection) {
    self.init(takingOver: managed)
    if managed.count > 0 { managed.removeAll() }
  }

  deinit { managed?.release() }

  /// The collection to observe or query.
  final var observable: ManagedCollection {
    guard let managed else {
      Misuse.stop("Only collections which are managed by a Realm support change notifications")
    }
    return managed
  }

  /// The text of the exception for a collection of an object that is in no realm.
  final class var unmanagedRefusal: String {
    "This method may only be called on \(kind.name) instances retrieved from an RLMRealm"
  }

  /// Whether both belong to the same property of the same object; nil if both are in no realm.
  final func isSamePlace(as other: _PersistedCollection) -> Bool? {
    if self === other { return true }
    guard let mine = managed, let theirs = other.managed else {
      return managed == nil && other.managed == nil ? nil : false
    }
    return mine.place != nil && mine.place == theirs.place && mine.realm.isSame(as: theirs.realm)
  }

  /// Attaches the collection to one in a realm, taking ownership of it, unless it already is in a realm.
  final func attach(to collection: ManagedCollection?) {
    guard managed == nil else {
      collection?.release()
      return
    }
    managed = collection
    if collection != nil { dropContents() }
  }

  // MARK: Overridden by each subclass

  class var kind: CollectionKind { fatalError("\(self) has no kind") }

  /// Drops the contents that the collection holds itself.
  func dropContents() { fatalError("\(self) cannot drop its contents") }

  /// Takes ownership of a collection in a realm and replaces its contents by those of this one.
  func replaceContents(of collection: ManagedCollection) {
    fatalError("\(self) cannot replace contents")
  }

  /// Makes the embedded objects in a collection in a realm those of this one. An object that is there gets the values of
  /// the one in its place.
  func updateContents(of collection: ManagedCollection) {
    fatalError("\(self) cannot hold embedded objects")
  }

  /// Whether a collection in a realm has the same contents. Any objects in this one that are in no realm are added to
  /// that realm.
  func isIdentical(to collection: ManagedCollection) -> Bool {
    fatalError("\(self) cannot be compared")
  }
}

extension ThreadConfined where Self: _PersistedCollection {
  /// The elements as live results.
  ///
  /// - Parameter read: reads the elements, if they are plain values.
  func liveResults<Element: RealmCollectionValue>(_ read: @escaping (Self) -> [Element]) -> Results<Element> {
    guard let managed else { Misuse.stop(Self.unmanagedRefusal) }
    guard Element._rowClass == nil else { return managed.results() }
    let elements = ManagedElements(owner: self, managed: managed) { owner in
      (owner as? Self).map(read) ?? []
    }
    return Results(PlainResults(elements))
  }
}

extension _Persistable where Self: _PersistedCollection {
  public static func _defaultValue() -> Self { Self() }
  public static var _isDefaultOfNewRow: Bool { true }
  @inlinable public static var _isKept: Bool { true }

  public static func _get(_ object: _ManagedObject, _ property: _PropertyKey) -> Self {
    Self(takingOver: kind.open(object, property))
  }

  public static func _set(_ object: _ManagedObject, _ property: _PropertyKey, _ value: Self) {
    value.replaceContents(of: kind.open(object, property))
  }

  public static func _setIfDifferent(
    _ object: _ManagedObject,
    _ property: _PropertyKey,
    _ value: Self
  ) {
    let current = _get(object, property)
    withExtendedLifetime(current) {
      if _propertyType.isEmbedded { return value.updateContents(of: current.observable) }
      if !value.isIdentical(to: current.observable) { _set(object, property, value) }
    }
  }

  /// A collection that the program still references becomes that of the row.
  public static func _didMove(_ value: Self, to object: _ManagedObject, _ property: _PropertyKey) {
    if value.managed == nil { value.attach(to: kind.open(object, property)) }
  }
}
