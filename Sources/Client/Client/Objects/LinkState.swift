// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue

/// Where a link leads.
enum LinkState {
  case null
  case resolved
  /// To an object that is not on this device.
  case outOfView
}

extension ManagedObject {
  /// Returns where a link leads, and the primary key of the object there; null if there is none.
  ///
  /// - Throws: `CoreError` OBJECT_INVALIDATED, NO_SUCH_PROPERTY, TYPE_MISMATCH.
  func linkState(of property: flx_property_key_t) throws -> (state: LinkState, primaryKey: flx_value_t) {
    let column = try info.column(property)
    guard column.isSingle, column.schema.type == .link, !column.isEmbedded else {
      throw CoreError(.typeMismatch, "The property '\(column.path)' is not a link to an object of its own.")
    }
    let link = try value(of: property)
    var key = try currentValues()[column.index]
    guard key.type != .FLX_TYPE_NULL else { return (.null, key) }
    key.type = key.type.keyType
    return (link.type == .FLX_TYPE_LINK ? .resolved : .outOfView, key)
  }
}
