// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension _RealmHandle {
  /// Makes an embedded object part of the object that has a place.
  ///
  /// - Parameters:
  ///   - current: the value that the place holds.
  ///   - isUpdate: whether an object that is there gets the values of the other, instead of being replaced.
  func embed(
    _ object: EmbeddedObject,
    in place: _ValuePlace,
    replacing current: _Value?,
    isUpdate: Bool = false
  ) {
    if let managed = object._managed { return require(managed, in: place, holding: current) }
    let binding = binding(of: type(of: object))
    guard let row = embeddedRow(in: place, replacing: current, isUpdate: isUpdate, binding) else { return }
    object._managed = row.object
    binding.discovered.number(object)
    addingLinks(live.linkPolicy) {
      for (ordinal, property) in binding.discovered.properties.enumerated() {
        let address = property.address(in: object)
        let key = binding.propertyKeys[ordinal]
        property.storage.moveUnmanaged(at: address, to: row.object, key, row.isNew ? .newRow : .modified)
      }
    }
  }

  /// Stops the program unless a property holds the object already.
  func require(_ managed: _ManagedObject, in place: _ValuePlace, holding current: _Value?) {
    requireOwn(managed)
    switch place.target {
    case .collection(.list): Misuse.stop("Cannot add an existing managed embedded object to a List.")
    case .collection: Misuse.stop("Cannot add an existing managed embedded object to a Dictionary.")
    default:
      if current?.link?.row == managed.row { return }
      Misuse.stop("Can't set link to existing managed embedded object")
    }
  }

  /// Returns the embedded object in a place that is going to be written; nil if creating it failed.
  func embeddedRow(
    in place: _ValuePlace,
    replacing current: _Value?,
    isUpdate: Bool,
    _ binding: _ClassBinding
  ) -> (object: _ManagedObject, isNew: Bool)? {
    if isUpdate, let row = current?.link.flatMap(row(linkedBy:)) {
      return (_ManagedObject(takingOver: row, self, binding), false)
    }
    return place.embed(self).map { (_ManagedObject(takingOver: $0, self, binding), true) }
  }

  /// Returns a new handle of the object that a link points to; nil if there is none.
  private func row(linkedBy link: flx_link_t) -> OpaquePointer? {
    var object: OpaquePointer?
    trapOnFailure { flx_object_get_linked(pointer, link, &object, $0) }
    return object
  }
}
