// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension _RealmHandle {
  /// Embeds an object in a place.
  ///
  /// - Parameters:
  ///   - current: the value that the place holds.
  ///   - make: creates an embedded object in the place.
  func embed(
    _ object: EmbeddedObject,
    replacing current: _Value?,
    _ make: HandleMaker
  ) {
    if let managed = object._managed, live.copies == nil {
      requireOwn(managed)
      // It is already there.
      if let link = current?.link, link.row == managed.row { return }
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
      return addingLinks(live.linkPolicy) { assign(binding.discovered.values(in: object), to: managed) }
    }
    object._managed = managed
    binding.discovered.number(object)
    addingLinks(live.linkPolicy) {
      for (ordinal, property) in binding.discovered.properties.enumerated() {
        let address = property.address(in: object)
        property.storage.moveUnmanaged(at: address, to: managed, binding.propertyKeys[ordinal], .newRow)
      }
    }
  }
}
