// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncServerStore
import FlexSyncServerSupport

/// The operator's overview of an app in a data folder.
public struct AppSummary: Sendable {
  public var id: String
  public var userCount: Int64
  public var clientFileCount: Int64
  /// The newest version of the history.
  public var version: Int64
  /// The number of objects per class, by class name.
  public var objectCounts: [(className: String, count: Int)]
  /// The size of the database in bytes.
  public var byteCount: Int64

  /// The JSON that `--json` prints.
  public var json: JSON {
    [
      "id": .string(id), "users": .integer(userCount), "client_files": .integer(clientFileCount),
      "version": .integer(version), "bytes": .integer(byteCount),
      "objects": .object(objectCounts.map { JSON.Member($0.className, .integer(Int64($0.count))) }),
    ]
  }

  /// Returns the apps of a data folder.
  ///
  /// - Throws: `ServerError` if the folder does not exist or is not one of a server, `FileError`, `StorageError`.
  public static func all(dataFolder: String) throws -> [AppSummary] {
    let folder = try DataFolder.existing(dataFolder)
    try DataFolder.checkStores(in: dataFolder)
    let appIDs = try folder.appIDs()
    guard !appIDs.isEmpty || DataFolder.isUsed(dataFolder) else {
      throw ServerError("\(dataFolder) has no data of a server; check --data")
    }
    return try appIDs.map { try AppSummary(id: $0, store: try folder.openExistingStore(appID: $0)) }
  }

  /// Returns one app of a data folder.
  ///
  /// - Parameter app: The app's identifier or directory; nil if the data folder has only one app.
  public static func one(_ app: String?, dataFolder: String) throws -> AppSummary {
    let folder = try DataFolder.existing(dataFolder)
    let appID = try folder.app(app).id
    return try AppSummary(id: appID, store: try folder.openExistingStore(appID: appID))
  }

  private init(id: String, store: ServerStore) throws {
    self.id = id
    let numbers = try store.numbers()
    userCount = try store.userCount()
    clientFileCount = numbers.fileCount
    version = numbers.version
    byteCount = numbers.byteCount
    let tables = try store.objects.tables.values.sorted { $0.name < $1.name }
    objectCounts = try tables.filter { !$0.isEmbedded }.map { ($0.name, try store.objects.count($0)) }
  }
}
