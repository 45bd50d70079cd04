// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset

/// Resubmitting rejected writes.
extension RealmFile {
  /// Applies a rejected write to the current objects, in the open write transaction. Parts that no longer apply are
  /// left out. The write stays listed until the server has acknowledged the transaction or rejected it again.
  ///
  /// - Returns: the applied instructions, for `recordLocalChanges`.
  /// - Throws: `ResubmissionError`, `StorageError`; nothing is applied then.
  public func resubmitRejectedWrite(_ id: Int64) throws -> [Instruction] {
    try database.requireWrite()
    let (write, instructions) = try requireKept(id)
    let isThere = try objects.row(of: write.object) != nil
    guard isThere || instructions.contains(.createObject(write.object)) else {
      throw impossible(write, "the object no longer exists, and the write did not create it")
    }
    try objects.flush()
    return try database.nested {
      let applied = try ChangeRecovery(store: objects, former: nil).recover(instructions)
      guard applied.contains(where: { !isThere || $0 != .createObject(write.object) }) else {
        throw impossible(write, "what it changed no longer exists")
      }
      try noteResubmitted(id)
      return applied
    }
  }

  private func requireKept(_ id: Int64) throws -> (write: RejectedWrite, instructions: [Instruction]) {
    guard let (write, instructions) = try rejectedWrite(id) else {
      throw ResubmissionError(
        kind: .notKept,
        description:
          "There is no rejected write \(id): it was discarded, or resubmitted and accepted by the server."
      )
    }
    guard write.state == .kept else {
      throw ResubmissionError(
        kind: .notKept,
        description:
          "The rejected write to \(write.object.words) was already resubmitted; the server has not answered yet."
      )
    }
    guard write.hasChanges else {
      throw impossible(write, "its changes were no longer in the history when the server rejected it")
    }
    return (write, instructions)
  }

  private func impossible(_ write: RejectedWrite, _ why: String) -> ResubmissionError {
    ResubmissionError(
      kind: .impossible,
      description: "The rejected write to \(write.object.words) cannot be resubmitted: \(why). "
        + "Make the changes that are still wanted again, and discard it."
    )
  }

  private func noteResubmitted(_ id: Int64) throws {
    let sql = """
      UPDATE flx_rejected_writes SET state = \(RejectedWrite.State.resubmitted.rawValue), resubmitted_version = ?2
      WHERE id = ?1
      """
    try database.withStatement(sql) {
      $0.bind(id, at: 1)
      $0.bind(try clientVersion() + 1, at: 2)
      try runChangingRejectedWrites($0)
    }
  }

  /// Deletes resubmitted writes that the server has acknowledged.
  func forgetAcknowledgedRejections(through clientVersion: UInt64) throws {
    let sql = """
      DELETE FROM flx_rejected_writes
      WHERE state = \(RejectedWrite.State.resubmitted.rawValue) AND resubmitted_version <= ?1
      """
    try database.withStatement(sql) {
      $0.bind(clientVersion, at: 1)
      try runChangingRejectedWrites($0)
    }
  }

  /// Turns resubmitted writes back into kept ones if a client reset has removed their transaction from the history.
  func restoreLostRejections() throws {
    let sql = """
      UPDATE flx_rejected_writes SET state = \(RejectedWrite.State.kept.rawValue), resubmitted_version = NULL
      WHERE state = \(RejectedWrite.State.resubmitted.rawValue)
        AND resubmitted_version NOT IN (SELECT version FROM flx_history)
      """
    _ = try database.withStatement(sql) { try runChangingRejectedWrites($0) }
  }
}

extension ObjectReference {
  fileprivate var words: String { "\"\(key.bareText)\" in table \"\(table)\"" }
}
