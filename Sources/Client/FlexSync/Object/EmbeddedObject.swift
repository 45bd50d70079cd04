// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// The superclass of an app's models that live inside other objects, without a primary key.
///
/// ```swift
/// class Address: EmbeddedObject {
///   @Persisted var street: String
///   @Persisted var city: String?
/// }
///
/// class Contact: Object {
///   @Persisted(primaryKey: true) var _id: ObjectId
///   @Persisted var home: Address?
///   @Persisted var others: List<Address>
/// }
/// ```
///
/// Assigning an embedded object that is in no realm makes it part of the object that has the property. The embedded
/// object that was there before is deleted. An embedded object that is in a realm cannot be assigned anywhere else.
open class EmbeddedObject: ObjectBase {
  public required init() { super.init() }
}

extension _RealmHandle {
  /// Embeds an object in a place.
  ///
  /// - Parameters:
  ///   - current: the value that the place holds.
  ///   - make: creates an embedded object in the place.
  func embed(
    _ object: EmbeddedObject,
    replacing current: flx_value_t?,
    _ make: (inout OpaquePointer?, UnsafeMutablePointer<flx_error_t>) -> flx_status_t
  ) {
    if let managed = object._managed, copies == nil {
      requireOwn(managed)
      let link = flx_object_link(managed.pointer)
      // It is already there.
      if let current, current.type == .FLX_TYPE_LINK, current.link.row == link.row { return }
      preconditionFailure("Can't set link to existing managed embedded object")
    }
    var row: OpaquePointer?
    perform { make(&row, $0) }
    guard let row else { return }
    fill(_ManagedObject(takingOver: row, self, binding(of: type(of: object))), from: object)
  }

  private func fill(_ managed: _ManagedObject, from object: EmbeddedObject) {
    let binding = managed.binding
    guard object._managed == nil else {
      return addingLinks(linkPolicy) { assign(binding.discovered.values(in: object), to: managed) }
    }
    object._managed = managed
    binding.discovered.number(object)
    addingLinks(linkPolicy) {
      for (ordinal, property) in binding.discovered.properties.enumerated() {
        let address = property.address(in: object)
        property.storage.moveUnmanaged(at: address, to: managed, binding.propertyKeys[ordinal], .newRow)
      }
    }
  }
}
