// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// The row behind an object that belongs to a realm.
public final class _ManagedObject {
  /// Nil only after a loop has ended. Changes only while nothing else refers to this object.
  @exclusivity(unchecked) private var handle: OpaquePointer?
  @usableFromInline let realm: _RealmHandle
  @usableFromInline let binding: _ClassBinding

  /// Takes ownership of the caller's reference to `pointer`.
  init(takingOver pointer: OpaquePointer, _ realm: _RealmHandle, _ binding: _ClassBinding) {
    handle = pointer
    self.realm = realm
    self.binding = binding
  }

  deinit { flx_object_release(handle) }

  var pointer: OpaquePointer { handle.unsafelyUnwrapped }

  /// Makes this the row of the handle that `next` returns; returns false, and must not be used any more, if that is nil.
  /// Only for an object that nothing else refers to.
  func become(_ next: () -> OpaquePointer?) -> Bool {
    // First, so that the library can use it for the next row.
    flx_object_release(handle)
    handle = next()
    return handle != nil
  }

  /// Reads a property. Text in the value is valid until the next access to this object.
  @usableFromInline
  func read(_ property: _PropertyKey) -> _Value {
    var value = flx_value_t()
    if flx_object_get(pointer, property.flex, &value, nil) == .FLX_STATUS_OK { return _Value(value) }
    trapOnFailure { flx_object_get(pointer, property.flex, &value, $0) }
    return _Value(value)
  }

  func write(_ property: _PropertyKey, _ value: _Value) {
    value.lend { value in realm.perform { flx_object_set(pointer, property.flex, value, $0) } }
  }

  func add(_ amount: Int, _ property: _PropertyKey) {
    realm.perform { flx_object_add_integer(pointer, property.flex, Int64(amount), $0) }
  }

  /// Whether a link leads to an object that is not on this device, and the primary key of the object that it leads to.
  func linkState(_ property: _PropertyKey) -> (isOutOfView: Bool, primaryKey: AnyRealmValue) {
    realm.reading {
      var state = flx_link_state_t.FLX_LINK_NULL
      var key = flx_value_t()
      trapOnFailure { flx_object_get_link_state(pointer, property.flex, &state, &key, $0) }
      return (state == .FLX_LINK_OUT_OF_VIEW, _Value(key).mixed(realm, at: nil))
    }
  }

  var link: flx_link_t { flx_object_link(pointer) }
  /// Identifies the object among those of its class.
  var row: Int64 { link.row }
  var isValid: Bool { flx_object_is_valid(pointer) }

  func delete() { realm.perform(.objects) { flx_object_delete(pointer, $0) } }

  /// Embeds an object in a property.
  ///
  /// - Parameter isUpdate: whether an object that is there gets the values of the other.
  func embed(_ embedded: EmbeddedObject, _ property: _PropertyKey, isUpdate: Bool = false) {
    realm.embed(embedded, in: .property(self, property), replacing: read(property), isUpdate: isUpdate)
  }

  /// The objects that link to this one through a property of their class.
  func backlinks(from origin: _ClassBinding, _ property: _PropertyKey) -> ResultsBox {
    ResultsBox(
      takingOver: makeHandleOrTrap {
        flx_object_get_backlinks(pointer, origin.classKey, property.flex, &$0, $1)
      }
    )
  }
}

/// The keys of a Swift class and its properties in one open realm.
public final class _ClassBinding {
  let classKey: flx_class_key_t
  /// Property keys by the position of the property in the Swift class; for linking objects, their index.
  @usableFromInline let propertyKeys: [_PropertyKey]
  let discovered: DiscoveredClass
  /// The position of the primary key; nil for a class without one. In a migration, a class that gets another primary key
  /// has none.
  let primaryKeyOrdinal: Int?

  init(
    classKey: flx_class_key_t,
    propertyKeys: [_PropertyKey],
    discovered: DiscoveredClass,
    primaryKeyOrdinal: Int?
  ) {
    self.classKey = classKey
    self.propertyKeys = propertyKeys
    self.discovered = discovered
    self.primaryKeyOrdinal = primaryKeyOrdinal
  }

  /// The primary key; nil for a class without one.
  var primaryKey: DiscoveredProperty? { primaryKeyOrdinal.map { discovered.properties[$0] } }
}
