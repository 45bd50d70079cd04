// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel

/// Reads who may see and do what: `rules.json` of collections and `default_rule.json`, or the permissions that sync
/// configurations had before 2023.
struct RuleReader {
  let reader: DirectoryReader
  let sync: SyncConfiguration
  /// The content of `sync/config.json`.
  let syncNode: ConfigurationNode
  let database: DatabaseSchema
  let values: JSON
  let environment: JSON

  private var service: String { "data_sources/\(sync.serviceName)" }
  private var folder: String { "\(service)/\(sync.databaseName)" }

  func read() -> RuleBook {
    var book = RuleBook(values: values, environment: environment, queryableFields: queryableFields)
    if let legacy = LegacyPermissions(syncNode) {
      book.defaultRoles = legacy.defaultRoles()
      for (name, roles) in legacy.collectionRoles() { add(roles, of: name, at: legacy.node, to: &book) }
      warnOfOverriddenRules(legacy)
    } else {
      readUnifiedRules(&book)
    }
    if book.isEmpty {
      reader.problems.warning(
        "\(service)/default_rule.json",
        nil,
        "there are no roles, neither here nor in the rules.json of a collection: nobody may see or do anything"
      )
    }
    if !book.grantsEverything {
      reader.problems.warning(
        service,
        nil,
        "RULES ARE NOT ENFORCED YET: every user may read and write everything, whatever roles say"
      )
    }
    return book
  }

  private func readUnifiedRules(_ book: inout RuleBook) {
    if let node = reader.json("\(service)/default_rule.json") {
      book.defaultRoles = RoleReader.roles(node.member("roles"))
    }
    for collection in reader.directories(folder) {
      guard let node = reader.json("\(folder)/\(collection)/rules.json") else { continue }
      guard node.value.objectValue != nil else {
        node.error("must be an object with roles")
        continue
      }
      checkNames(node, collection)
      let roles = RoleReader.roles(node.member("roles"))
      // Without roles the default roles count, also if there are filters.
      if !roles.isEmpty { add(roles, of: collection, at: node, to: &book) }
    }
  }

  private func checkNames(_ node: ConfigurationNode, _ collection: String) {
    for (key, expected) in [("collection", collection), ("database", sync.databaseName)] {
      guard let name = node.string(key), name != expected else { continue }
      node.member(key)?.error("is \"\(name)\", but the file is in the folder of \"\(expected)\"")
    }
  }

  private func add(
    _ roles: [Role],
    of collection: String,
    at node: ConfigurationNode,
    to book: inout RuleBook
  ) {
    let className = database.classByCollection[collection] ?? collection
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
    let files =
      ["\(service)/default_rule.json"] + reader.directories(folder).map { "\(folder)/\($0)/rules.json" }
    for file in files where reader.has(file) {
      reader.problems.warning(
        file,
        nil,
        "has no effect on sync, because \(legacy.node.file) has permissions of the time before 2023"
      )
    }
  }
}
