// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue

/// A report on an observed object.
enum ObjectChanges {
  case deleted
  /// Properties were written; their keys.
  case changed([flx_property_key_t])
}

/// Reports the changed properties of one object, and its deletion.
final class ObjectObserver: Observer {
  private let object: ManagedObject
  private let report: (ObjectChanges) -> Void
  private var hasEnded = false

  init(_ object: ManagedObject, _ report: @escaping (ObjectChanges) -> Void) {
    self.object = object
    self.report = report
  }

  func deliver(_ touched: TouchedRows) {
    guard !hasEnded, let columns = touched[object.info.name]?.columns(of: object.row) else { return }
    guard object.isValid else {
      hasEnded = true
      return report(.deleted)
    }
    let info = object.info
    let properties = info.columns.indices.filter { info.traits[$0].kind != .hidden && columns.contains($0) }
    if !properties.isEmpty { report(.changed(properties.map { flx_property_key_t($0) })) }
  }
}
