// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules

/// Reads `sync/config.json`, except for the queryable fields of individual collections, which need the schema.
struct SyncConfigurationReader {
  let reader: DirectoryReader
  let node: ConfigurationNode

  func read() -> SyncConfiguration? {
    let type = node.string("type") ?? "flexible"
    guard type == "flexible" else {
      return node.member("type")?.reject("is \"\(type)\"; this server supports only \"flexible\" sync")
    }
    node.reportUnknownKeys(known: SyncConfigurationReader.knownKeys)
    guard let service = serviceName(), isFolder(service, "service_name"),
      let database = databaseName(service: service), isFolder(database, "database_name")
    else { return nil }
    return SyncConfiguration(
      isEnabled: isEnabled(),
      isDevelopmentMode: node.bool("development_mode_enabled", default: false),
      serviceName: service,
      databaseName: database,
      queryableFields: node.strings("queryable_fields_names"),
      queryableFieldsByClass: [:],
      indexedQueryableField: indexedField(),
      maximumOfflineDays: offlineDays(),
      isRecoveryModeDisabled: node.bool("is_recovery_mode_disabled", default: false),
      schemaVersion: schemaVersion()
    )
  }

  private func schemaVersion() -> UInt64 {
    guard let version = node.integer("schema_version") else { return 0 }
    guard let version = UInt64(exactly: version) else {
      node.member("schema_version")?.error("must not be negative")
      return 0
    }
    if version > 0 {
      node.member("schema_version")?.note(
        "clients must open their realms with this version (schemaVersion \(version)); the server refuses all others "
          + "with error 235"
      )
    }
    return version
  }

  private static let knownKeys = [
    "type", "state", "development_mode_enabled", "service_name", "database_name", "client_max_offline_days",
    "is_recovery_mode_disabled", "queryable_fields_names", "indexed_queryable_fields_names",
    "collection_queryable_fields_names", "last_disabled", "asymmetric_tables", "permissions",
    "schema_version",
  ]

  private func isEnabled() -> Bool {
    let state = node.string("state") ?? "enabled"
    switch state {
    case "enabled": return true
    case "disabled", "": break
    default: node.member("state")?.error("is \"\(state)\"; use \"enabled\" or \"disabled\"")
    }
    node.warning("state is not \"enabled\": the server tells clients that sync is not enabled for this app")
    return false
  }

  private func serviceName() -> String? {
    if let name = node.string("service_name"), !name.isEmpty { return name }
    let services = reader.directories("data_sources")
    if services.count == 1 { return services[0] }
    node.error("service_name is missing and data_sources has \(services.count) folders; name one of them")
    return nil
  }

  private func databaseName(service: String) -> String? {
    if let name = node.string("database_name"), !name.isEmpty { return name }
    let databases = reader.directories("data_sources/\(service)")
    if databases.count == 1 { return databases[0] }
    node.error(
      "database_name is missing and data_sources/\(service) has \(databases.count) folders; name one of them"
    )
    return nil
  }

  private func isFolder(_ name: String, _ key: String) -> Bool {
    guard !FileName.isPlain(name) else { return true }
    (node.member(key) ?? node).error("\"\(name)\" is not a valid folder name")
    return false
  }

  private func indexedField() -> String? {
    let fields = node.strings("indexed_queryable_fields_names")
    if fields.count > 1 {
      node.member("indexed_queryable_fields_names")?.error(
        "has \(fields.count) fields; at most one is allowed"
      )
    }
    return fields.first
  }

  private func offlineDays() -> Int? {
    guard let days = node.integer("client_max_offline_days"), days != 0 else { return nil }
    guard (1...36500).contains(days) else {
      return node.member("client_max_offline_days")?.reject("must be a number of days from 0 to 36500")
    }
    return Int(days)
  }
}

/// Reads the fields that subscriptions may use.
struct QueryableFields {
  let node: ConfigurationNode
  let schema: Schema
  let classByCollection: [String: String]
  let isDevelopmentMode: Bool

  /// Returns the fields of `collection_queryable_fields_names` by class, checked against the schema.
  func byClass() -> [String: [String]] {
    checkGlobalFields()
    guard let collections = node.member("collection_queryable_fields_names") else { return [:] }
    var result: [String: [String]] = [:]
    for (collection, fields) in collections.members() {
      let className = classByCollection[collection] ?? collection
      let names = fields.strings()
      result[className, default: []] += names
      guard let classSchema = schema[className] else {
        if !isDevelopmentMode { fields.warning("no collection of that name has a schema") }
        continue
      }
      for name in names { check(name, in: classSchema, at: fields) }
    }
    return result
  }

  private func checkGlobalFields() {
    guard let global = node.member("queryable_fields_names"), !isDevelopmentMode else { return }
    for name in global.strings() where !schema.classes.contains(where: { $0.property(named: name) != nil }) {
      global.warning("no class has a field \"\(name)\"")
    }
  }

  private func check(_ name: String, in classSchema: ClassSchema, at fields: ConfigurationNode) {
    guard let property = classSchema.property(named: name) else {
      if !isDevelopmentMode { fields.warning("class \"\(classSchema.name)\" has no field \"\(name)\"") }
      return
    }
    // Links are not queryable by subscriptions, but rules can use them.
    if !property.isQueryable, !schema.holdsPoint(property), schema.foreignKey(of: property) == nil {
      fields.warning(
        "field \"\(name)\" is a dictionary or embedded; neither subscriptions nor rules can use it"
      )
    }
  }
}

/// The folder of a collection in an app directory.
struct CollectionFolder {
  let database: String
  let name: String
  /// The path in the app directory.
  let path: String
}

extension SyncConfiguration {
  /// The folder of the synced data source.
  var folder: String { "data_sources/\(serviceName)" }
  var defaultRuleFile: String { "\(folder)/default_rule.json" }

  /// Returns the files that may define roles or filters, whether they exist or not.
  func ruleFiles(_ reader: DirectoryReader) -> [String] {
    [defaultRuleFile] + collections(reader).map { "\($0.path)/rules.json" }
  }

  /// Returns the folders of all collections, those in the database for development mode first.
  func collections(_ reader: DirectoryReader) -> [CollectionFolder] {
    let others = reader.directories(folder).filter { $0 != databaseName }
    return ([databaseName] + others).flatMap { database in
      reader.directories("\(folder)/\(database)").map { name in
        CollectionFolder(database: database, name: name, path: "\(folder)/\(database)/\(name)")
      }
    }
  }
}
