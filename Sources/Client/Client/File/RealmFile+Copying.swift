// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// A copy of a realm file becomes a file of its own.
extension RealmFile {
  /// Gives the copy to an owner, within the open write transaction.
  ///
  /// A synced copy asks for a client file ident of its own and continues from the server version that it was copied at
  /// (protocol §3.4). It has no history, because what the original has not uploaded would reach the server twice.
  ///
  /// - Throws: `CoreError` UNSUPPORTED.
  func adopt(_ newOwner: RealmOwner) throws {
    switch (owner, newOwner) {
    case (.local, .local): break
    case (.local, .synced):
      throw CoreError.unsupported(
        "Realm cannot be converted to a flexible sync realm unless flexible sync is already enabled"
      )
    case (.synced, .local): try becomeLocal()
    case (.synced(let appID, _), .synced(let newAppID, let userID)):
      guard appID == newAppID else {
        throw CoreError.unsupported(
          "The copy of a synced realm must belong to the same app, which is '\(appID)'."
        )
      }
      try becomeCopy(of: userID)
    }
  }

  private func becomeLocal() throws {
    try objects.removeClasses { $0.kind == .asymmetric }
    try forgetSync()
    try database.execute(
      """
      DELETE FROM flx_subscriptions;
      DELETE FROM flx_subscription_sets;
      UPDATE flx_metadata SET app_id = NULL, user_id = NULL, client_version = 1, schema_version = NULL,
        download_server_version = 0, upload_server_version = 0, latest_server_version = 0, latest_server_salt = 0
      """
    )
  }

  private func becomeCopy(of userID: String) throws {
    guard try database.integer("SELECT count(*) FROM flx_history") == 0 else {
      throw CoreError.unsupported("All client changes must be integrated in server before writing copy")
    }
    try keepClientVersion()
    try forgetSync()
    try database.run("UPDATE flx_metadata SET user_id = ?1", [userID])
    // Nothing is uploaded before the first set.
    try database.execute("UPDATE flx_subscription_sets SET snapshot_version = 0")
  }

  /// Forgets what connects the file with one client file of the server.
  private func forgetSync() throws {
    try database.execute(
      """
      DELETE FROM flx_history;
      DELETE FROM flx_pending_bootstrap;
      DELETE FROM flx_pending_bootstrap_end;
      DELETE FROM flx_rejected_writes;
      DELETE FROM flx_client_reset;
      UPDATE flx_metadata SET file_ident = 0, file_salt = 0, download_client_version = 0, upload_client_version = 0
      """
    )
  }
}
