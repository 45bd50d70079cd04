// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncStore

/// Keeping rejected writes before they are trimmed from the history.
extension RealmFile {
  /// Keeps writes that were rejected although there is nothing to revert, such as those of asymmetric objects
  /// (protocol §8.3).
  public func keep(_ rejection: ServerRejection) throws {
    try database.write {
      try keep([rejection], rejectedAt: 0)
      try limitRejectedWrites()
    }
  }

  /// Keeps what the server rejects: for each object, its changes in the rejected transaction, and the later ones,
  /// which the server reverts along with them.
  ///
  /// - Parameter rejectedAt: the time of the rejection; 0 to use the time of the last write instead.
  func keep(_ rejections: [ServerRejection], rejectedAt: UInt64) throws {
    for rejection in rejections where !rejection.objects.isEmpty {
      let objects = Set(rejection.objects.map(\.object))
      let changes = try localChanges(of: objects, from: rejection.clientVersion)
      for rejected in rejection.objects {
        let kept = try keptVersions(of: rejected.object)
        let new = changes[rejected.object, default: []].filter { change in
          !kept.contains { $0.contains(change.version) }
        }
        // The app has already been notified of it.
        if new.isEmpty, kept.contains(where: { $0.contains(rejection.clientVersion) }) { continue }
        try keep(rejected, new, rejection, rejectedAt: rejectedAt)
      }
    }
  }

  /// Keeps changes lost to the erasure of their object, and queues their report to the app.
  func keep(_ lost: [LostChanges], serverVersion: UInt64, rejectedAt: UInt64) throws {
    guard !lost.isEmpty else { return }
    let error = RejectionError(code: 0, message: LostChanges.message)
    for lost in lost {
      let kept = try keptVersions(of: lost.object)
      let new = lost.changes.filter { change in !kept.contains { $0.contains(change.version) } }
      guard let first = new.first else { continue }
      let rejection = ServerRejection(
        error: error,
        clientVersion: first.version,
        serverVersion: serverVersion,
        objects: []
      )
      let rejected = ServerRejection.Object(object: lost.object, reason: lost.reason)
      try keep(rejected, new, rejection, rejectedAt: rejectedAt)
    }
  }

  private func keep(
    _ rejected: ServerRejection.Object,
    _ changes: [ObjectChange],
    _ rejection: ServerRejection,
    rejectedAt: UInt64
  ) throws {
    CrashPoint.reached(.clientBeforeRejectedWrite)
    defer { CrashPoint.reached(.clientAfterRejectedWrite) }
    mayHaveUntoldRejections = true
    let instructions = changes.flatMap(\.instructions)
    let written = changes.last?.timestamp ?? rejectedAt
    let former = try resubmitted(rejected.object, in: changes)
    // A write that is rejected again keeps its id.
    let sql = """
      INSERT OR REPLACE INTO flx_rejected_writes
        (id, class, key, state, reason, error_code, error_text, log_url, server_version, first_version, last_version,
         written, rejected, changeset, resubmitted_version, is_told)
      VALUES (?1, ?2, ?3, \(RejectedWrite.State.kept.rawValue), ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, NULL, 0)
      """
    try database.withStatement(sql) {
      if let former { $0.bind(former, at: 1) }
      $0.bind(rejected.object.table, at: 2)
      $0.bind(KeyCoding.encode(rejected.object.key), at: 3)
      $0.bind(rejected.reason, at: 4)
      $0.bind(rejection.error.code, at: 5)
      $0.bind(rejection.error.message, at: 6)
      $0.bind(rejection.error.logURL, at: 7)
      $0.bind(rejection.serverVersion, at: 8)
      $0.bind(changes.first?.version ?? rejection.clientVersion, at: 9)
      $0.bind(changes.last?.version ?? rejection.clientVersion, at: 10)
      $0.bind(written, at: 11)
      $0.bind(max(rejectedAt, written), at: 12)
      $0.bind(instructions.isEmpty ? [] : ChangesetCodec.encode(instructions), at: 13)
      try runChangingRejectedWrites($0)
    }
  }

  // MARK: Looking

  /// Returns the version ranges of an object's changes that are kept already.
  private func keptVersions(of object: ObjectReference) throws -> [ClosedRange<UInt64>] {
    let sql = """
      SELECT first_version, last_version FROM flx_rejected_writes
      WHERE class = ?1 AND key = ?2 AND state = \(RejectedWrite.State.kept.rawValue)
      """
    return try database.withStatement(sql) { statement in
      statement.bind(object.table, at: 1)
      statement.bind(KeyCoding.encode(object.key), at: 2)
      var ranges: [ClosedRange<UInt64>] = []
      while try statement.step() {
        let first = statement.unsigned(0)
        ranges.append(first...max(first, statement.unsigned(1)))
      }
      return ranges
    }
  }

  /// Returns the id of a rejected write to the object that one of the transactions resubmitted.
  private func resubmitted(_ object: ObjectReference, in changes: [ObjectChange]) throws -> Int64? {
    let sql = """
      SELECT id, resubmitted_version FROM flx_rejected_writes
      WHERE class = ?1 AND key = ?2 AND state = \(RejectedWrite.State.resubmitted.rawValue) ORDER BY id
      """
    return try database.withStatement(sql) { statement in
      statement.bind(object.table, at: 1)
      statement.bind(KeyCoding.encode(object.key), at: 2)
      while try statement.step() {
        let version = statement.unsigned(1)
        if changes.contains(where: { $0.version == version }) { return statement.int(0) }
      }
      return nil
    }
  }

  /// Returns the changes to some objects that the history holds from a version on, in reciprocal form. At that
  /// version itself, objects without reciprocal changes get the original ones: an erasure may have removed these
  /// before the server's rejection arrived.
  private func localChanges(of objects: Set<ObjectReference>, from first: UInt64) throws
    -> [ObjectReference: [ObjectChange]]
  {
    let sql = """
      SELECT version, timestamp, changeset, ifnull(reciprocal, changeset), reciprocal IS NOT NULL FROM flx_history
      WHERE version >= ?1 ORDER BY version
      """
    return try database.withStatement(sql) { statement in
      statement.bind(first, at: 1)
      var changes: [ObjectReference: [ObjectChange]] = [:]
      while try statement.step() {
        let version = statement.unsigned(0)
        var concerned = try instructions(statement.unpacked(3), on: objects, version)
        if version == first, statement.int(4) != 0 {
          concerned.merge(try instructions(statement.unpacked(2), on: objects, version)) { left, _ in left }
        }
        for (object, instructions) in concerned {
          changes[object, default: []].append(
            ObjectChange(version: version, timestamp: statement.unsigned(1), instructions: instructions)
          )
        }
      }
      return changes
    }
  }

  private func instructions(_ changeset: [UInt8], on objects: Set<ObjectReference>, _ version: UInt64) throws
    -> [ObjectReference: [Instruction]]
  {
    do {
      var concerned: [ObjectReference: [Instruction]] = [:]
      for instruction in try ChangesetCodec.decode(changeset).instructions {
        guard let object = instruction.object, objects.contains(object) else { continue }
        concerned[object, default: []].append(instruction)
      }
      return concerned
    } catch {
      throw damaged("its history at version \(version) cannot be read: \(error)")
    }
  }
}
