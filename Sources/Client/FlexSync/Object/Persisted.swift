// SPDX-License-Identifier: Apache-2.0

/// Makes a property of an `Object` part of the schema.
///
/// `@Persisted(primaryKey: true)` marks the primary key, which synced classes name `_id`; `@Persisted(indexed: true)`
/// adds a local index.
@propertyWrapper
public struct Persisted<Value: _Persistable> {
  /// The position of the property in its class, or −1 while the object is in no realm. Must be the first field, where
  /// `DiscoveredClass.number` writes it.
  @usableFromInline var ordinal: Int32 = -1
  @usableFromInline let isPrimaryKey: Bool
  @usableFromInline let isIndexed: Bool
  /// The value while the object is in no realm; nil until it is set or read. In a realm, the collection that was read.
  @usableFromInline var unmanaged: Value?

  // Inlinable, so that the program's module creates objects without looking up the metadata of generic types:
  // creating them is most of the cost of reading many objects.
  @inlinable
  init(_ value: Value?, isPrimaryKey: Bool, isIndexed: Bool) {
    unmanaged = value
    self.isPrimaryKey = isPrimaryKey
    self.isIndexed = isIndexed
  }

  @inlinable public init() { self.init(nil, isPrimaryKey: false, isIndexed: false) }
  @inlinable public init(wrappedValue: Value) {
    self.init(wrappedValue, isPrimaryKey: false, isIndexed: false)
  }
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

  // Always inlined, and the key paths are only applied here: then the compiler turns them into accesses to fields. If they
  // were passed on, each access would create them.
  @inlinable
  public static subscript<Owner: ObjectBase>(
    _enclosingInstance owner: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
    storage storage: ReferenceWritableKeyPath<Owner, Persisted<Value>>
  ) -> Value {
    @inline(__always) get {
      // The object keeps what refers to its row, so reading counts no reference to it.
      if let managed = owner._managed.map(Unmanaged.passUnretained) {
        if Value._isKept, let kept = owner[keyPath: storage].unmanaged { return kept }
        let ordinal = Int(owner[keyPath: storage].ordinal)
        let value = managed._withUnsafeGuaranteedRef { Value._get($0, $0.binding.propertyKeys[ordinal]) }
        // Several threads may read an object of a frozen realm.
        if Value._isKept, !managed._withUnsafeGuaranteedRef({ $0.realm.isFrozen }) {
          owner[keyPath: storage].unmanaged = value
        }
        return value
      }
      if let tracer = owner._tracer { return tracer.read(owner, owner[keyPath: storage].ordinal) }
      if let value = owner[keyPath: storage].unmanaged { return value }
      let value = Value._defaultValue()
      owner[keyPath: storage].unmanaged = value
      return value
    }
    @inline(__always) set {
      if let managed = owner._managed {
        let property = managed.binding.propertyKeys[Int(owner[keyPath: storage].ordinal)]
        return Value._set(managed, property, newValue)
      }
      owner[keyPath: storage].unmanaged = newValue
    }
  }
}
