// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore
import FlexSyncWire
import Logging

/// Turns: queued requests are performed, as many as possible in each transaction, and what is due is delivered,
/// within the turn's budget.
extension SyncEngine {
  /// Performs queued requests, and delivers, for about as long as a turn may take. Each large subscription set is
  /// read in a turn of its own, and between two of them there is another turn, so that writes by other clients wait
  /// for at most one of them.
  ///
  /// - Returns: Whether there is more to do in a further turn.
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

  /// Performs short queued requests when the server stops.
  package func runLastTurn() { shareTurn(TurnMeter(limits.turn, now: now)) }

  /// Performs short requests, and delivers.
  private func shareTurn(_ turn: TurnMeter) {
    var isOver = false
    repeat {
      // Half a turn each, so that neither has to wait for all of the other.
      let requests = TurnMeter(limits.turn.divided(by: 2), now: now)
      while hasRequests, !requests.isExhausted, runTransaction(takeShortRequests(), requests) {}
      let delivering = TurnMeter(limits.turn.divided(by: 2), now: now)
      deliver(delivering)
      // If nothing was done, only large subscription sets are left, and the requests that their sessions made after
      // them.
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

  /// The number of versions of the history that may wait to be matched with the views before uploads have to wait.
  private static let greatestUnreadCount = 256

  private var hasViewsToPlace: Bool {
    !outdatedPermissions.isEmpty || !staleFiles.isEmpty || canBeginBootstrap
  }

  /// Whether a session that waits for its bootstrap can have it now.
  var canBeginBootstrap: Bool {
    if !viewChanges.isEmpty, hasRoomForViewChange() {
      let shares = bootstrapShares
      if viewChanges.hasNext(where: { mayChangeView($0, $1, shares) }) { return true }
    }
    return !line.isEmpty && hasRoomForBootstrap() && line.hasNext(bootstrapShares)
  }

  /// Whether one more bootstrap may be read, beside those that follow when the work on their streams is done.
  ///
  /// - Parameter reservedCount: the number of places to leave free.
  private func hasRoomForBootstrap(leaving reservedCount: Int = 0) -> Bool {
    places.hasRoom(now: clock.milliseconds(), besides: streamWork.viewChanges.count + reservedCount)
  }

  /// Whether one more view may change. Such changes go before the sets that clients ask for, but clients can bring them
  /// about, too, so they leave the line a quarter of the places.
  func hasRoomForViewChange() -> Bool {
    hasRoomForBootstrap(leaving: line.isEmpty ? 0 : places.capacity / 4)
  }

  /// Whether the view of a user's file may change now. Those whose permissions have changed once more must not change to
  /// what they were.
  func mayChangeView(_ ident: UInt64, _ userID: String, _ shares: BootstrapShares) -> Bool {
    !staleFiles.contains(ident) && !shares.isFull(userID)
  }

  /// The number of bootstraps that each user's sessions have under way, with the work on streams that ends with one.
  var bootstrapShares: BootstrapShares {
    var shares = places.shares
    for ident in streamWork.viewChanges {
      if let session = live[ident] { shares.add(1, of: session.userID, isSlow: false) }
    }
    return shares
  }

  /// Brings live files up to date, in the next turn, with what another process has written.
  package func catchUp() {
    isBehind = true
    onWork?()
  }

  /// Takes the queued requests that can be performed in one transaction. A session's IDENT, or a run of its QUERYs,
  /// ends its share, because what follows depends on the new view.
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

  /// Takes the first large subscription set that is its session's oldest request.
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

  /// Takes the requests to perform now from the queue. Drops the requests of sessions that are gone, and defers those
  /// of sessions that wait for something.
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
      places.endTransaction()
    } catch {
      return fail(error, batch)
    }
    for job in batch { visit(job.session) }
    for (_, session) in visited.sorted(by: { $0.key < $1.key }) { awaitDelivery(session) }
    visitCount += visited.count
    visited = [:]
  }

  /// Performs requests until the turn's budget is exhausted. The rest return to the queue.
  ///
  /// - Parameter prepare: called before each request, and before the rest of one that is performed in parts.
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
      guard let rest = try performParts(of: job, meter, prepare) else { continue }
      queue = [rest] + batch[(index + 1)...] + queue
      batch.removeSubrange((index + 1)...)
      return
    }
  }

  /// Performs a request to its end, unless it has to wait or the turn's budget is exhausted.
  ///
  /// - Returns: The rest of the request for which the budget did not suffice.
  private func performParts(of job: Job, _ meter: TurnMeter, _ prepare: () throws -> Void) throws -> Job? {
    var job = job
    while true {
      try prepare()
      if try mustWait(job) {
        deferred.append(job)
        return nil
      }
      guard let rest = try perform(job) else { return nil }
      if meter.isExhausted { return rest }
      meter.count()
      job = rest
    }
  }

  /// Whether a request has to wait until its session's view has changed, its stream is extended to the newest
  /// version, or its merge window is loaded.
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

  /// Stores acknowledgements. Nothing may be placed here, because the loss of an entry that was already sent could
  /// not be repaired.
  private func note(_ batch: inout [Job], _ meter: TurnMeter) throws {
    try performFirst(of: &batch, meter)
    for job in batch {
      guard let file = job.session.file, file.isDirty else { continue }
      try store.update(file.record)
      file.isDirty = false
      file.lazyCommit = store.newestLazyCommit
    }
  }

  /// Extends the streams of the sessions that the turn concerns: those that it has heard from, and those in whose
  /// view something has changed.
  private func finishTransaction(_ batch: [Job], _ meter: TurnMeter) throws {
    try inPartOfTurn(meter, refreshPermissions)
    _ = try views.read()
    var isRead = false
    try inPartOfTurn(meter) { isRead = try extendStreams(of: batch, $0) }
    try inPartOfTurn(meter, goOnWithStreamWork)
    try inPartOfTurn(meter, placeViewChanges)
    try inPartOfTurn(meter, placeQueries)
    for session in visited.values {
      guard let file = session.file else { continue }
      if file.liveView == nil, live[file.ident] === session, !isWaiting(session) { views.add(file) }
      guard file.isDirty else { continue }
      try store.update(file.record)
      file.isDirty = false
    }
    if isRead { views.settle() }
  }

  /// Extends the streams of the sessions with requests and, if there is time, of those that the new history concerns.
  /// The others catch up in later turns; until then, their views are not matched.
  ///
  /// - Returns: Whether all of the new history has been read, so that each session that it concerns is either
  ///   extended or noted as lagging.
  private func extendStreams(of batch: [Job], _ meter: TurnMeter) throws -> Bool {
    for job in batch { visit(job.session) }
    for (_, session) in visited.sorted(by: { $0.key < $1.key }) { try extendStream(of: session) }
    // Extending a stream may have read the rest of the history.
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

  /// Places the bootstraps of requested query sets, as many as may be read concurrently, and refusals in place of those
  /// that the app does not allow. Sessions that still wait for their view to change get theirs afterwards, because their
  /// streams are not extended before then.
  private func placeQueries(_ meter: TurnMeter) throws {
    let pending = pendingQueries.filter(\.session.isAttached)
    pendingQueries = []
    let queries = Dictionary(grouping: pending) { ObjectIdentifier($0.session) }
    var seen: Set<ObjectIdentifier> = []
    for session in pending.map(\.session) where seen.insert(ObjectIdentifier(session)).inserted {
      let own = queries[ObjectIdentifier(session)] ?? []
      if isWaitingForView(session) {
        pendingQueries += own
      } else if own.contains(where: \.isAllowed) {
        join(session, own)
      } else {
        try place(own, meter)
      }
    }
    try placeQueriesInLine(meter)
  }

  private func join(_ session: EngineSession, _ queries: [PendingQuery]) {
    session.isInLine = true
    line.insert(session, queries)
    if let file = session.file { views.remove(file) }
  }

  /// Places the query sets of the sessions in line, as long as there are places and the turn has time.
  private func placeQueriesInLine(_ meter: TurnMeter) throws {
    var count = 0
    while count == 0 || !meter.isExhausted, !line.isEmpty, hasRoomForBootstrap(),
      let next = line.takeNext(bootstrapShares)
    {
      count += 1
      meter.count()
      next.session.isInLine = false
      visit(next.session)
      // The stream of one that has waited long must be extended first, which can take several turns.
      try extendStream(of: next.session)
      if isWaitingForView(next.session) {
        pendingQueries += next.queries
      } else {
        next.session.numberInLine = nil
        try place(next.queries, meter)
      }
    }
  }

  /// Places a session's query sets.
  private func place(_ queries: [PendingQuery], _ meter: TurnMeter) throws {
    for (offset, query) in queries.enumerated() {
      if case .failure(let refusal) = query.body {
        refuse(query.version, refusal, query.session)
        continue
      }
      // Only the newest allowed set of a session is worth a bootstrap (protocol §4.5).
      if !queries.dropFirst(offset + 1).contains(where: \.isAllowed) {
        try placeNewest(of: queries.prefix(through: offset), meter)
      }
    }
  }

  /// Places the bootstrap of a session's newest query set or, if it is refused after all, of the one before it.
  private func placeNewest(of queries: ArraySlice<PendingQuery>, _ meter: TurnMeter) throws {
    for query in queries.reversed() {
      guard case .success(let body) = query.body else { continue }
      if try placeAlone(body, query.version, query.session, meter) { return }
    }
  }

  /// Places the bootstrap of a query set. If that fails, it concerns the session only; a set that the app has stopped
  /// allowing meanwhile is refused.
  ///
  /// - Returns: Whether the set was not refused.
  private func placeAlone(
    _ body: String,
    _ version: QueryVersion,
    _ session: EngineSession,
    _ meter: TurnMeter
  ) throws -> Bool {
    guard let file = session.file else { return true }
    do {
      try file.orAsBefore { try store.database.nested { try place(body, version, session, meter) } }
    } catch let refusal as QuerySetRefusal where version != session.queryVersion {
      if file.liveView == nil { views.add(file) }
      refuse(version, refusal, session)
      return false
    } catch  where SyncEngine.concernsOneSession(error) {
      try endUnchanged(session, file, error)
    }
    return true
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

  /// Discards the entire turn and disconnects all clients, which repeat their requests when they have reconnected.
  private func fail(_ error: any Error, _ batch: [Job]) {
    lastTurnFailed = true
    let isInterrupted = (error as? StorageError)?.kind == .interrupted
    logger.log(
      level: isInterrupted ? .notice : .critical,
      "the turn failed; disconnecting all clients",
      metadata: ["error": "\(error)"]
    )
    let sessions = Array(live.values) + (batch + deferred + queue).map(\.session)
    // What these were about to receive is void after the failed turn.
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
    viewChanges = ViewChangeQueue()
    places = BootstrapPlaces(capacity: limits.simultaneousBootstraps)
    line = BootstrapLine()
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
      logger.critical("could not read the store", metadata: ["error": "\(error)"])
    }
  }

  /// Rereads the parts of the store that are held in memory, after something was rolled back.
  func forgetUncertain() throws {
    isUncertain = true
    writer.planner.reset()
    try history.reload()
    noticedVersion = min(noticedVersion, history.version)
    try schema.reload()
    views.rewind()
    isUncertain = false
  }

  /// Ends the connection of a session whose data cannot be read; the client reconnects.
  func drop(_ session: EngineSession, _ error: any Error) {
    logger.error(
      "disconnected a client because its data cannot be read",
      metadata: ["file": "\(session.file?.ident ?? 0)", "error": "\(error)"]
    )
    disconnect(session)
  }

  /// Ends a session and its connection.
  func disconnect(_ session: EngineSession) {
    let peer = session.peer
    close(session)
    peer?.drop()
  }
}

/// The durability that the answers to a request rely on.
enum Durability: Comparable {
  /// Nothing is written.
  case none
  /// A power failure may undo the write as long as no client has learned of it: the clients send it again.
  case lazy
  /// The write is on disk before any client learns of it.
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

  /// Whether it takes much of a turn to read the subscriptions in the request.
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
