// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncRules

/// Reads the rules: `rules.json` of collections and `default_rule.json`, or the permissions that sync configurations
/// contained before 2023.
struct RuleReader {
  let reader: DirectoryReader
  let sync: SyncConfiguration
  /// The content of `sync/config.json`.
  let syncNode: ConfigurationNode
  let database: DatabaseSchema
  let values: JSON
  let environment: JSON

  private var service: String { "data_sources/\(sync.serviceName)" }

  /// The folders of all collections.
  private var collections: [(database: String, name: String, folder: String)] {
    sync.databases(reader).flatMap { database in
      reader.directories("\(service)/\(database)").map { (database, $0, "\(service)/\(database)/\($0)") }
    }
  }

  func read() -> RuleBook {
    var book = RuleBook(values: values, environment: environment, queryableFields: queryableFields)
    if let legacy = LegacyPermissions(syncNode) {
      book.defaultRoles = legacy.defaultRoles()
      for (name, roles) in legacy.collectionRoles() {
        add(roles, of: database.classByCollection[name] ?? name, at: legacy.node, to: &book)
      }
      warnOfOverriddenRules(legacy)
    } else {
      readUnifiedRules(&book)
    }
    if book.isEmpty {
      reader.problems.warning(
        "\(service)/default_rule.json",
        nil,
        "no roles are defined, neither here nor in any collection's rules.json: nobody has access to any data"
      )
    }
    return book
  }

  private func readUnifiedRules(_ book: inout RuleBook) {
    if let node = reader.json("\(service)/default_rule.json") {
      book.defaultRoles = RoleReader.roles(node.member("roles"))
    }
    for (databaseName, collection, folder) in collections {
      // Collections without a schema are synced only in development mode.
      let isNew = sync.isDevelopmentMode && databaseName == sync.databaseName
      let className = database.folderByClass.first { $0.value == folder }?.key ?? (isNew ? collection : nil)
      guard let className else { continue }
      guard let node = reader.json("\(folder)/rules.json") else { continue }
      guard node.value.objectValue != nil else {
        node.error("must be an object with roles")
        continue
      }
      checkNames(node, collection, databaseName)
      let roles = RoleReader.roles(node.member("roles"))
      // If there are no roles, the default roles apply, even if there are filters.
      if !roles.isEmpty { add(roles, of: className, at: node, to: &book) }
    }
  }

  private func checkNames(_ node: ConfigurationNode, _ collection: String, _ databaseName: String) {
    for (key, expected) in [("collection", collection), ("database", databaseName)] {
      guard let name = node.string(key), name != expected else { continue }
      node.member(key)?.error("is \"\(name)\", but the file is in the folder of \"\(expected)\"")
    }
  }

  private func add(
    _ roles: [Role],
    of className: String,
    at node: ConfigurationNode,
    to book: inout RuleBook
  ) {
    if let other = book.rolesByClass[className], other != roles {
      node.error("class \"\(className)\" has different roles in another collection")
    }
    book.rolesByClass[className] = roles
  }

  private var queryableFields: QueryableFieldNames {
    QueryableFieldNames(
      global: Set(sync.queryableFields),
      byClass: sync.queryableFieldsByClass.mapValues(Set.init),
      includesAll: sync.isDevelopmentMode
    )
  }

  private func warnOfOverriddenRules(_ legacy: LegacyPermissions) {
    let files = ["\(service)/default_rule.json"] + collections.map { "\($0.folder)/rules.json" }
    for file in files where reader.has(file) {
      reader.problems.warning(
        file,
        nil,
        "has no effect on sync, because \(legacy.node.file) has permissions in the format used before 2023"
      )
    }
  }
}
