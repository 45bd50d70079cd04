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

  func read() -> RuleBook {
    var book = RuleBook()
    book.values = values
    book.environment = environment
    book.queryableFields = queryableFields
    if !sync.isDevelopmentMode { book.classesWithDefaults = Set(database.schema.classes.map(\.name)) }
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
        sync.defaultRuleFile,
        "no roles are defined, neither here nor in any collection's rules.json: nobody has access to any data"
      )
    }
    return book
  }

  private func readUnifiedRules(_ book: inout RuleBook) {
    if let node = reader.json(sync.defaultRuleFile) {
      node.reportUnknownKeys(known: RuleReader.knownKeys, isDangerous: true)
      book.defaultRoles = RoleReader.roles(node.member("roles"))
    }
    for folder in sync.collections(reader) {
      // Collections without a schema are synced only in development mode.
      let isNew = sync.isDevelopmentMode && folder.database == sync.databaseName
      let known = database.folderByClass.first { $0.value == folder.path }?.key
      guard let className = known ?? (isNew ? folder.name : nil),
        let node = reader.json("\(folder.path)/rules.json")
      else { continue }
      guard node.value.objectValue != nil else {
        node.error("must be an object with roles")
        continue
      }
      checkNames(node, folder)
      // If "roles" were misspelled, the default roles would apply.
      node.reportUnknownKeys(known: RuleReader.knownKeys, isDangerous: true)
      let roles = RoleReader.roles(node.member("roles"))
      // If there are no roles, the default roles apply, even if there are filters.
      if !roles.isEmpty { add(roles, of: className, at: node, to: &book) }
    }
  }

  private static let knownKeys = [
    "_id", "id", "collection", "database", "roles", "filters", "schema", "relationships",
  ]

  private func checkNames(_ node: ConfigurationNode, _ folder: CollectionFolder) {
    for (key, expected) in [("collection", folder.name), ("database", folder.database)] {
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
    let files = sync.ruleFiles(reader)
    for file in files where reader.has(file) {
      reader.problems.warning(
        file,
        "has no effect on sync, because \(legacy.node.file) has permissions in the format used before 2023"
      )
    }
  }
}
