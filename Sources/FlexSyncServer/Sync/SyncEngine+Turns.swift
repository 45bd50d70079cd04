// SPDX-License-Identifier: Apache-2.0

import FlexSyncStorage
import Logging

/// Turns: everything that is queued is done in one transaction, and then delivered.
extension SyncEngine {
  /// Does everything that is queued. A session's IDENT, or its QUERYs in a row, end its part of a transaction, since what
  /// follows depends on the new view.
  func runTurn() {
    while !queue.isEmpty || hasViewsToPlace {
      var batch: [Job] = []
      var rest: [Job] = []
      var blocked: Set<ObjectIdentifier> = []
      var changed: Set<ObjectIdentifier> = []
      for job in queue where job.session.isAttached {
        guard !isWaiting(job.session) else {
          deferred.append(job)
          continue
        }
        let session = ObjectIdentifier(job.session)
        if changed.contains(session), !job.request.isQuery { blocked.insert(session) }
        if blocked.contains(session) {
          rest.append(job)
          continue
        }
        batch.append(job)
        switch job.request {
        case .query: changed.insert(session)
        case .ident: blocked.insert(session)
        case .allocateFile, .upload, .catchUp: break
        }
      }
      queue = rest
      run(batch, durability: hasViewsToPlace ? .durable : durability(of: batch))
    }
  }

  private var hasViewsToPlace: Bool {
    !outdatedPermissions.isEmpty || viewChanges.hasRoom(now: clock.milliseconds())
  }

  /// Brings live files up to date with what another process has written.
  func catchUp() { run([], durability: .durable) }

  private func durability(of batch: [Job]) -> Durability { batch.map(\.request.durability).max() ?? .none }

  private func run(_ batch: [Job], durability: Durability) {
    do {
      if isUncertain { try forgetUncertain() }
      switch durability {
      case .none: for job in batch { try perform(job) }
      case .lazy: try store.writeLazily { try note(batch) }
      case .durable: try store.write { try transact(batch) }
      }
      CrashPoint.reached(.serverBeforeAcknowledgement, if: batch.contains(where: \.request.isUpload))
      sortDeferred()
      let actions = afterCommit
      afterCommit = []
      for action in actions { action() }
    } catch {
      return fail(error, batch)
    }
    for job in batch { visit(job.session) }
    for session in visited.values { pump(session) }
    visitCount += visited.count
    visited = [:]
  }

  private func visit(_ session: SyncSession) {
    guard session.isAttached, let file = session.file else { return }
    visited[file.ident] = session
  }

  private func transact(_ batch: [Job]) throws {
    try history.refresh()
    for job in batch {
      try refreshPermissions()
      if isWaiting(job.session) {
        deferred.append(job)
      } else {
        try perform(job)
      }
    }
    try finishTransaction(batch)
  }

  /// Takes acknowledgements. Nothing may be placed here: the loss of an entry that was sent could not be mended.
  private func note(_ batch: [Job]) throws {
    for job in batch { try perform(job) }
    for job in batch {
      guard let file = job.session.file, file.isDirty else { continue }
      try store.update(file.record)
      file.isDirty = false
      file.lazyCommit = store.newestLazyCommit
    }
  }

  /// Extends the streams of the sessions that the turn concerns: those it has heard from, and those in whose view
  /// something has changed.
  private func finishTransaction(_ batch: [Job]) throws {
    try refreshPermissions()
    for job in batch { visit(job.session) }
    try views.read()
    for ident in views.concernedFiles { visited[ident] = live[ident] }
    for session in visited.values where session.isAttached {
      if let file = session.file, !isWaiting(session) { try writer.extend(file) }
    }
    try placeViewChanges()
    for (offset, query) in pendingQueries.enumerated() where query.session.isAttached {
      // Only the newest set of a session is worth a bootstrap (protocol §4.5).
      guard !pendingQueries.dropFirst(offset + 1).contains(where: { $0.session === query.session }) else {
        continue
      }
      try place(query.body, query.version, query.session)
    }
    pendingQueries = []
    for session in visited.values {
      guard let file = session.file else { continue }
      if file.liveView == nil, live[file.ident] === session, !isWaiting(session) { views.add(file) }
      guard file.isDirty else { continue }
      try store.update(file.record)
      file.isDirty = false
    }
    views.settle()
  }

  /// Nothing of the turn is kept; the clients send it again when they have connected again.
  private func fail(_ error: any Error, _ batch: [Job]) {
    logger.critical("the turn failed; all clients are disconnected", metadata: ["error": "\(error)"])
    let sessions = Array(live.values) + (batch + deferred + queue).map(\.session)
    afterCommit = []
    pendingQueries = []
    outdatedPermissions = OutdatedPermissions()
    viewChanges = ViewChangeQueue(capacity: limits.simultaneousViewChanges)
    deferred = []
    queue = []
    live = [:]
    visited = [:]
    for session in sessions {
      let peer = session.peer
      session.detach()
      peer?.drop()
    }
    views.removeAll()
    do {
      try forgetUncertain()
    } catch {
      logger.critical("the store cannot be read", metadata: ["error": "\(error)"])
    }
  }

  /// Reads again what memory holds of the store, after something was taken back.
  func forgetUncertain() throws {
    isUncertain = true
    planner.reset()
    try history.reload()
    noticedVersion = min(noticedVersion, history.version)
    try schema.reload()
    views.rewind()
    isUncertain = false
  }

  func pump(_ session: SyncSession) {
    // What is placed may be what the user may not see any more.
    guard !isWaiting(session) else { return }
    defer { goOn() }
    do {
      if let file = session.file, delivery.isDue(session) {
        // What comes now tells the client the upload cursor, which must never go back (protocol §5.1).
        try store.makeDurable(through: file.lazyCommit)
      }
      try delivery.pump(session)
    } catch {
      drop(session, error)
    }
  }

  /// Ends the connection of a session whose data cannot be read; the client connects again.
  func drop(_ session: SyncSession, _ error: any Error) {
    logger.error(
      "a client is disconnected, since its data cannot be read",
      metadata: ["file": "\(session.file?.ident ?? 0)", "error": "\(error)"]
    )
    let peer = session.peer
    close(session)
    peer?.drop()
  }
}

/// What the answers to a request rely on.
enum Durability: Comparable {
  /// Nothing is written.
  case none
  /// What a loss of power may take back as long as nobody has been told: the clients tell it again.
  case lazy
  /// What is on disk before anybody is told.
  case durable
}

extension SyncEngine.Request {
  fileprivate var isUpload: Bool { if case .upload = self { true } else { false } }
  fileprivate var isQuery: Bool { if case .query = self { true } else { false } }

  fileprivate var durability: Durability {
    switch self {
    case .catchUp: .none
    // Acknowledgements only free space.
    case .upload(let message): message.entries.isEmpty ? .lazy : .durable
    case .allocateFile, .ident, .query: .durable
    }
  }
}
