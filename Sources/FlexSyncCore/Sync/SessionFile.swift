// SPDX-License-Identifier: Apache-2.0

import FlexSyncProtocol
import FlexSyncStorage

/// The file of a session: a connection of its own, beside those of the realm's handles. Any thread, one at a time.
package final class SessionFile: @unchecked Sendable {
  private struct Resources {
    let file: RealmFile
    let coordinator: RealmCoordinator
  }

  private let path: String
  private let lock = RecursiveLock()
  /// Guarded by `lock`; nil once closed.
  private var resources: Resources?

  /// - Throws: `StorageError` if the file cannot be opened.
  package init(path: String, owner: RealmOwner, coordinator: RealmCoordinator) throws {
    self.path = path
    let file = try RealmFile.open(
      Realm.fileConfiguration(coordinator),
      owner: owner
    )
    resources = Resources(file: file, coordinator: coordinator)
  }

  /// Closes the file, after what is being done to it.
  package func close() { lock.withLock { resources = nil } }

  var isClosed: Bool { lock.withLock { resources == nil } }

  /// Runs `body` on the file.
  /// - Throws: `CoreError` CANCELED once the file is closed.
  package func access<Result>(_ body: (RealmFile) throws -> Result) throws -> Result {
    try lock.withLock { try body(try open().file) }
  }

  /// Runs `body` in a write transaction whose changes to objects the realm's handles learn of.
  package func integrate<Result>(_ body: (RealmFile) throws -> Result) throws -> Result {
    let (result, notice) = try commit(body)
    // Who closes the realm waits for the lock, and may hold what a listener waits for.
    notice.tellOthers()
    return result
  }

  private func commit<Result>(_ body: (RealmFile) throws -> Result) throws -> (Result, CommitNotice) {
    try lock.withLock {
      let resources = try open()
      return try resources.coordinator.inTurn { try commit(resources, body) }
    }
  }

  private func commit<Result>(
    _ resources: Resources,
    _ body: (RealmFile) throws -> Result
  ) throws -> (Result, CommitNotice) {
    let file = resources.file
    file.objects.recorder = ChangeRecorder()
    defer { file.objects.recorder = nil }
    try file.database.beginWrite()
    let result: Result
    let changes: [String: [Int64: ChangeRecorder.RowChange]]
    do {
      result = try body(file)
      changes = try file.objects.recordedChanges()
    } catch {
      try file.database.rollback()
      throw error
    }
    let notice = try resources.coordinator.commit(nil, changes) { try file.database.commit() }
    return (result, notice)
  }

  private func open() throws -> Resources {
    guard let resources else { throw CoreError(.FLX_STATUS_CANCELED, "'\(path)' is closed") }
    return resources
  }
}

extension RealmFile {
  /// What the protocol's state machine starts from.
  func sessionState() throws -> StoredSessionState {
    try database.read {
      let active = try activeSubscriptionSet()
      let pending = try pendingSubscriptionSets(after: active?.version ?? 0)
      return StoredSessionState(
        file: try fileIdent().map { SaltedFileIdent(ident: $0.ident, salt: $0.salt) },
        progress: SyncProgress(try progress()),
        localVersion: try clientVersion(),
        activeSet: active.map(ActiveSubscriptionSet.init) ?? .initial,
        pendingSets: pending.map(PendingSubscriptionSet.init),
        partialBootstrap: pending.first { $0.state == .bootstrapping }.map {
          QueryVersion(clamping: $0.version)
        }
      )
    }
  }
}

extension ActiveSubscriptionSet {
  fileprivate init(_ set: StoredSubscriptionSet) {
    self.init(
      version: QueryVersion(clamping: set.version),
      body: QuerySet(set.subscriptions).body,
      state: set.state == .complete ? .complete : .awaitingMark
    )
  }
}

extension PendingSubscriptionSet {
  fileprivate init(_ set: StoredSubscriptionSet) {
    self.init(
      version: QueryVersion(clamping: set.version),
      snapshotVersion: set.snapshotVersion,
      body: QuerySet(set.subscriptions).body
    )
  }
}
