// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncStore
import FlexSyncWire

extension DownloadEntry {
  /// The time and the author of the change.
  var stamp: OriginStamp { OriginStamp(timestamp: timestamp, fileIdent: originFileIdent) }
}

/// Integration of downloads (protocol §5.1, §7.2).
extension RealmFile {
  /// Integrates a DOWNLOAD of the steady state in one transaction: the entries, merged with local changes that the
  /// server had not seen, and the cursors.
  ///
  /// - Parameter rejections: the errors whose changes this download reverts; the rejected writes are kept.
  /// - Returns: the client version afterwards; a new one if there were entries.
  /// - Throws: `IntegrationError` if a changeset is invalid; the file is then unchanged.
  @discardableResult
  public func integrate(
    _ entries: [DownloadEntry],
    progress: SyncProgress,
    rejections: [ServerRejection] = []
  ) throws -> UInt64 {
    // If anything fails, including the commit, the cached changes are no longer valid.
    var known = knownChanges
    knownChanges = nil
    let version = try database.write {
      // Drop an outdated cache here: without entries only the cursors move, after which it would pass for current.
      if try known?.serverVersion != self.progress().download.serverVersion { known = nil }
      try keep(rejections, rejectedAt: entries.last?.timestamp ?? 0)
      guard let first = entries.first else { return try finishIntegration(progress, hasChanges: false) }
      var concurrent = try concurrentChanges(after: first.clientVersion, known: known)
      var rest = entries[...]
      while let first = rest.first {
        let group = rest.prefix { $0.clientVersion == first.clientVersion }
        try apply(group, &concurrent)
        rest = rest[group.endIndex...]
      }
      try concurrent.save(database)
      known = concurrent
      return try finishIntegration(progress, hasChanges: true)
    }
    known?.serverVersion = progress.download.serverVersion
    knownChanges = known
    return version
  }

  /// Returns the local changes after a client version.
  ///
  /// - Parameter known: what was read of them before; used if it is still valid.
  func concurrentChanges(after clientVersion: UInt64, known: ConcurrentChanges? = nil) throws
    -> ConcurrentChanges
  {
    let ident = try fileIdent()?.ident ?? 0
    let serverVersion = try progress().download.serverVersion
    if var known, known.fileIdent == ident, known.serverVersion == serverVersion,
      try known.update(database, after: clientVersion)
    {
      return known
    }
    return try ConcurrentChanges(
      database,
      after: clientVersion,
      fileIdent: ident,
      serverVersion: serverVersion
    )
  }

  /// Merges and applies entries that share one base.
  func apply(
    _ group: ArraySlice<DownloadEntry>,
    _ concurrent: inout ConcurrentChanges,
    isBootstrap: Bool = false
  ) throws {
    guard let first = group.first else { return }
    do {
      if concurrent.isEmpty { return try group.forEach(applyUnmerged) }
      var incoming = try group.map {
        Changeset(stamp: $0.stamp, instructions: try ChangesetCodec.decode($0.changeset).instructions)
      }
      let lost = try concurrent.merge(&incoming, after: first.clientVersion, isBootstrap: isBootstrap)
      try keep(lost, serverVersion: first.serverVersion, rejectedAt: first.timestamp)
      for changeset in incoming { try apply(changeset.instructions, concurrent) }
    } catch  where error is ChangesetError || error is MergeError || error is ApplyError {
      throw IntegrationError(serverVersion: first.serverVersion, reason: "\(error)")
    }
  }

  /// Applies an entry that no local change is concurrent with.
  private func applyUnmerged(_ entry: DownloadEntry) throws {
    CrashPoint.reached(.clientBeforeEviction, if: ChangesetCodec.takesObjectsAway(entry.changeset))
    try objects.apply(encoded: entry.changeset)
    CrashPoint.reached(.clientAfterEviction, if: ChangesetCodec.takesObjectsAway(entry.changeset))
  }

  private func apply(_ instructions: [Instruction], _ concurrent: ConcurrentChanges) throws {
    CrashPoint.reached(.clientBeforeEviction, if: instructions.takesObjectsAway)
    defer { CrashPoint.reached(.clientAfterEviction, if: instructions.takesObjectsAway) }
    guard instructions.contains(where: concurrent.doubts) else { return try objects.apply(instructions) }
    for instruction in instructions {
      do {
        try objects.apply([instruction])
      } catch let error as ApplyError where concurrent.doubts(instruction) && error.isMismatch {
        // This predates the server's merge of the local changes; the server then sends the property in full.
        continue
      }
    }
  }

  /// Saves the cursors and drops the history that no later entry can be concurrent with.
  func finishIntegration(_ progress: SyncProgress, hasChanges: Bool) throws -> UInt64 {
    try saveProgress(progress)
    try keepClientVersion()
    try database.run(
      "DELETE FROM flx_history WHERE version <= ?1",
      [min(progress.upload.clientVersion, progress.download.clientVersion)]
    )
    CrashPoint.reached(.clientInsideTrimming)
    try forgetAcknowledgedRejections(through: progress.upload.clientVersion)
    return hasChanges ? try advanceClientVersion() : try clientVersion()
  }
}

extension ApplyError {
  /// Whether the instruction was made for a different state of the object.
  fileprivate var isMismatch: Bool {
    switch reason {
    case .missingPlace, .indexOutOfRange, .wrongPriorSize: true
    default: false
    }
  }
}
