// SPDX-License-Identifier: Apache-2.0

import FlexSyncStorage

extension SyncEngine {
  /// Takes back bootstraps of which the client has been sent nothing, since a newer query set takes their place
  /// (protocol §4.5): nobody waits for what they look for. Inside a write; the stream is extended to now, and its file not
  /// among the live views.
  func supersedeBootstraps(of session: SyncSession, _ file: LiveFile) throws {
    let delivered = session.cursor.serverVersion
    guard let first = try store.firstBootstrap(file: file.ident, after: delivered),
      first.record.placedVersion >= (try HistoryFloor(store: store).version)
    else { return }
    let begun = session.bootstrap.flatMap { $0.version == first.version ? nil : $0 }
    let newest = file.record.queryVersion
    // What is in force when everything before has been delivered.
    file.record.queryVersion = begun?.queryVersion ?? session.queryVersion
    do {
      try writer.replaceUnfinishedBootstrap(first.record, version: first.version, in: file)
    } catch is QuerySetRefusal {
      // The app does not allow the view before it any more, so that it cannot be gone back to. Nothing has been done.
      file.record.queryVersion = newest
      return
    }
    session.bootstrap = begun
    session.preparedBootstraps = [:]
  }
}
