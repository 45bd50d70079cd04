// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Reads the directory that `appservices pull` and `realm-cli pull` write.
public enum AppDirectory {
  /// Reads the app in a directory.
  ///
  /// - Throws: `ConfigurationError` with every problem found, each with its file and key.
  public static func load(_ directory: String) throws(ConfigurationError) -> AppConfiguration {
    let problems = ProblemCollector()
    guard FileSystem.isDirectory(directory) else {
      throw ConfigurationError(
        directory: directory,
        problems: [ConfigurationProblem(file: ".", key: nil, message: "no such directory")]
      )
    }
    let reader = DirectoryReader(root: directory, problems: problems)
    let identity = identity(reader)
    let providers = ProviderReader(reader: reader).read()
    let (sync, database) = syncedDatabase(reader)
    UnusedParts(reader: reader).warn(service: sync?.serviceName, database: sync?.databaseName)
    guard problems.errors.isEmpty, let identity, let sync else {
      throw ConfigurationError(directory: directory, problems: problems.errors)
    }
    return AppConfiguration(
      directory: directory,
      appID: identity.appID,
      name: identity.name,
      providers: providers,
      sync: sync,
      schema: database.schema,
      classByCollection: database.classByCollection,
      warnings: problems.warnings
    )
  }

  private static let rootFiles = ["root_config.json", "realm_config.json", "config.json"]

  private static func identity(_ reader: DirectoryReader) -> (appID: String, name: String)? {
    guard let file = rootFiles.first(where: { FileSystem.isFile("\(reader.root)/\($0)") }) else {
      reader.problems.error(
        rootFiles[0],
        nil,
        "missing; an app directory has one of \(rootFiles.joined(separator: ", "))"
      )
      return nil
    }
    guard let root = reader.json(file) else { return nil }
    guard let appID = root.string("app_id"), !appID.isEmpty else {
      root.error(
        "app_id is missing; set it to the identifier that clients use, such as \"tasktracker-abcde\""
      )
      return nil
    }
    guard appID.utf8.count <= 128, appID.utf8.allSatisfy(isIdentifierCharacter) else {
      root.member("app_id")?.error("may contain only letters, digits, - and _ (at most 128)")
      return nil
    }
    return (appID, root.string("name") ?? appID)
  }

  private static func isIdentifierCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func syncedDatabase(_ reader: DirectoryReader) -> (SyncConfiguration?, DatabaseSchema) {
    let file = "sync/config.json"
    guard let node = reader.json(file) else {
      if !FileSystem.isFile("\(reader.root)/\(file)") {
        reader.problems.error(file, nil, "missing; the app has no Device Sync configuration")
      }
      return (nil, DatabaseSchema())
    }
    guard var sync = SyncConfigurationReader(reader: reader, node: node).read() else {
      return (nil, DatabaseSchema())
    }
    let asymmetric = Set(node.strings("asymmetric_tables"))
    let database = SchemaReader(reader: reader, sync: sync, asymmetricClasses: asymmetric).read()
    sync.queryableFieldsByClass = QueryableFields(
      node: node,
      schema: database.schema,
      classByCollection: database.classByCollection,
      isDevelopmentMode: sync.isDevelopmentMode
    ).byClass()
    return (sync, database)
  }
}
