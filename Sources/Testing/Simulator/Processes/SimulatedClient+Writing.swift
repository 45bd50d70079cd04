// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport

// Writes of the app.

/// The assignment of a role to a client's user.
struct RoleAssignment {
  let client: Int
  let number: Int
}

extension SimulatedClient {
  /// Commits one transaction with some edits of items and occasionally with a new role for a user.
  ///
  /// - Throws: `StorageError` if the disk fails. In that case the transaction has not happened, or the process is
  ///   dead.
  func write(editCount: Int, random: SeededGenerator, role: RoleAssignment? = nil) throws {
    guard let process, let active = try process.file.activeSubscriptionSet(), active.version > 0 else {
      return
    }
    let knowsMemos = active.subscriptions.contains { $0.className == SimulationSchema.memo }
    try commit(process, knowsMemos: knowsMemos, random: random) { edits in
      for index in 0...editCount {
        if index == editCount / 2, let role { try assign(role, &edits) }
        if index < editCount { try edits.edit() }
      }
    }
  }

  /// - Returns: The key of the transaction.
  @discardableResult
  private func commit(
    _ process: Process,
    knowsMemos: Bool,
    random: SeededGenerator,
    _ edit: (inout ItemEdits) throws -> Void
  ) throws -> String {
    let (key, sequence) = ledger.nextKey(client: number)
    do {
      let version = try process.coordinator.inTurn {
        try commit(process, key: key, knowsMemos: knowsMemos, random: random, edit)
      }
      ledger.note(key, client: number, sequence: sequence, fate: .committed, version: version)
    } catch {
      if disk.isCrashed { ledger.note(key, client: number, sequence: sequence, fate: .uncertain) }
      throw error
    }
    process.scheduler.turn { process.driver.localVersionAdvanced() }
    return key
  }

  /// Commits one transaction that writes into the client's own property of an item that the client shares with the
  /// server.
  ///
  /// - Returns: The note that was written; nil if there is no such item.
  /// - Throws: The same errors as `write`.
  func writeNote() throws -> (key: String, path: PropertyPath, text: String)? {
    guard let process, let active = try process.file.activeSubscriptionSet(), active.version > 0,
      let table = try process.file.objects.table(named: SimulationSchema.item)
    else { return nil }
    let created = try itemsToBeAcknowledged(process.file)
    let items = try process.file.objects.rows(table).compactMap { row in
      try process.file.objects.key(of: row, in: table)
        .map { ObjectReference(table: SimulationSchema.item, key: $0) }
    }.filter { !created.contains($0) }
    let sequence = ledger.transactions.count
    guard !items.isEmpty else { return nil }
    let path = PropertyPath(object: items[sequence % items.count], field: SimulationSchema.note(number))
    let text = "note \(sequence)"
    let random = SeededGenerator(seed: UInt64(sequence))
    let key = try commit(process, knowsMemos: false, random: random) { try $0.set(path, .string(text)) }
    return (key, path, text)
  }

  /// Returns the items that the client has created without an acknowledgement so far. The server may have refused
  /// them, so that they exist on this device alone, whatever the server has under their keys, and are erased together
  /// with what is written into them.
  private func itemsToBeAcknowledged(_ file: RealmFile) throws -> Set<ObjectReference> {
    let acknowledged = try file.progress().upload.clientVersion
    let pending = try file.uploads(after: acknowledged, byteLimit: .max).entries
    let instructions = try pending.flatMap { try ChangesetCodec.decode($0.changeset).instructions }
    return Set(instructions.compactMap { if case .createObject(let item) = $0 { item } else { nil } })
  }

  /// - Returns: The client version of the transaction.
  private func commit(
    _ process: Process,
    key: String,
    knowsMemos: Bool,
    random: SeededGenerator,
    _ edit: (inout ItemEdits) throws -> Void
  ) throws -> UInt64 {
    let file = process.file
    file.objects.recorder = ChangeRecorder()
    defer { file.objects.recorder = nil }
    try file.database.beginWrite()
    do {
      var edits = ItemEdits(
        objects: file.objects,
        appVersion: appVersion,
        knowsMemos: knowsMemos,
        random: random,
        makeToken: ledger.makeToken
      )
      try edits.transaction(key, client: number, edit)
      let version = try file.recordLocalChanges(edits.instructions, timestamp: timestamp)
      let changes = try file.objects.recordedChanges()
      try process.coordinator.commit(nil, changes, file.database, file.database.commit).tellOthers()
      return version
    } catch {
      if file.database.transactionState == .write { try file.database.rollback() }
      throw error
    }
  }

  private func assign(_ role: RoleAssignment, _ edits: inout ItemEdits) throws {
    let member = SimulationSchema.member(role.client)
    if try edits.objects.row(of: member) == nil { try edits.perform(.createObject(member)) }
    try edits.set(PropertyPath(object: member, field: "role"), .int(Int64(role.number)))
  }
}
