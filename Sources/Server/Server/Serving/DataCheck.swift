// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncEngine
import FlexSyncModel
import FlexSyncServerStore
import FlexSyncStore

/// Compares an app directory with the data that it is served with.
public struct DataCheck {
  /// The reasons why a server would not start, or not reload the directory.
  public private(set) var errors: [String] = []
  public private(set) var warnings: [String] = []
  public private(set) var notes: [String] = []

  /// Compares without changing anything in the data folder, not even the format of its files.
  ///
  /// - Throws: `ServerError` if the folder does not exist.
  public init(_ app: AppConfiguration, dataFolder: String) throws {
    try DataFolder.checkExists(dataFolder)
    do {
      let stored = try DataFolder.storedSchema(in: dataFolder, appID: app.appID)
      errors = try AppSchema.contradictions(of: stored, with: app)
      guard errors.isEmpty else { return }
      try StartCheck(dataFolder: dataFolder).check([app])
      guard let store = try DataFolder.readOnlyStore(in: dataFolder, appID: app.appID) else {
        noteBeginning(app.appID, try DataFolder.appIDs(in: dataFolder))
        return
      }
      warnings = try DataCheck.warnings(of: app, with: store, before: AppNote.read(store))
    } catch {
      errors = ["\(error)"]
    }
  }

  /// - Parameter others: the apps of which the folder has data.
  private mutating func noteBeginning(_ appID: String, _ others: [String]) {
    let text = "the data folder has no data of \(appID), which begins without users and data"
    guard !others.isEmpty else { return notes.append("\(text). If it should have some, check --data") }
    warnings.append(
      "\(text). It has those of \(others.joined(separator: ", ")); if the app_id was changed by mistake, change it back"
    )
  }

  /// Returns what a directory changes or leaves out although there are data or clients that need it.
  ///
  /// - Parameter note: What was known of the directory before; nil if nothing was.
  static func warnings(of app: AppConfiguration, with store: ServerStore, before note: AppNote?) throws
    -> [String]
  {
    let warnings = [
      try undeclaredClasses(app, store), try forbiddenSubscriptions(app, store), versionChange(app, note),
    ]
    return warnings.compactMap(\.self)
  }

  /// Outside of development mode, the default roles do not apply to classes that the directory does not declare.
  private static func undeclaredClasses(_ app: AppConfiguration, _ store: ServerStore) throws -> String? {
    guard !app.sync.isDevelopmentMode else { return nil }
    var one = RowSelection.all
    one.limit = 1
    let names = try store.objects.tables.values.filter { table in
      guard !table.isEmbedded, app.schema[table.name] == nil else { return false }
      return try store.objects.count(table, one) > 0
    }.map { "\"\($0.name)\"" }.sorted()
    guard !names.isEmpty else { return nil }
    return
      "the data have objects of \(names.joined(separator: ", ")), which the app directory does not declare: outside of "
      + "development mode nobody may read or write them, and they leave the devices. If clients added what is missing "
      + "in development mode, flexsyncd apps schema prints the files for the app directory"
  }

  /// Clients whose active subscriptions become forbidden have to start over without them.
  private static func forbiddenSubscriptions(_ app: AppConfiguration, _ store: ServerStore) throws -> String?
  {
    guard let forbidden = try ForbiddenSubscriptions(app: app, store: store) else { return nil }
    return
      "\(forbidden.fileCount) client files have subscriptions that the app directory does not allow, such as: "
      + "\(forbidden.reason). Their client resets fail, and what they have not uploaded is left only in backup files on "
      + "the devices. If the fields were removed from the queryable ones by mistake, add them again before the server "
      + "reads the directory"
  }

  private static func versionChange(_ app: AppConfiguration, _ note: AppNote?) -> String? {
    guard let note, note.schemaVersion != app.sync.schemaVersion else { return nil }
    return
      "sync/config.json: schema_version is \(app.sync.schemaVersion), and was \(note.schemaVersion): clients of the "
      + "former version are refused with error 235 as soon as they connect again"
  }
}
