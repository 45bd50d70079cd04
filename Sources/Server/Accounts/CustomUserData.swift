// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncDocuments
import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery
import FlexSyncServerStore

/// The custom data of users: objects of a synced class if the app's custom data collection is synced, otherwise
/// documents that the server stores separately.
package struct CustomUserData {
  let configuration: CustomUserDataConfiguration?
  let store: ServerStore

  package init(configuration: CustomUserDataConfiguration?, store: ServerStore) {
    self.configuration = configuration
    self.store = store
  }

  /// Returns the data of a user as Extended JSON; nil if there are none.
  package func document(userID: String) throws -> JSON? {
    guard let configuration else { return nil }
    guard let className = configuration.className else {
      return try store.customData(userID: userID).map { try JSON.parse($0) }
    }
    return try object(of: className, configuration.userIDField, userID)
  }

  /// Returns the object of a user; the first one if several name that user.
  private func object(of className: String, _ field: String, _ userID: String) throws -> JSON? {
    guard let table = try store.objects.table(named: className),
      let type = table.column(named: field)?.schema.type,
      let value = CustomUserData.value(userID, as: type)
    else { return nil }
    let query = try Query.parse("\(field) == $0").bind(
      to: try store.objects.schema,
      className: className,
      arguments: [.value(value)]
    )
    var selection = try store.objects.selection(query.predicate, on: className)
    selection.limit = 1
    guard let row = try store.objects.rows(table, selection).first else { return nil }
    return try DocumentWriter(objects: store.objects).document(row: row, table)
  }

  private static func value(_ userID: String, as type: ValueType) -> Value? {
    switch type {
    case .string, .mixed: .string(userID)
    case .objectId: ObjectId(hex: userID).map(Value.objectId)
    default: nil
    }
  }
}
