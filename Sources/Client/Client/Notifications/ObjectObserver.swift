// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Reports the changed properties of one object, and its deletion.
final class ObjectObserver: Observer {
  private let object: ManagedObject
  private let callback: flx_object_observer_t
  private let userdata: Userdata
  private var hasEnded = false

  init(_ object: ManagedObject, _ callback: @escaping flx_object_observer_t, _ userdata: Userdata) {
    self.object = object
    self.callback = callback
    self.userdata = userdata
  }

  func deliver(_ touched: TouchedRows) {
    guard !hasEnded, let columns = touched[object.info.name]?.columns(of: object.row) else { return }
    var changes = flx_object_changes_t()
    guard object.isValid else {
      hasEnded = true
      changes.is_deleted = true
      return withUnsafePointer(to: changes) { callback(userdata.pointer, $0) }
    }
    let info = object.info
    let properties = info.columns.indices.filter { info.traits[$0].kind != .hidden && columns.contains($0) }
      .map { flx_property_key_t($0) }
    guard !properties.isEmpty else { return }
    properties.withUnsafeBufferPointer { properties in
      changes.properties = properties.baseAddress
      changes.property_count = properties.count
      withUnsafePointer(to: changes) { callback(userdata.pointer, $0) }
    }
  }
}
