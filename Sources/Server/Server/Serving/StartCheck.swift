// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncEngine
import FlexSyncServerSupport

/// Checks all apps of a server before it writes anything, because the classes that a start declares stay declared for
/// good.
struct StartCheck {
  let dataFolder: String

  /// - Throws: `ServerError` or `StorageError` if the server cannot serve the apps with this data folder.
  func check(_ apps: [AppConfiguration]) throws {
    var directories: [String: String] = [:]
    for app in apps {
      if let other = directories.updateValue(app.directory, forKey: app.appID) {
        throw ServerError(
          "\(other) and \(app.directory) have the same app_id, \(app.appID); a server serves it once"
        )
      }
      try AccountService.check(app)
      try DataFolder.checkBeginning(in: dataFolder, appID: app.appID)
      let stored = try DataFolder.storedSchema(in: dataFolder, appID: app.appID)
      _ = try AppSchema.combined(stored, with: app)
    }
  }
}
