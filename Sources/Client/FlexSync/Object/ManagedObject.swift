// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// The row behind an object that belongs to a realm.
public final class _ManagedObject {
  let pointer: OpaquePointer
  @usableFromInline let realm: _RealmHandle
  @usableFromInline let binding: _ClassBinding

  /// Takes ownership of the caller's reference to `pointer`.
  init(takingOver pointer: OpaquePointer, _ realm: _RealmHandle, _ binding: _ClassBinding) {
    self.pointer = pointer
    self.realm = realm
    self.binding = binding
  }

  deinit { flx_object_release(pointer) }

  /// Reads a property. Text in the value is valid until the next access to this object.
  @usableFromInline
  func read(_ property: flx_property_key_t) -> flx_value_t {
    var value = flx_value_t()
    if flx_object_get(pointer, property, &value, nil) == .FLX_STATUS_OK { return value }
    // Reading a deleted object is a programming error; the Realm Swift SDK raises an exception for it.
    trapOnMisuse { flx_object_get(pointer, property, &value, $0) }
    return value
  }

  func write(_ property: flx_property_key_t, _ value: UnsafePointer<flx_value_t>) {
    realm.perform { flx_object_set(pointer, property, value, $0) }
  }
}

extension _ManagedObject {
  /// Embeds an object in a property.
  func embed(_ embedded: EmbeddedObject, _ property: flx_property_key_t) {
    realm.embed(embedded, replacing: read(property)) {
      flx_object_set_embedded(pointer, property, &$0, $1)
    }
  }
}

/// The keys of a Swift class and its properties in one open realm.
public final class _ClassBinding {
  let classKey: flx_class_key_t
  /// Property keys by the position of the property in the Swift class; for linking objects, their index.
  @usableFromInline let propertyKeys: [flx_property_key_t]
  let discovered: DiscoveredClass

  init(classKey: flx_class_key_t, propertyKeys: [flx_property_key_t], discovered: DiscoveredClass) {
    self.classKey = classKey
    self.propertyKeys = propertyKeys
    self.discovered = discovered
  }
}
