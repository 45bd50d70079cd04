// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncRules

/// Reads `auth/custom_user_data.json`.
struct CustomUserDataReader {
  let reader: DirectoryReader
  let sync: SyncConfiguration
  let database: DatabaseSchema

  static let file = "auth/custom_user_data.json"

  /// Returns nil if the app has no custom user data.
  func read() -> CustomUserDataConfiguration? {
    guard let node = reader.json(CustomUserDataReader.file), node.bool("enabled", default: false) else {
      return nil
    }
    let names = ["mongo_service_name", "database_name", "collection_name", "user_id_field"]
    let texts = names.map { name in node.string(name).flatMap { $0.isEmpty ? nil : $0 } }
    for (name, text) in zip(names, texts) where text == nil {
      node.error("\(name) is missing")
    }
    guard let service = texts[0], let databaseName = texts[1], let collection = texts[2], let field = texts[3]
    else { return nil }
    let folder = "data_sources/\(service)/\(databaseName)/\(collection)"
    let className =
      service == sync.serviceName ? database.folderByClass.first { $0.value == folder }?.key : nil
    if let className { check(field, of: className, node) }
    if className == nil { warnOfMisspelling(service, databaseName, collection, node) }
    return CustomUserDataConfiguration(collection: collection, userIDField: field, className: className)
  }

  /// Warns of names that resemble those of the app's collections. A collection that is not synced need not be in the
  /// directory.
  private func warnOfMisspelling(
    _ service: String,
    _ databaseName: String,
    _ collection: String,
    _ node: ConfigurationNode
  ) {
    let path = "data_sources/\(service)/\(databaseName)"
    let steps = [
      ("mongo_service_name", service, "data_sources"),
      ("database_name", databaseName, "data_sources/\(service)"),
      ("collection_name", collection, path),
    ]
    for (key, name, folder) in steps {
      let known = reader.directories(folder)
      guard !known.contains(name) else { continue }
      let meant = known.first { Spelling.isNear(name, $0) } ?? (key == "collection_name" ? nil : known.first)
      guard let meant else { return }
      node.member(key)?.warning(
        "there is no \"\(name)\" in \(folder), so the custom data of users are not those of a synced collection. If you mean "
          + "\"\(meant)\", correct it"
      )
      return
    }
  }

  private func check(_ field: String, of className: String, _ node: ConfigurationNode) {
    guard let classSchema = database.schema[className] else { return }
    guard let property = classSchema.property(named: field) else {
      node.member("user_id_field")?.warning("class \"\(className)\" has no field \"\(field)\"")
      return
    }
    guard [.string, .objectId, .mixed].contains(property.type), property.collection == .single else {
      node.member("user_id_field")?.error(
        "\"\(field)\" is of type \(property.type); a user identifier must be a string or objectId"
      )
      return
    }
  }
}
