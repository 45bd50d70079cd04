// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncDocuments
import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery
import FlexSyncServerStore

/// The custom data of users: objects of a synced class if the app's collection for them is one, else documents that the
/// server keeps for itself.
package struct CustomUserData {
  let configuration: CustomUserDataConfiguration?
  let store: ServerStore

  package init(configuration: CustomUserDataConfiguration?, store: ServerStore) {
    self.configuration = configuration
    self.store = store
  }

  /// The setting that tells command-line tools, which know no app directory, which class the data are objects of.
  package static let classSetting = "custom_user_data_class"

  /// Notes for other processes where the data are.
  package func noteClass() throws {
    let className = configuration?.className ?? ""
    guard try store.textSetting(CustomUserData.classSetting) ?? "" != className else { return }
    try store.write { try store.set(CustomUserData.classSetting, to: className) }
  }

  /// The data of a user, as Extended JSON; nil if there are none.
  package func document(userID: String) throws -> JSON? {
    guard let configuration else { return nil }
    guard let className = configuration.className else {
      return try store.customData(userID: userID).map { try JSON.parse($0) }
    }
    return try object(of: className, configuration.userIDField, userID)
  }

  /// The object of a user; the first one if several say that they are the user's.
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
