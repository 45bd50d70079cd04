// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncStorage

/// Brings the documents of a collection that is not synced to the users whose custom data they are.
struct CustomDataImport {
  let configuration: CustomUserDataConfiguration
  let store: ServerStore
  let clock: WallClock

  /// Imports all documents or none. A document of a user who has one replaces it; the user need not exist yet.
  ///
  /// - Returns: How many documents there were.
  func run(_ documents: DocumentFile) throws -> Int {
    var count = 0
    try store.write {
      try documents.forEach { document in
        let userID = try userID(of: document)
        try store.setCustomData(ExtendedJSON.relaxed(document.json).serialized, userID: userID)
        try store.noteAccountChange(userID: userID, time: clock.seconds)
        count += 1
      }
    }
    return count
  }

  private func userID(of document: DocumentFile.Document) throws -> String {
    let value = document.json[configuration.userIDField]
    guard let userID = value?.stringValue ?? value?["$oid"]?.stringValue, !userID.isEmpty else {
      throw DocumentError(
        description: "\(document.place): field \"\(configuration.userIDField)\" names no user"
      )
    }
    return userID
  }
}
