// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Realm {
  /// Deletes the files of a realm that is not open. Returns false if there were none.
  ///
  /// - Throws: `Realm.Error` with code `alreadyOpen` while it is open, in this process or another; `multipleSyncAgents`
  ///   while another process syncs it; `invalidDatabase` for a file that is not a realm, which is left in place.
  @discardableResult
  public static func deleteFiles(for configuration: Configuration) throws -> Bool {
    try configuration.deleteFiles()
  }

  /// Writes a compact copy of the realm to a new file of a local realm. The copy has the committed data.
  ///
  /// - Parameter encryptionKey: must be nil. See `Configuration.encryptionKey`.
  /// - Throws: `Realm.Error`, with code `fileExists` if there is a file, and in a write transaction.
  public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
    try writeCopy(configuration: Configuration(fileURL: fileURL, encryptionKey: encryptionKey))
  }

  /// Writes a compact copy of the realm to the file of a configuration. The copy has the committed data.
  ///
  /// The copy of a synced realm for a user of the same app is a synced realm, which devices can start from
  /// (`Configuration.seedFilePath`); for a configuration without a user, it is a local one. A synced copy continues where
  /// the original was. The server can do that if the device of the original has never uploaded changes, and has downloaded
  /// none since; otherwise the first connection of the copy makes a client reset.
  ///
  /// The local copy of a synced realm also has the properties of the server's schema that the classes of the program lack.
  /// As for every local realm, that is a difference that needs a migration: open the copy with `schemaVersion` 1 or higher,
  /// which removes these properties, or with `readOnly`.
  ///
  /// - Throws: `Realm.Error`, with code `fileExists` if there is a file; in a write transaction, for a synced copy of a
  ///   local realm, and for one of a realm with changes that have not been uploaded.
  public func writeCopy(configuration: Configuration) throws {
    try configuration.refuseEncryption()
    do {
      try handle.writeCopy(configuration)
    } catch let error as Realm.Error where !configuration.path.isEmpty {
      throw error.ofOpening(configuration.path)
    }
  }

  /// Whether the file of a configuration exists. A realm in memory has none.
  public static func fileExists(for configuration: Configuration) -> Bool {
    configuration.fileExists
  }
}
