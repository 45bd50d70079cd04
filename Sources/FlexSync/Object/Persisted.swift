// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Makes a property of an `Object` part of the schema.
///
/// `@Persisted(primaryKey: true)` marks the primary key, which synced classes call `_id`; `@Persisted(indexed: true)`
/// asks for a local index.
@propertyWrapper
public struct Persisted<Value: _Persistable> {
  /// The value while the object is not in a realm; nil until it is set or read.
  @usableFromInline var unmanaged: Value?
  /// The position of the property in its class, or −1 while that is not known.
  @usableFromInline var ordinal: Int32
  @usableFromInline let isPrimaryKey: Bool
  @usableFromInline let isIndexed: Bool

  // Inlinable, so that the program's module makes objects without looking up the metadata of generic types: making
  // them is most of what reading many objects costs.
  @inlinable
  init(_ value: Value?, isPrimaryKey: Bool, isIndexed: Bool) {
    unmanaged = value
    ordinal = Construction.takeOrdinal()
    self.isPrimaryKey = isPrimaryKey
    self.isIndexed = isIndexed
  }

  @inlinable public init() { self.init(nil, isPrimaryKey: false, isIndexed: false) }
  @inlinable public init(wrappedValue: Value) { self.init(wrappedValue, isPrimaryKey: false, isIndexed: false) }
  @inlinable public init(primaryKey: Bool) { self.init(nil, isPrimaryKey: primaryKey, isIndexed: false) }
  @inlinable public init(indexed: Bool) { self.init(nil, isPrimaryKey: false, isIndexed: indexed) }
  @inlinable public init(wrappedValue: Value, primaryKey: Bool) {
    self.init(wrappedValue, isPrimaryKey: primaryKey, isIndexed: false)
  }
  @inlinable public init(wrappedValue: Value, indexed: Bool) {
    self.init(wrappedValue, isPrimaryKey: false, isIndexed: indexed)
  }

  @available(*, unavailable, message: "@Persisted can only be used as a property of an Object")
  public var wrappedValue: Value {
    get { fatalError("@Persisted can only be used as a property of an Object") }
    set { fatalError("@Persisted can only be used as a property of an Object") }
  }

  @inlinable
  public static subscript<Owner: Object>(
    _enclosingInstance owner: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Persisted<Value>>
  ) -> Value {
    get {
      if let managed = owner._managed {
        let ordinal = owner[keyPath: storage].ordinal
        if ordinal >= 0 { return Value._get(managed, managed.binding.propertyKeys[Int(ordinal)]) }
      }
      return slowGet(owner, wrapped, storage)
    }
    set {
      slowSet(owner, wrapped, storage, newValue)
    }
  }

  @usableFromInline
  static func slowGet<Owner: Object>(
    _ owner: Owner,
    _ wrapped: ReferenceWritableKeyPath<Owner, Value>,
    _ storage: ReferenceWritableKeyPath<Owner, Persisted<Value>>
  ) -> Value {
    if let managed = owner._managed {
      return Value._get(managed, propertyKey(owner, managed, wrapped, storage))
    }
    if let tracer = owner._tracer {
      tracer.ordinal = owner[keyPath: storage].ordinal
      return Value._defaultValue()
    }
    if let value = owner[keyPath: storage].unmanaged { return value }
    let value = Value._defaultValue()
    owner[keyPath: storage].unmanaged = value
    return value
  }

  @usableFromInline
  static func slowSet<Owner: Object>(
    _ owner: Owner,
    _ wrapped: ReferenceWritableKeyPath<Owner, Value>,
    _ storage: ReferenceWritableKeyPath<Owner, Persisted<Value>>,
    _ value: Value
  ) {
    guard let managed = owner._managed else {
      owner[keyPath: storage].unmanaged = value
      return
    }
    Value._set(managed, propertyKey(owner, managed, wrapped, storage), value)
  }

  /// The key of the property. An object that the program built itself learns the position at the first access.
  private static func propertyKey<Owner: Object>(
    _ owner: Owner,
    _ managed: _ManagedObject,
    _ wrapped: ReferenceWritableKeyPath<Owner, Value>,
    _ storage: ReferenceWritableKeyPath<Owner, Persisted<Value>>
  ) -> flx_property_key_t {
    let known = owner[keyPath: storage].ordinal
    if known >= 0 { return managed.binding.propertyKeys[Int(known)] }
    let ordinal = managed.binding.discovered.ordinal(of: wrapped)
    owner[keyPath: storage].ordinal = Int32(ordinal)
    return managed.binding.propertyKeys[ordinal]
  }
}

/// A `@Persisted` property whose value type is not known.
protocol AnyPersisted {
  var ordinal: Int32 { get }
  var isPrimaryKey: Bool { get }
  var isIndexed: Bool { get }
  var propertyType: _PropertyType { get }
  /// Writes the value that the property has outside the realm.
  func copyUnmanaged(to object: _ManagedObject, _ property: flx_property_key_t)
  /// Writes a value of any type that can become the property's. Returns false if it cannot.
  func assign(_ value: Any, to object: _ManagedObject, _ property: flx_property_key_t) -> Bool
  /// The value as the property's type; nil if it cannot become that.
  func convertAny(_ value: Any) -> Any?
  /// Lends the value that the property has outside the realm, as a primary key.
  func withUnmanagedKey<Result>(_ body: (UnsafePointer<flx_value_t>) -> Result) -> Result?
}

extension Persisted: AnyPersisted {
  var propertyType: _PropertyType { Value._propertyType }

  func copyUnmanaged(to object: _ManagedObject, _ property: flx_property_key_t) {
    if let unmanaged { Value._set(object, property, unmanaged) }
  }

  func assign(_ value: Any, to object: _ManagedObject, _ property: flx_property_key_t) -> Bool {
    guard let converted = Value._convert(value) else { return false }
    Value._set(object, property, converted)
    return true
  }

  func convertAny(_ value: Any) -> Any? { Value._convert(value) }

  func withUnmanagedKey<Result>(_ body: (UnsafePointer<flx_value_t>) -> Result) -> Result? {
    let value = unmanaged ?? Value._defaultValue()
    return (value as? any RealmCollectionValue)?._withFlex(nil, body)
  }
}
