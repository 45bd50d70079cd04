// SPDX-License-Identifier: Apache-2.0

/// The type-erased storage of a `@Persisted` property, accessed by its address in an object.
protocol AnyPersisted {
  static var propertyType: _PropertyType { get }

  static func attributes(at address: UnsafeRawPointer) -> (isPrimaryKey: Bool, isIndexed: Bool)

  /// The linking objects that the property declares; nil for a property of the schema.
  static func linkingObjects(at address: UnsafeRawPointer) -> (any AnyLinkingObjects)?

  /// Returns the value that the property has outside a realm. If it was not set, its default is stored and returned.
  static func unmanagedValue(at address: UnsafeMutableRawPointer) -> Any

  /// Sets the value that the property has outside a realm. Returns false if `value` cannot be converted to its type.
  static func setUnmanagedValue(at address: UnsafeMutableRawPointer, _ value: Any) -> Bool

  /// Lends the value that the property has outside a realm, as a primary key; nil if its type cannot be one.
  static func withUnmanagedKey<Result>(
    at address: UnsafeMutableRawPointer,
    _ body: (_Value) -> Result
  ) -> Result?

  /// Writes the value that the property has outside a realm to a row, and drops it from the object.
  static func moveUnmanaged(
    at address: UnsafeMutableRawPointer,
    to object: _ManagedObject,
    _ property: _PropertyKey,
    _ mode: CopyMode
  )

  static func read(_ object: _ManagedObject, _ property: _PropertyKey) -> Any

  /// Converts a value that is borrowed for the call; nil for null and for a collection.
  static func converted(_ value: _Value, _ realm: _RealmHandle) -> Any?

  /// Writes a value of any type to a row. Returns false if it cannot be converted to the property's type.
  ///
  /// - Parameter onlyIfDifferent: whether nothing is written if the row has this value.
  static func write(
    _ value: Any,
    _ object: _ManagedObject,
    _ property: _PropertyKey,
    onlyIfDifferent: Bool
  ) -> Bool
}

/// Determines how the properties of an object are written to its row.
enum CopyMode {
  /// The row has just been created and has the default values.
  case newRow
  /// Only values that differ from those of the row are written.
  case modified
  case all

  /// Writes a value that a property had outside a realm to a row.
  ///
  /// - Parameter value: nil if it was never set.
  func write<Value: _Persistable>(
    _ value: Value?,
    to object: _ManagedObject,
    _ property: _PropertyKey
  ) {
    switch self {
    case .newRow:
      guard value != nil || !Value._isDefaultOfNewRow else { return }
      Value._set(object, property, value ?? Value._defaultValue())
    case .modified: Value._setIfDifferent(object, property, value ?? Value._defaultValue())
    case .all: Value._set(object, property, value ?? Value._defaultValue())
    }
    if let value { Value._didMove(value, to: object, property) }
  }
}

/// The storage of a property whose type is known.
protocol TypedStorage: AnyPersisted {
  associatedtype Value: _Persistable
}

extension TypedStorage {
  static var propertyType: _PropertyType { Value._propertyType }

  static func read(_ object: _ManagedObject, _ property: _PropertyKey) -> Any {
    Value._get(object, property) as Any
  }

  static func converted(_ value: _Value, _ realm: _RealmHandle) -> Any? {
    value.isNull ? nil : (Value.self as? any RealmCollectionValue.Type)?._fromFlex(value, realm)
  }

  static func write(
    _ value: Any,
    _ object: _ManagedObject,
    _ property: _PropertyKey,
    onlyIfDifferent: Bool
  ) -> Bool {
    guard let converted = Value._convert(value) else { return false }
    if onlyIfDifferent {
      Value._setIfDifferent(object, property, converted)
    } else {
      Value._set(object, property, converted)
    }
    return true
  }
}

extension Persisted: TypedStorage {
  private static func storage(_ address: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Persisted> {
    address.assumingMemoryBound(to: Persisted.self)
  }

  static func attributes(at address: UnsafeRawPointer) -> (isPrimaryKey: Bool, isIndexed: Bool) {
    let storage = address.assumingMemoryBound(to: Persisted.self)
    return (storage.pointee.isPrimaryKey, storage.pointee.isIndexed)
  }

  static func linkingObjects(at address: UnsafeRawPointer) -> (any AnyLinkingObjects)? {
    guard Value.self is any AnyLinkingObjects.Type else { return nil }
    return address.assumingMemoryBound(to: Persisted.self).pointee.unmanaged as? any AnyLinkingObjects
  }

  static func unmanagedValue(at address: UnsafeMutableRawPointer) -> Any {
    fixedUnmanagedValue(at: address) as Any
  }

  private static func fixedUnmanagedValue(at address: UnsafeMutableRawPointer) -> Value {
    if let value = storage(address).pointee.unmanaged { return value }
    let value = Value._defaultValue()
    storage(address).pointee.unmanaged = value
    return value
  }

  static func setUnmanagedValue(at address: UnsafeMutableRawPointer, _ value: Any) -> Bool {
    guard let converted = Value._convert(value) else { return false }
    storage(address).pointee.unmanaged = converted
    return true
  }

  static func withUnmanagedKey<Result>(
    at address: UnsafeMutableRawPointer,
    _ body: (_Value) -> Result
  ) -> Result? {
    (fixedUnmanagedValue(at: address) as? any RealmCollectionValue)?._withFlex(nil, body)
  }

  static func moveUnmanaged(
    at address: UnsafeMutableRawPointer,
    to object: _ManagedObject,
    _ property: _PropertyKey,
    _ mode: CopyMode
  ) {
    let value = storage(address).pointee.unmanaged
    // The collection becomes that of the row, unless it is another object's.
    let isKept = Value._isKept && (value as? _PersistedCollection)?.managed == nil
    storage(address).pointee.unmanaged = nil
    mode.write(value, to: object, property)
    if isKept { storage(address).pointee.unmanaged = value }
  }
}
