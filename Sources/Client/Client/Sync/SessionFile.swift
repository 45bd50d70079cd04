// SPDX-License-Identifier: Apache-2.0

import FlexSyncQuery
import FlexSyncStore
import FlexSyncWire

/// The file of a session: a separate connection in addition to those of the realm's handles. Any thread, one at a
/// time.
package final class SessionFile: @unchecked Sendable {
  private struct Resources {
    let file: RealmFile
    let coordinator: RealmCoordinator
    /// The copy that is to replace the file in a client reset.
    var fresh: SessionFile?

    /// Returns the notice for the handles if the rejected writes have changed since the last call.
    func noticeOfRejectedWrites() -> CommitNotice? {
      guard file.hasChangedRejectedWrites else { return nil }
      file.hasChangedRejectedWrites = false
      return coordinator.noteRejectedWrites()
    }
  }

  let path: String
  private let lock = RecursiveLock()
  /// Guarded by `lock`; nil once closed.
  private var resources: Resources?

  /// - Throws: `StorageError` if the file cannot be opened.
  package init(
    path: String,
    owner: RealmOwner,
    coordinator: RealmCoordinator,
    rejectedWriteLimits: RejectedWriteLimits = RejectedWriteLimits()
  ) throws {
    self.path = path
    let file = try RealmFile.open(
      Realm.fileConfiguration(coordinator),
      owner: owner
    )
    coordinator.tellOfCommits(by: file)
    file.rejectedWriteLimits = rejectedWriteLimits
    resources = Resources(file: file, coordinator: coordinator)
  }

  /// Closes the file once any access in progress has ended.
  package func close() {
    lock.withLock {
      resources?.fresh?.close()
      resources = nil
    }
  }

  var isClosed: Bool { lock.withLock { resources == nil } }

  /// Runs `body` on the file.
  /// - Throws: `CoreError` CANCELED once the file is closed.
  package func access<Result>(_ body: (RealmFile) throws -> Result) throws -> Result {
    let (result, notice) = try lock.withLock {
      let resources = try open()
      return (try body(resources.file), resources.noticeOfRejectedWrites())
    }
    notice?.tellOthers()
    return result
  }

  /// Runs `body` in a write transaction whose changes to objects are reported to the realm's handles.
  package func integrate<Result>(_ body: (RealmFile) throws -> Result) throws -> Result {
    let (result, notice) = try commit(body)
    // Outside the lock: a thread that closes the realm waits for it, and may hold what a listener waits for.
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
    do {
      let result = try body(file)
      let changes = try file.objects.recordedChanges()
      let notice = try resources.coordinator.commit(nil, changes, file.database, file.database.commit)
      // Either notice reaches all handles.
      return (result, resources.noticeOfRejectedWrites() ?? notice)
    } catch {
      if file.database.transactionState == .write { try file.database.rollback() }
      throw error
    }
  }

  /// Whether other processes have the file open.
  var isShared: Bool { lock.withLock { resources?.coordinator.processes?.hasOthers ?? false } }

  /// The progress of the download in the process that syncs the file; nil if only this process can have it open.
  var agentsDownload: (estimate: Double, byteCount: UInt64)? {
    lock.withLock { resources?.coordinator.processes?.download }
  }

  /// Tells the other processes the progress of the download.
  func tellOthersOfDownload(_ estimate: Double, _ byteCount: UInt64) {
    lock.withLock { resources?.coordinator.processes?.download = (estimate, byteCount) }
  }

  private func open() throws -> Resources {
    guard let resources else { throw CoreError(.canceled, "'\(path)' is closed") }
    return resources
  }
}

// MARK: - Client reset

extension SessionFile {
  /// Returns the path of the copy that replaces a file.
  static func freshPath(of path: String) -> String { "\(path).fresh" }

  /// Creates an empty copy of the file, replacing any left by an earlier attempt.
  func makeFreshCopy() throws -> SessionFile {
    try lock.withLock {
      try deleteFreshCopy()
      let file = try open().file
      let copy = try SessionFile(
        path: Self.freshPath(of: path),
        owner: file.owner,
        coordinator: RealmCoordinator(path: Self.freshPath(of: path))
      )
      resources?.fresh = copy
      return copy
    }
  }

  /// Replaces the state of the file with that of its fresh copy.
  ///
  /// - Throws: `ClientResetError` if that is impossible; the file is then unchanged.
  func takeFreshCopy(_ record: ClientResetRecord) throws {
    let notice = try lock.withLock {
      try open().fresh?.access { copy in
        try commit { file in
          try file.reset(to: copy, record.kind)
          try file.setClientReset(record)
        }.1
      }
    }
    notice?.tellOthers()
  }

  /// Closes and deletes the copy.
  func deleteFreshCopy() throws {
    try lock.withLock {
      try open().fresh?.close()
      resources?.fresh = nil
      try DatabaseFiles.delete(at: Self.freshPath(of: path))
    }
  }
}

extension RealmFile {
  /// Returns the state from which the protocol's state machine starts.
  func sessionState() throws -> StoredSessionState {
    try database.read {
      let active = try activeSubscriptionSet()
      let pending = try pendingSubscriptionSets(after: active?.version ?? 0)
      return StoredSessionState(
        file: try fileIdent(),
        progress: try progress(),
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
  init(_ set: StoredSubscriptionSet) {
    self.init(
      version: QueryVersion(clamping: set.version),
      snapshotVersion: set.snapshotVersion,
      body: QuerySet(set.subscriptions).body
    )
  }
}

extension QuerySet {
  /// Combines subscriptions into the queries sent to the server.
  init(_ subscriptions: [StoredSubscription]) {
    let queries = QuerySetBody.combine(subscriptions.map { (className: $0.className, text: $0.query) })
    self.init(Dictionary(uniqueKeysWithValues: queries.map { ($0.className, $0.text) }))
  }
}
