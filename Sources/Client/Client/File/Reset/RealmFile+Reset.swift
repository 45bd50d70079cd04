// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

/// Adopting the state of a fresh copy (protocol §9.4).
extension RealmFile {
  /// Gives the file the state of a fresh copy in one transaction: objects, schema, client file ident and cursors.
  /// Only differences are written.
  ///
  /// The subscription sets of the file keep their versions; the active set of the copy must have the version of the
  /// set in the file that it stands for.
  ///
  /// - Parameters:
  ///   - fresh: the copy, downloaded under its own client file ident; it has uploaded nothing.
  ///   - kind: the treatment of unacknowledged changes. Their additions to the schema stay in any case.
  /// - Throws: `ClientResetError` if the copy cannot replace the file, which is then unchanged.
  public func reset(to fresh: RealmFile, _ kind: ClientResetKind) throws {
    guard let ident = try fresh.fileIdent(), let active = try fresh.activeSubscriptionSet() else {
      throw StorageError.misuse("'\(fresh.database.path)' has not been downloaded yet.")
    }
    // A server that has lost its data may assign the same ident again.
    knownChanges = nil
    try database.write {
      try keepClientVersion()
      try fresh.database.read {
        objects.startReusingRows()
        defer { objects.stopReusingRows() }
        try takeState(of: fresh, kind)
        try setFileIdent(ident)
        try takeProgress(of: fresh)
        try takeSubscriptions(active, kind)
        try restoreLostRejections()
        _ = try advanceClientVersion()
      }
    }
  }

  /// Adds a set of another file to this copy as the newest, pending under the same version.
  public func adoptSubscriptionSet(_ set: StoredSubscriptionSet) throws {
    var set = set
    set.state = .pending
    set.snapshotVersion = 0
    try database.write { try insert(set) }
  }

  private func takeState(of fresh: RealmFile, _ kind: ClientResetKind) throws {
    let changes = try unacknowledgedChanges()
    let wanted = try fresh.objects.schema
    try objects.schema.checkCovered(by: wanted, additions: changes.flatMap(\.instructions))
    do {
      try objects.declare(wanted)
    } catch let error as StorageError where error.kind == .schemaConflict {
      throw ClientResetError(error.message)
    }
    guard kind == .recover, !changes.isEmpty else {
      try StateTransfer(source: fresh.objects, target: objects).run()
      return try keepDeclarations(of: changes, after: fresh)
    }
    // A second connection still sees the state before this transaction.
    let former = try RealmFile.open(database.configuration, owner: owner)
    try former.database.read {
      try StateTransfer(source: fresh.objects, target: objects).run()
      try recover(changes, from: former, after: fresh)
    }
  }

  // MARK: History

  private struct LocalChange {
    let version: UInt64
    let instructions: [Instruction]
  }

  private func unacknowledgedChanges() throws -> [LocalChange] {
    try uploads(after: try progress().upload.clientVersion, byteLimit: .max).entries.map { entry in
      do {
        let instructions = try ChangesetCodec.decode(entry.changeset).instructions
        return LocalChange(version: entry.clientVersion, instructions: instructions)
      } catch {
        throw ClientResetError("the history is damaged at version \(entry.clientVersion): \(error)")
      }
    }
  }

  private func recover(_ changes: [LocalChange], from former: RealmFile, after fresh: RealmFile) throws {
    let recovery = ChangeRecovery(store: objects, former: former.objects)
    try replaceHistory(after: fresh, changes) { try recovery.recover($0.instructions) }
  }

  /// Keeps the declarations, because the server has yet to receive classes and properties that only this file has.
  private func keepDeclarations(of changes: [LocalChange], after fresh: RealmFile) throws {
    try replaceHistory(after: fresh, changes) { $0.instructions.filter(\.isDeclaration) }
  }

  /// Replaces the changesets of the history with the results of `body`, based on the state of the fresh copy.
  private func replaceHistory(
    after fresh: RealmFile,
    _ changes: [LocalChange],
    _ body: (LocalChange) throws -> [Instruction]
  ) throws {
    let base = try fresh.progress().download.serverVersion
    let first = changes.first?.version ?? .max
    try database.run("DELETE FROM flx_history WHERE version < ?1", [min(first, UInt64(Int64.max))])
    for change in changes {
      let instructions = try body(change)
      guard !instructions.isEmpty else {
        try removeHistory(change.version)
        continue
      }
      try replaceHistory(change.version, ChangesetCodec.encode(instructions), base: base)
    }
  }

  private func removeHistory(_ version: UInt64) throws {
    try database.run("DELETE FROM flx_history WHERE version = ?1", [version])
  }

  private func replaceHistory(_ version: UInt64, _ bytes: [UInt8], base: UInt64) throws {
    guard bytes.count <= Changeset.longestByteCount else {
      throw ClientResetError("a recovered change has \(bytes.count) bytes, more than can be synced at a time")
    }
    let sql = """
      UPDATE flx_history SET changeset = ?1, byte_count = NULL, reciprocal = NULL, base_server_version = ?2
      WHERE version = ?3
      """
    try database.run(sql, [bytes, base, version])
  }

  // MARK: Progress and subscriptions

  private func takeProgress(of fresh: RealmFile) throws {
    var progress = try fresh.progress()
    progress.download.clientVersion = 0
    progress.upload = .start
    try saveProgress(progress)
  }

  private func takeSubscriptions(_ active: StoredSubscriptionSet, _ kind: ClientResetKind) throws {
    guard try subscriptionSet(version: active.version) != nil else {
      throw ClientResetError(
        "the fresh copy has subscription set \(active.version), which the file does not have"
      )
    }
    try supersede(before: active.version)
    try database.execute(
      """
      DELETE FROM flx_pending_bootstrap;
      DELETE FROM flx_pending_bootstrap_end;
      UPDATE flx_subscription_sets SET state = \(SubscriptionSetState.pending.rawValue)
        WHERE state = \(SubscriptionSetState.bootstrapping.rawValue);
      UPDATE flx_subscription_sets SET state = \(active.state.rawValue), error = NULL
        WHERE version = \(active.version);
      """
    )
    guard kind == .discard else { return }
    try database.execute(
      """
      DELETE FROM flx_subscription_sets WHERE version > \(active.version);
      DELETE FROM flx_subscriptions WHERE set_version > \(active.version);
      """
    )
  }
}

extension Instruction {
  /// Whether the instruction adds to the schema.
  fileprivate var isDeclaration: Bool {
    switch self {
    case .addTable, .addColumn: true
    default: false
    }
  }
}

extension Schema {
  /// Checks that the server still has all classes and properties except those it has not received yet.
  ///
  /// - Parameter additions: local changes that the server has not acknowledged.
  /// - Throws: `ClientResetError`.
  fileprivate func checkCovered(by wanted: Schema, additions: [Instruction]) throws {
    var known = wanted
    for instruction in additions {
      switch instruction {
      case .addTable(let name, let kind, _) where known[name] == nil:
        known[name] = ClassSchema(name: name, kind: kind, primaryKey: self[name]?.primaryKey, properties: [])
      case .addColumn(let table, let property, _): known[table]?.properties.append(property)
      default: break
      }
    }
    for local in classes {
      guard let there = known[local.name] else {
        throw ClientResetError("the server no longer has a class '\(local.name)'")
      }
      for property in local.properties where there.property(named: property.name) == nil {
        throw ClientResetError("the server no longer has a property '\(local.name).\(property.name)'")
      }
    }
  }
}
