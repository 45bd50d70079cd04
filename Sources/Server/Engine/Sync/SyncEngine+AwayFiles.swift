// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncRules
import FlexSyncServerStore
import Logging

/// Records the current permissions of users with the files of their devices that are away. If the permissions change
/// again before a device returns, it does not receive what its user was not allowed to see in between.
extension SyncEngine {
  /// The number of files that are read at once.
  private static let awayFilesAtATime = 64

  /// Whether there is anything to record and the time is right. After a failed turn, recording waits for one that
  /// succeeds, because the disk may be full.
  var hasAwayFilesToNote: Bool { !lastTurnFailed && (awaySweep != nil || !changedPermissions.isEmpty) }

  /// Records the permissions with the files of users whose permissions have changed and, if those of all users may
  /// have, with the next few of all files. Must be called inside a write, when all sessions have their current
  /// permissions.
  ///
  /// - Parameter known: permissions that have already been looked up.
  func noteAwayFiles(_ known: inout [String: Permissions], _ meter: TurnMeter) throws {
    let count = try noteUsers(&known, meter)
    guard count == changedPermissions.userIDs.count else {
      return afterCommit.append { [self] in changedPermissions.removeFirst(count) }
    }
    let last = try sweep(&known, meter)
    if last == nil, staleFiles.isEmpty { try store(permissionsSince: nil) }
    afterCommit.append { [self] in
      guard staleFiles.isEmpty else { return }
      awaySweep = last
      if last == nil {
        changedPermissions = OutdatedPermissions()
      } else {
        changedPermissions.removeFirst(count)
      }
    }
  }

  /// - Returns: The number of users whose files are done.
  private func noteUsers(_ known: inout [String: Permissions], _ meter: TurnMeter) throws -> Int {
    for (index, userID) in changedPermissions.userIDs.enumerated() {
      if index > 0, meter.isExhausted { return index }
      for ident in try store.fileIdents(of: userID) {
        try note(away: ident, &known)
        meter.count()
      }
    }
    return changedPermissions.userIDs.count
  }

  /// Stores the version since which permissions have changed without being recorded with all files. After a crash,
  /// what users were allowed to see since then is treated as nothing. Must be called inside a write.
  func storeWhenPermissionsChanged() throws { try store(permissionsSince: changedPermissions.first) }

  private func store(permissionsSince version: UInt64?) throws {
    let since = version.map { Int64(clamping: $0) } ?? SyncEngine.allPermissionsNoted
    guard since != storedPermissionsSince else { return }
    try store.set(SyncEngine.permissionsSinceName, to: since)
    storedPermissionsSince = since
  }

  /// Returns the first version after which permissions may have changed without being recorded with all files.
  static func versionOfUnnotedPermissions(_ store: ServerStore) throws -> UInt64? {
    guard let since = try store.setting(permissionsSinceName), since != allPermissionsNoted else {
      return nil
    }
    return UInt64(clamping: since)
  }

  private static let permissionsSinceName = "permissions_since"
  private static let allPermissionsNoted: Int64 = -1

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
      try record.note(permissions(ofAway: record.userID, &known), of: classNames, since: versions)
    } catch  where SyncEngine.concernsOneSession(error) {
      // The device learns when it returns that its queries are no longer allowed.
      logger.debug(
        "could not record changed permissions",
        metadata: ["file": "\(ident)", "error": "\(error)"]
      )
    }
    if !UTF8Order.areEqual(record.passedPermissions, before) { try store.update(record) }
  }

  /// Returns the user's current permissions: none if they cannot be determined.
  private func permissions(ofAway userID: String, _ known: inout [String: Permissions]) throws -> Permissions
  {
    if let permissions = known[userID] { return permissions }
    do {
      known[userID] = try permissions(of: userID)
    } catch  where SyncEngine.concernsOneSession(error) {
      logger.warning("could not determine permissions", metadata: ["user": "\(userID)", "error": "\(error)"])
    }
    return known[userID] ?? Permissions(classes: [:])
  }
}
