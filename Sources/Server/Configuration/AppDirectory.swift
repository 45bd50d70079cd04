// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncRules
import FlexSyncServerSupport

/// Reads the directories that `appservices pull` and `realm-cli pull` write.
public enum AppDirectory {
  /// Reads the app in a directory.
  ///
  /// - Throws: `ConfigurationError` with every problem found, each with its file and key.
  public static func load(_ directory: String) throws(ConfigurationError) -> AppConfiguration {
    let check = check(directory)
    guard let app = check.app else {
      throw ConfigurationError(directory: directory, problems: check.errors)
    }
    return app
  }

  /// Reads the app in a directory and reports its errors, warnings and unsupported parts.
  public static func check(_ directory: String) -> AppCheck {
    let problems = ProblemCollector()
    guard FileSystem.isDirectory(directory) else {
      problems.error(directory, FileSystem.isOccupied(directory) ? "is not a folder" : "does not exist")
      return AppCheck(app: nil, problems: problems, notCarriedOver: [])
    }
    var reader = DirectoryReader(root: directory, problems: problems)
    let root = root(reader)
    let form = ExportForm(reader: reader)
    guard !form.reportOlder(root) else { return AppCheck(app: nil, problems: problems, notCarriedOver: []) }
    let environment = EnvironmentReader(reader: reader).read(root: root)
    let templates = TemplateValues(environment: environment)
    reader.templates = templates
    let identity = root.flatMap { AppDirectory.identity(templates.resolve($0), reader) }
    let secrets = SecretReader(reader: reader)
    let providers = ProviderReader(reader: reader, secrets: secrets).read()
    let values = ValueReader(reader: reader, secrets: secrets).read()
    let synced = syncedDatabase(
      reader,
      values: values,
      environment: environment,
      providers: providers
    )
    form.warnOfMisspelledNames(synced?.sync)
    let missing = MissingPartsReader(reader: reader, providers: providers, sync: synced?.sync).read()
    guard problems.errors.isEmpty, let identity, let synced else {
      return AppCheck(app: nil, problems: problems, notCarriedOver: missing)
    }
    let app = AppConfiguration(
      directory: directory,
      appID: identity.appID,
      name: identity.name,
      providers: providers,
      customUserData: synced.customUserData,
      sync: synced.sync,
      schema: synced.database.schema,
      classByCollection: synced.database.classByCollection,
      folderByClass: synced.database.folderByClass,
      rules: synced.rules,
      warnings: problems.warnings,
      notCarriedOver: missing
    )
    return AppCheck(app: app, problems: problems, notCarriedOver: missing)
  }

  static let rootFiles = ["root_config.json", "realm_config.json", "config.json"]

  private static func root(_ reader: DirectoryReader) -> ConfigurationNode? {
    guard let file = rootFiles.first(where: reader.has) else {
      reader.problems.error(
        rootFiles[0],
        "missing; an app directory must contain one of \(rootFiles.joined(separator: ", "))"
      )
      return nil
    }
    let node = reader.json(file)
    node?.reportUnknownKeys(known: rootKeys)
    return node
  }

  /// The keys that exports have or had, most of which mean nothing here.
  private static let rootKeys = [
    "app_id", "client_app_id", "_id", "name", "config_version", "location", "provider_region",
    "deployment_model", "environment", "environments", "allowed_request_origins", "security",
    "custom_user_data_config", "sync", "hosting", "deployment", "deploy", "product", "template_id",
    "last_used", "last_modified", "disabled",
  ]

  /// The file of the command-line tool that holds the identifier in newer exports.
  private static let metadataFile = ".mdb/meta.json"

  private static func identity(_ root: ConfigurationNode, _ reader: DirectoryReader)
    -> (appID: String, name: String)?
  {
    let metadata = reader.json(metadataFile)
    guard let appID = root.string("app_id") ?? metadata?.string("client_app_id"), !appID.isEmpty else {
      return root.reject(
        "app_id is missing, and \(metadataFile) has no client_app_id; set app_id to the identifier that "
          + "clients use, such as \"tasktracker-abcde\""
      )
    }
    guard AppID.isValid(appID) else {
      return (root.member("app_id") ?? metadata?.member("client_app_id") ?? root).reject(AppID.rule)
    }
    return (appID, root.string("name") ?? appID)
  }

  private struct SyncedDatabase {
    var sync: SyncConfiguration
    var database: DatabaseSchema
    var customUserData: CustomUserDataConfiguration?
    var rules: RuleBook
  }

  private static func syncedDatabase(
    _ reader: DirectoryReader,
    values: JSON,
    environment: JSON,
    providers: AuthenticationProviders
  ) -> SyncedDatabase? {
    let file = "sync/config.json"
    guard let node = reader.json(file) else {
      if !reader.has(file) {
        reader.problems.error(file, "missing; the app has no Device Sync configuration")
      }
      return nil
    }
    guard var sync = SyncConfigurationReader(reader: reader, node: node).read() else { return nil }
    let asymmetric = Set(node.strings("asymmetric_tables"))
    var database = SchemaReader(reader: reader, sync: sync, asymmetricClasses: asymmetric).read()
    AsymmetricClasses(node: node, database: database, isDevelopmentMode: sync.isDevelopmentMode).check()
    sync.queryableFieldsByClass = QueryableFields(
      node: node,
      schema: database.schema,
      classByCollection: database.classByCollection,
      isDevelopmentMode: sync.isDevelopmentMode
    ).byClass()
    let customUserData = CustomUserDataReader(reader: reader, sync: sync, database: database).read()
    // The server looks custom data up at each log-in.
    if let data = customUserData, let className = data.className {
      database.schema[className]?.addIndex(on: data.userIDField)
    }
    let rules = RuleReader(
      reader: reader,
      sync: sync,
      syncNode: node,
      database: database,
      values: values,
      environment: environment
    ).read()
    RuleCheck(
      book: rules,
      database: database,
      sync: sync,
      problems: reader.problems
    ).report()
    TrustCheck(
      book: rules,
      database: database,
      sync: sync,
      providers: providers,
      customUserData: customUserData,
      problems: reader.problems
    ).warn()
    return SyncedDatabase(sync: sync, database: database, customUserData: customUserData, rules: rules)
  }
}

extension ClassSchema {
  /// Adds an index on a property. The primary key needs none, because it is always indexed.
  fileprivate mutating func addIndex(on name: String) {
    guard let index = properties.firstIndex(where: { $0.name == name }) else { return }
    properties[index].isIndexed = true
  }
}
