// SPDX-License-Identifier: Apache-2.0

/// The common superclass of all objects. An app's classes derive from `Object`, `EmbeddedObject` or
/// `AsymmetricObject`.
open class ObjectBase {
  // Nothing else accesses these two while they change, and checking that at run time would cost every access to a
  // property.
  /// The row of the object; nil until it is added to a realm.
  @usableFromInline @exclusivity(unchecked) final var _managed: _ManagedObject?
  /// Set in a probe, with which key paths are resolved: records which properties are read.
  @usableFromInline @exclusivity(unchecked) final var _tracer: PropertyTracer?

  public required init() {}

  /// Creates an object from values: a dictionary by property name, an array in the order of the properties, or
  /// another object.
  public convenience init(value: Any) {
    self.init()
    setUnmanaged(value)
  }

  /// The name of the class in the schema; nil to use the name of the Swift class. Override it to change the name.
  open class func _realmObjectName() -> String? { nil }

  /// Whether realms without `objectTypes` leave the class out. Override it to let a class have the name of another one.
  open class func _realmIgnoreClass() -> Bool { false }

  /// Whether realms without `objectTypes` have the class. Override it to have the class only in realms that name it there.
  open class func shouldIncludeInDefaultSchema() -> Bool { !_realmIgnoreClass() }

  /// The schema names of properties that are named differently there. Override it to rename properties.
  open class func propertiesMapping() -> [String: String] { [:] }

  /// The name of the property that is the primary key, if no property is marked with `@Persisted(primaryKey: true)`; nil
  /// for a class without one. Override it for a `RealmProperty`.
  open class func primaryKey() -> String? { nil }

  /// The names of properties to index besides those marked with `@Persisted(indexed: true)`. Override it for a
  /// `RealmProperty`.
  open class func indexedProperties() -> [String] { [] }

  /// The names of properties that are not part of the schema. Override it to leave out a `RealmProperty`.
  open class func ignoredProperties() -> [String] { [] }

  /// The name of the class in the schema.
  public final class func className() -> String { DiscoveredClass.of(self).name }

  /// The realm of the object; nil if the object has not been added to one.
  public final var realm: Realm? { _managed.map { Realm($0.realm) } }

  /// Whether the object was deleted from its realm.
  public final var isInvalidated: Bool { _managed.map { !$0.isValid } ?? false }

  /// Whether two objects are the same row of the same file. A frozen object is the same only as one of the same version.
  public final func isSameObject(as other: ObjectBase?) -> Bool {
    guard let other else { return false }
    guard let mine = _managed, let theirs = other._managed else { return self === other }
    guard mine.row == theirs.row, mine.binding.discovered.name == theirs.binding.discovered.name else {
      return false
    }
    if mine.realm.isSame(as: theirs.realm) { return true }
    return !mine.realm.isFrozen && !theirs.realm.isFrozen && mine.realm.path == theirs.realm.path
  }
}

extension ObjectBase: RealmCollectionValue {
  public typealias PersistedType = ObjectBase

  public static var _rowClass: ObjectBase.Type? { self }
  public static func _fromRow(_ row: _ManagedObject) -> Self { row.realm.wrap(self, row) }
  public var _row: _ManagedObject? { _managed }
  public static var _propertyType: _PropertyType { .link(to: self) }

  public static func _defaultValue() -> Self { Self() }

  public static func _convert(_ value: Any) -> Self? {
    if let object = value as? Self { return object }
    if let object = value as? ObjectBase { return object.cast() }
    guard value is [String: Any] || value is [Any] else { return nil }
    let object = Self()
    object.setUnmanaged(value)
    return object
  }

  public var _embedded: EmbeddedObject? { self as? EmbeddedObject }

  public static func _fromFlex(_ value: _Value, _ realm: _RealmHandle) -> Self {
    Misuse.require(value.link != nil, "A value that is no object cannot be read as '\(self)'.")
    guard let object = value.link.flatMap({ realm.object(self, linkedBy: $0) }) else {
      fatalError("an object of class \(self) was deleted while being read")
    }
    return object
  }

  public func _withFlex<Result>(_ realm: _RealmHandle?, _ body: (_Value) -> Result) -> Result {
    // If the object could not be added, the transaction has kept the error and will fail as a whole.
    body((realm.map { $0.linked(self) } ?? _managed).map(_Value.link) ?? .null)
  }
}

extension ObjectBase: Equatable, Hashable {
  /// Objects in a realm are equal if they are the same row; others if they are the same instance.
  public static func == (left: ObjectBase, right: ObjectBase) -> Bool { left.isSameObject(as: right) }

  /// Whether two objects are equal. See `==`.
  public func isEqual(_ object: Any?) -> Bool { (object as? ObjectBase).map { self == $0 } ?? false }

  /// The hash value, for code that uses that of `NSObject`.
  public var hash: Int { hashValue }

  public func hash(into hasher: inout Hasher) {
    if let managed = _managed {
      hasher.combine(managed.row)
    } else {
      hasher.combine(ObjectIdentifier(self))
    }
  }
}
