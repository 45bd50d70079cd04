// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// The record of a client reset, stored so that the reset survives the end of the process and a loss of power.
extension RealmFile {
  /// Returns the reset that is due or not yet confirmed; nil if there is none.
  public func clientReset() throws -> ClientResetRecord? {
    try database.withStatement("SELECT stage, kind, code, text FROM flx_client_reset") { statement in
      guard try statement.step() else { return nil }
      guard let stage = ClientResetRecord.Stage(rawValue: statement.int(0)),
        let kind = ClientResetKind(rawValue: statement.int(1))
      else {
        throw StorageError(
          kind: .corrupt,
          message: "The client reset of '\(database.path)' has an invalid state. Delete the file."
        )
      }
      return ClientResetRecord(stage: stage, kind: kind, code: statement.int(2), text: statement.text(3))
    }
  }

  /// Replaces the stored record; nil deletes it.
  public func setClientReset(_ record: ClientResetRecord?) throws {
    try database.write {
      guard let record else {
        guard try clientReset() != nil else { return }
        return try database.execute("DELETE FROM flx_client_reset")
      }
      let sql =
        "INSERT OR REPLACE INTO flx_client_reset (id, stage, kind, code, text) VALUES (1, ?1, ?2, ?3, ?4)"
      try database.run(sql, [record.stage.rawValue, record.kind.rawValue, record.code, record.text])
    }
  }
}
