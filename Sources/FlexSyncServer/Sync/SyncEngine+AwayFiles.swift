// SPDX-License-Identifier: Apache-2.0

import FlexSyncStorage
import Logging

/// Notes with the files of devices that are away what their users may see now. If the permissions change once more before
/// a device comes back, it is not told what it might not see in between.
extension SyncEngine {
  /// How many files are looked for at a time.
  private static let awayFilesAtATime = 64

  /// Whether that is worth a write. After a turn that failed, it waits for one that succeeds: the disk may be full.
  var hasAwayFilesToNote: Bool { !lastTurnFailed && (awaySweep != nil || !changedPermissions.isEmpty) }

  /// Notes it with the files of the users whose permissions have changed, and with some of all files if everybody's have.
  /// Inside a write, when all sessions know theirs.
  ///
  /// - Parameter known: permissions that have been looked up.
  func noteAwayFiles(_ known: inout [String: Permissions], _ meter: TurnMeter) throws {
    for userID in changedPermissions.users.keys.sorted() {
      for ident in try store.fileIdents(of: userID) { try note(away: ident, &known) }
    }
    let last = try sweep(&known, meter)
    afterCommit.append { [self] in
      guard staleFiles.isEmpty else { return }
      awaySweep = last
      changedPermissions = last == nil ? OutdatedPermissions() : changedPermissions.ofEverybody
    }
  }

  /// - Returns: the last file that is done; nil if all are.
  private func sweep(_ known: inout [String: Permissions], _ meter: TurnMeter) throws -> UInt64? {
    guard var last = awaySweep else { return nil }
    repeat {
      let idents = try store.subscribedFileIdents(after: last, maximumCount: SyncEngine.awayFilesAtATime)
      for ident in idents {
        try note(away: ident, &known)
        last = ident
        meter.count()
        if meter.isExhausted { return last }
      }
      if idents.count < SyncEngine.awayFilesAtATime { return nil }
    } while true
  }

  private func note(away ident: UInt64, _ known: inout [String: Permissions]) throws {
    guard live[ident] == nil, var record = try store.file(ident: ident),
      let versions = changedPermissions.versions(of: record.userID)
    else { return }
    let before = record.passedPermissions
    do {
      let classNames = try schema.view(body: record.query).queriedClassNames
      guard !classNames.isEmpty else { return }
      let permissions = try known[record.userID] ?? permissions(of: record.userID)
      known[record.userID] = permissions
      try record.note(permissions, of: classNames, since: versions)
    } catch  where SyncEngine.concernsOneSession(error) {
      // The device is told when it comes back.
      logger.debug("permissions cannot be noted", metadata: ["file": "\(ident)", "error": "\(error)"])
    }
    if record.passedPermissions != before { try store.update(record) }
  }
}
