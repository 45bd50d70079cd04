// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// The storage of a `@Persisted` property whose value type is not known, reached by its address in an object.
protocol AnyPersisted {
  static var propertyType: _PropertyType { get }

  static func attributes(at address: UnsafeRawPointer) -> (isPrimaryKey: Bool, isIndexed: Bool)

  /// What the property links from; nil for a property of the schema.
  static func linkingObjects(at address: UnsafeRawPointer) -> (any AnyLinkingObjects)?

  /// The value that the property has outside the realm. It becomes fixed if it was not set.
  static func unmanagedValue(at address: UnsafeMutableRawPointer) -> Any

  /// Sets the value that the property has outside the realm. Returns false if `value` cannot become the property's.
  static func setUnmanagedValue(at address: UnsafeMutableRawPointer, _ value: Any) -> Bool

  /// Lends the value that the property has outside the realm, as a primary key; nil if its type cannot be one.
  static func withUnmanagedKey<Result>(
    at address: UnsafeMutableRawPointer,
    _ body: (UnsafePointer<flx_value_t>) -> Result
  ) -> Result?

  /// Writes the value that the property has outside the realm to a row, and forgets it here.
  static func moveUnmanaged(
    at address: UnsafeMutableRawPointer,
    to object: _ManagedObject,
    _ property: flx_property_key_t,
    _ mode: CopyMode
  )

  static func read(_ object: _ManagedObject, _ property: flx_property_key_t) -> Any

  /// Writes a value of any type to a row. Returns false if it cannot become the property's.
  static func write(_ value: Any, _ object: _ManagedObject, _ property: flx_property_key_t) -> Bool
}

/// How the properties of an object are written to its row.
enum CopyMode {
  /// The row was just created and has the default values.
  case newRow
  /// Only values that differ from those of the row.
  case modified
  case all
}

extension Persisted: AnyPersisted {
  private static func storage(_ address: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Persisted> {
    address.assumingMemoryBound(to: Persisted.self)
  }

  static var propertyType: _PropertyType { Value._propertyType }

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
    _ body: (UnsafePointer<flx_value_t>) -> Result
  ) -> Result? {
    (fixedUnmanagedValue(at: address) as? any RealmCollectionValue)?._withFlex(nil, body)
  }

  static func moveUnmanaged(
    at address: UnsafeMutableRawPointer,
    to object: _ManagedObject,
    _ property: flx_property_key_t,
    _ mode: CopyMode
  ) {
    let value = storage(address).pointee.unmanaged
    storage(address).pointee.unmanaged = nil
    switch mode {
    case .newRow:
      guard value != nil || !Value._isDefaultOfNewRow else { return }
      Value._set(object, property, value ?? Value._defaultValue())
    case .modified: Value._setIfDifferent(object, property, value ?? Value._defaultValue())
    case .all: Value._set(object, property, value ?? Value._defaultValue())
    }
    if let value { Value._didMove(value, to: object, property) }
  }

  static func read(_ object: _ManagedObject, _ property: flx_property_key_t) -> Any {
    Value._get(object, property) as Any
  }

  static func write(_ value: Any, _ object: _ManagedObject, _ property: flx_property_key_t) -> Bool {
    guard let converted = Value._convert(value) else { return false }
    Value._set(object, property, converted)
    return true
  }
}
