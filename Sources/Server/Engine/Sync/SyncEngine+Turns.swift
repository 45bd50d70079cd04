// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore
import FlexSyncWire
import Logging

/// Turns: what is queued is done in one transaction, and then delivered, as far as the turn's budget goes.
extension SyncEngine {
  /// Does what is queued, and delivers, for about as long as a turn may take. Each large set of subscriptions is read in a
  /// turn of its own, and between two of them comes another turn: what others write waits for one of them at most.
  ///
  /// - Returns: Whether there is more to do, in a further turn.
  @discardableResult
  package func runTurn() -> Bool {
    if isLargeQueryDue {
      isLargeQueryDue = false
      _ = runTransaction(takeLargeQuery(), TurnMeter(limits.turn, now: now))
    } else {
      shareTurn(TurnMeter(limits.turn, now: now))
      isLargeQueryDue = queue.contains(where: \.request.isLargeQuery)
    }
    return hasWork
  }

  /// Does what is short and queued when the server stops.
  package func runLastTurn() { shareTurn(TurnMeter(limits.turn, now: now)) }

  /// Does what is short.
  private func shareTurn(_ turn: TurnMeter) {
    var isOver = false
    repeat {
      // Half a turn each, so that neither has to wait for all of the other.
      let requests = TurnMeter(limits.turn.divided(by: 2), now: now)
      while hasRequests, !requests.isExhausted, runTransaction(takeShortRequests(), requests) {}
      let delivering = TurnMeter(limits.turn.divided(by: 2), now: now)
      deliver(delivering)
      // Only large sets of subscriptions are left, and what their sessions ask for behind them.
      let isIdle = requests.stepCount == 0 && delivering.stepCount == 0
      isOver = isIdle || requests.isExhausted || delivering.isExhausted
      turn.count(requests)
      turn.count(delivering)
    } while hasWork && !isOver && !turn.isExhausted
  }

  private var hasWork: Bool { hasRequests || !deliveries.isEmpty }

  private var hasRequests: Bool { !queue.isEmpty || mustWrite }

  private var mustWrite: Bool {
    isBehind || views.isBehind || !laggingFiles.isEmpty || !streamWork.isEmpty || hasViewsToPlace
      || hasAwayFilesToNote
  }

  /// How many versions of the history may wait for being matched with the views before no further ones are made.
  private static let greatestUnreadCount = 256

  private var hasViewsToPlace: Bool {
    !outdatedPermissions.isEmpty || !staleFiles.isEmpty || viewChanges.hasRoom(now: clock.milliseconds())
  }

  /// Brings live files up to date with what another process has written, in the next turn.
  package func catchUp() {
    isBehind = true
    onWork?()
  }

  /// What is queued and can be done in one transaction. A session's IDENT, or its QUERYs in a row, end its part of it, since
  /// what follows depends on the new view.
  private func takeShortRequests() -> [Job] {
    var blocked: Set<ObjectIdentifier> = []
    var changed: Set<ObjectIdentifier> = []
    return takeRequests { job in
      let session = ObjectIdentifier(job.session)
      if changed.contains(session), !job.request.isQuery { blocked.insert(session) }
      if job.request.isUpload, views.unreadCount > SyncEngine.greatestUnreadCount { blocked.insert(session) }
      if job.request.isLargeQuery { blocked.insert(session) }
      if blocked.contains(session) { return false }
      switch job.request {
      case .query: changed.insert(session)
      case .ident: blocked.insert(session)
      case .allocateFile, .upload, .catchUp: break
      }
      return true
    }
  }

  /// The first large set of subscriptions of a session that has asked for nothing else before.
  private func takeLargeQuery() -> [Job] {
    var isFound = false
    var seen: Set<ObjectIdentifier> = []
    return takeRequests { job in
      guard seen.insert(ObjectIdentifier(job.session)).inserted, job.request.isLargeQuery, !isFound else {
        return false
      }
      isFound = true
      return true
    }
  }

  /// Takes out of the queue what is to be done now. What sessions asked for that have gone is forgotten; what those asked for
  /// that wait for something is deferred.
  private func takeRequests(_ isTaken: (Job) -> Bool) -> [Job] {
    var taken: [Job] = []
    var rest: [Job] = []
    for job in queue where job.session.isAttached {
      if isWaiting(job.session) {
        deferred.append(job)
      } else if isTaken(job) {
        taken.append(job)
      } else {
        rest.append(job)
      }
    }
    queue = rest
    return taken
  }

  /// - Returns: Whether there was anything to do.
  private func runTransaction(_ batch: [Job], _ meter: TurnMeter) -> Bool {
    guard !batch.isEmpty || mustWrite else {
      sortDeferred()
      return false
    }
    meter.count()
    let durability = mustWrite ? .durable : durability(of: batch)
    isBehind = false
    run(batch, durability: durability, meter)
    return true
  }

  private func durability(of batch: [Job]) -> Durability { batch.map(\.request.durability).max() ?? .none }

  private func run(_ batch: [Job], durability: Durability, _ meter: TurnMeter) {
    var batch = batch
    do {
      if isUncertain { try forgetUncertain() }
      switch durability {
      case .none: try performFirst(of: &batch, meter)
      case .lazy: try store.writeLazily { try note(&batch, meter) }
      case .durable: try store.write { try transact(&batch, meter) }
      }
      if durability == .durable { lastTurnFailed = false }
      CrashPoint.reached(.serverBeforeAcknowledgement, if: batch.contains(where: \.request.isUpload))
      sortDeferred()
      let actions = afterCommit
      afterCommit = []
      parting = []
      for action in actions { action() }
    } catch {
      return fail(error, batch)
    }
    for job in batch { visit(job.session) }
    for (_, session) in visited.sorted(by: { $0.key < $1.key }) { deliveries.add(session) }
    visitCount += visited.count
    visited = [:]
  }

  /// Does what is asked for until the turn has done enough. The rest goes back into the queue.
  ///
  /// - Parameter prepare: called before each.
  private func performFirst(
    of batch: inout [Job],
    _ meter: TurnMeter,
    prepare: () throws -> Void = {}
  ) throws {
    for (index, job) in batch.enumerated() {
      if index > 0, meter.isExhausted {
        queue = batch[index...] + queue
        batch.removeSubrange(index...)
        return
      }
      meter.count(job)
      try prepare()
      if try mustWait(job) { deferred.append(job) } else { try perform(job) }
    }
  }

  /// Whether a request has to wait until its session's view has changed, or its stream is extended to now.
  private func mustWait(_ job: Job) throws -> Bool {
    if isWaiting(job.session) { return true }
    guard case .upload(let message) = job.request, let base = message.entries.map(\.serverVersion).min()
    else {
      return false
    }
    if try beginCatchUp(job.session) { return true }
    return try beginWindowLoad(job.session, base: base)
  }

  private func visit(_ session: EngineSession) {
    guard session.isAttached, let file = session.file else { return }
    visited[file.ident] = session
  }

  private func transact(_ batch: inout [Job], _ meter: TurnMeter) throws {
    try history.refresh()
    try performFirst(of: &batch, meter) { try noticeOutdatedPermissions() }
    try finishTransaction(batch, meter)
  }

  /// Takes acknowledgements. Nothing may be placed here: the loss of an entry that was sent could not be mended.
  private func note(_ batch: inout [Job], _ meter: TurnMeter) throws {
    try performFirst(of: &batch, meter)
    for job in batch {
      guard let file = job.session.file, file.isDirty else { continue }
      try store.update(file.record)
      file.isDirty = false
      file.lazyCommit = store.newestLazyCommit
    }
  }

  /// Extends the streams of the sessions that the turn concerns: those it has heard from, and those in whose view
  /// something has changed.
  private func finishTransaction(_ batch: [Job], _ meter: TurnMeter) throws {
    try inPartOfTurn(meter, refreshPermissions)
    _ = try views.read()
    var isRead = false
    try inPartOfTurn(meter) { isRead = try extendStreams(of: batch, $0) }
    try inPartOfTurn(meter, goOnWithStreamWork)
    try inPartOfTurn(meter, placeViewChanges)
    try placeQueries()
    for session in visited.values {
      guard let file = session.file else { continue }
      if file.liveView == nil, live[file.ident] === session, !isWaiting(session) { views.add(file) }
      guard file.isDirty else { continue }
      try store.update(file.record)
      file.isDirty = false
    }
    if isRead { views.settle() }
  }

  /// Places what has happened for those who have asked for something and, as far as there is time, those whom it concerns.
  /// The others' views are not looked at until they get it, in later turns.
  ///
  /// - Returns: Whether it is known whom all of it concerns, and these are extended or lag behind.
  private func extendStreams(of batch: [Job], _ meter: TurnMeter) throws -> Bool {
    for job in batch { visit(job.session) }
    for (_, session) in visited.sorted(by: { $0.key < $1.key }) { try extendStream(of: session) }
    // Extending a stream may have read the rest.
    let isRead = views.unreadCount == 0
    var others: [UInt64] = []
    while let ident = laggingFiles.next() { others.append(ident) }
    if isRead { others += views.concernedFiles.sorted() }
    for ident in others where visited[ident] == nil {
      guard let session = live[ident], let file = session.file else { continue }
      if meter.stepCount > 0, meter.isExhausted {
        views.remove(file)
        laggingFiles.insert(ident)
      } else {
        visited[ident] = session
        try extendStream(of: session)
        meter.count()
      }
    }
    return isRead
  }

  /// Places the bootstraps of the sets that were asked for. Sessions that still wait for their view to change get theirs
  /// after that: their streams are not extended before.
  private func placeQueries() throws {
    var waiting: [(session: EngineSession, body: String, version: QueryVersion)] = []
    for (offset, query) in pendingQueries.enumerated() where query.session.isAttached {
      // Only the newest set of a session is worth a bootstrap (protocol §4.5).
      guard !pendingQueries.dropFirst(offset + 1).contains(where: { $0.session === query.session }) else {
        continue
      }
      if isWaiting(query.session) {
        waiting.append(query)
      } else {
        try place(query.body, query.version, query.session)
      }
    }
    pendingQueries = waiting
  }

  private func extendStream(of session: EngineSession) throws {
    guard session.isAttached, let file = session.file, !isWaiting(session) else { return }
    if try !beginCatchUp(session) { try writer.extend(file) }
  }

  private func inPartOfTurn(_ meter: TurnMeter, _ work: (TurnMeter) throws -> Void) rethrows {
    let part = TurnMeter(limits.turn.divided(by: 4), now: now)
    try work(part)
    meter.count(part)
  }

  /// Nothing of the turn is kept; the clients send it again when they have connected again.
  private func fail(_ error: any Error, _ batch: [Job]) {
    lastTurnFailed = true
    let isInterrupted = (error as? StorageError)?.kind == .interrupted
    logger.log(
      level: isInterrupted ? .notice : .critical,
      "the turn failed; all clients are disconnected",
      metadata: ["error": "\(error)"]
    )
    let sessions = Array(live.values) + (batch + deferred + queue).map(\.session)
    // What these were to be told is not true, or comes to nothing with the turn.
    let parting = parting
    self.parting = []
    afterCommit = []
    pendingQueries = []
    changedPermissions.insert(outdatedPermissions)
    if outdatedPermissions.everybody != nil { awaySweep = 0 }
    storedPermissionsSince = nil
    outdatedPermissions = OutdatedPermissions()
    staleFiles = WaitingFiles()
    laggingFiles = WaitingFiles()
    streamWork = StreamWorkQueue()
    viewChanges = ViewChangeQueue(capacity: limits.simultaneousViewChanges)
    deferred = []
    queue = []
    deliveries.removeAll()
    live = [:]
    visited = [:]
    for session in sessions {
      let peer = session.peer
      session.detach()
      peer?.drop()
    }
    for peer in parting { peer.drop() }
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

  /// Ends the connection of a session whose data cannot be read; the client connects again.
  func drop(_ session: EngineSession, _ error: any Error) {
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

extension TurnMeter {
  fileprivate func count(_ job: SyncEngine.Job) {
    switch job.request {
    case .upload(let message):
      count(steps: 1 + message.entries.count, bytes: message.entries.reduce(0) { $0 + $1.changeset.count })
    case .ident(_, let queries), .query(_, let queries): count(steps: 1 + queries.body.count / 64)
    case .allocateFile, .catchUp: count()
    }
  }
}

extension SyncEngine.Request {
  fileprivate var isUpload: Bool { if case .upload = self { true } else { false } }
  fileprivate var isQuery: Bool { if case .query = self { true } else { false } }

  /// Whether it takes much of a turn to read the subscriptions that come with it.
  fileprivate var isLargeQuery: Bool {
    switch self {
    case .ident(_, let queries), .query(_, let queries): queries.body.count > 16 << 10
    case .allocateFile, .upload, .catchUp: false
    }
  }

  fileprivate var durability: Durability {
    switch self {
    case .catchUp: .none
    // Acknowledgements only free space.
    case .upload(let message): message.entries.isEmpty ? .lazy : .durable
    case .allocateFile, .ident, .query: .durable
    }
  }
}
