// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncDocuments
import FlexSyncJSON
import FlexSyncScheduling
import FlexSyncServerStore

/// Imports the documents of an unsynced collection as the custom data of users. The document of a user who already
/// has one is replaced; the user need not exist yet.
struct CustomDataImport: ImportTarget {
  let configuration: CustomUserDataConfiguration
  /// Nil if there is no data yet.
  let presentStore: ServerStore?
  let clock: WallClock

  func identity(_ document: JSON) throws -> [UInt8] { Array(try userID(of: document).utf8) }

  func isNew(_ document: JSON) throws -> Bool {
    let userID = try userID(of: document)
    return try presentStore?.customData(userID: userID) == nil
  }

  func unknownFields(_ document: JSON) -> [String] { [] }

  /// Imports the documents in one transaction.
  func take(_ documents: DocumentFile, into store: ServerStore) throws {
    var seen: Set<[UInt8]> = []
    try store.write {
      try documents.forEachEntry { entry in
        guard let document = try? entry.json.get(), let userID = try? userID(of: document) else { return }
        guard seen.insert(Array(userID.utf8)).inserted else { return }
        try store.setCustomData(ExtendedJSON.relaxed(document).serialized, userID: userID)
        try store.noteAccountChange(userID: userID, time: clock.seconds)
      }
    }
  }

  private func userID(of document: JSON) throws -> String {
    let value = document[configuration.userIDField]
    guard let userID = value?.stringValue ?? value?["$oid"]?.stringValue, !userID.isEmpty else {
      throw DocumentError(description: "field \"\(configuration.userIDField)\" does not identify a user")
    }
    return userID
  }
}
