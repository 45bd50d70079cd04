// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery
import FlexSyncRules
import FlexSyncStore
import FlexSyncWire
import Logging

/// Performs the requests of sessions, one by one, inside a transaction.
extension SyncEngine {
  /// - Returns: The rest of the request, for which the user's permissions must be looked up again.
  func perform(_ job: Job) throws -> Job? {
    let session = job.session
    guard session.isAttached else {
      note(job.request, of: session)
      return nil
    }
    do {
      switch job.request {
      case .allocateFile: try allocateFile(session)
      case .ident(let message, let queries):
        session.presentedFile = message.file.ident
        try activate(session, message, queries)
      case .query(let version, let queries): accept(version, queries, session)
      case .upload(let message):
        return try integrate(message, session).map { Job(session: session, request: .upload($0)) }
      case .catchUp: session.wantsCatchUp = true
      }
    } catch let failure as SessionFailure {
      var details: Logger.Metadata = ["error": "\(failure.message)"]
      if let cause = failure.cause { details["cause"] = "\(cause)" }
      logger.warning("session failed", metadata: metadata(session, details))
      try end(job, failure)
    } catch  where SyncEngine.concernsOneSession(error) {
      logger.error("a session failed unexpectedly", metadata: metadata(session, ["error": "\(error)"]))
      try end(job, .unexpected)
    }
    return nil
  }

  private func end(_ job: Job, _ failure: SessionFailure) throws {
    try end(job.session, failure, isDueTold: true)
    if case .upload = job.request { try forgetUncertain() }
  }

  /// Notes a request of a session that is ending, which receives only what it is already due.
  func note(_ request: Request, of session: EngineSession) {
    if case .catchUp = request { session.wantsCatchUp = true }
  }

  /// Ends a session with an error. Must be called inside a transaction.
  ///
  /// Before the error, the client is told which query sets are refused.
  ///
  /// - Parameter isDueTold: whether the server also sends the client what it is already due: that uploads are
  ///   integrated, and that everything before a MARK has been delivered. A client may wait for these, and ignores
  ///   everything after the error.
  func end(_ session: EngineSession, _ failure: SessionFailure, isDueTold: Bool = false) throws {
    guard session.isAttached else { return }
    let file = session.file
    refusePendingQueries(of: session)
    session.beginEnding()
    if let peer = session.peer { parting.append(peer) }
    if let file { views.remove(file) }
    if let file, file.isDirty { try store.update(file.record) }
    if let file, live[file.ident] === session {
      live[file.ident] = nil
      streamWork.abandon(file.ident)
    }
    let info = failure.info(isRecoveryDisabled: app.sync.isRecoveryModeDisabled)
    afterCommit.append { [self] in
      if isDueTold { tellWhatIsDue(session) }
      session.tellAllRefusals()
      let peer = session.peer
      session.detach()
      if failure.rejection == nil { recordError(failure.code, failure.message, session) }
      record(.sessionEnd, session)
      // Resumes reading from the connection if it was paused because of this session.
      peer?.release(session.key)
      peer?.post(.fail(session.key, failure.code, info))
    }
  }

  private func refusePendingQueries(of session: EngineSession) {
    let queries = leaveLine(session) + pendingQueries.filter { $0.session === session }
    for query in queries {
      if case .failure(let refusal) = query.body { refuse(query.version, refusal, session) }
    }
  }

  /// Takes a session out of the line, if it waits there, and returns the query sets that it has asked for.
  func leaveLine(_ session: EngineSession) -> [PendingQuery] {
    guard session.isInLine else { return [] }
    session.isInLine = false
    return line.remove(session)
  }

  /// Delivers what is due to a session that is ending, unless that would take long.
  private func tellWhatIsDue(_ session: EngineSession) {
    guard let file = session.file, !session.holdsSnapshot, !isWaiting(session),
      views.placedVersion(of: file) >= history.version
    else { return }
    do {
      try store.makeDurable(through: file.lazyCommit)
      // Once for what was due before, and once for what this transaction has made due.
      for _ in 0..<2 where session.wantsCatchUp || !session.refusals.isEmpty {
        _ = try delivery.pump(session, TurnMeter.unlimited())
      }
    } catch {
      logger.error(
        "could not read the data due to a session that is ending; the session ends without it",
        metadata: metadata(session, ["error": "\(error)"])
      )
    }
  }

  /// Whether an error leaves other sessions unaffected: the database is intact, but it cannot hold what the session
  /// sent, or the stored data of the session's file contradicts itself.
  static func concernsOneSession(_ error: any Error) -> Bool {
    guard let error = error as? StorageError else { return true }
    return error.resultCode == 0 || [.statement, .tooLarge].contains(error.kind)
  }

  private func activate(_ session: EngineSession, _ message: IdentMessage, _ queries: QuerySet) throws {
    let resumption = StreamResumption(
      writer: writer,
      salt: StreamSalt(serverSalt: delivery.salt),
      historyFloor: try HistoryFloor(store: store).version,
      permissions: try permissions(of: session.userID),
      oldestLastSeen: oldestLastSeen,
      liveFile: { [live] in live[$0]?.file },
      canResume: { [unowned self] in streamWork.canResume($0) },
      cancelWork: { [unowned self] in try cancelStreamWork($0) }
    )
    let body = String(decoding: queries.body, as: UTF8.self)
    try checkIsServed(body)
    // Only the rightful owner may end an older session of the file.
    try resumption.check(message, userID: session.userID, record: live[message.file.ident]?.file?.record)
    if let older = live[message.file.ident], older !== session { try retire(older) }
    let file = try store.database.nested { try resumption.open(message, session: session) }
    try noteSeen(file)
    session.file = file
    session.cursor = message.download
    session.presentedVersion = message.latest.serverVersion
    session.queryVersion = message.queryVersion
    live[file.ident] = session
    let details = metadata(
      session,
      ["downloadVersion": "\(message.download.serverVersion)", "queryVersion": "\(message.queryVersion)"]
    )
    try note(file.permissions, session)
    if !UTF8Order.areEqual(file.heldQuery, body) {
      // The client expects a different set from the one that it was sent. It receives the difference, under its own
      // number, before its uploads are judged and before any newer set.
      session.peer?.countQuery()
      queue.insert(Job(session: session, request: .query(message.queryVersion, queries)), at: 0)
    }
    afterCommit.append { [self, delivery, logger] in
      logger.info("session started", metadata: details)
      record(
        .sessionStart,
        session,
        [
          .version("downloadVersion", message.download.serverVersion),
          .version("queryVersion", message.queryVersion),
        ]
      )
      let resume = ResumeState(upload: file.uploadCursor, latest: delivery.latest(session, file))
      session.peer?.post(.identified(session.key, resume))
    }
  }

  /// Checks, before anything else, that the subscriptions can be served. If they cannot be served now, the client
  /// must not be told to start over, because that would fail.
  private func checkIsServed(_ body: String) throws {
    do throws(QuerySetRefusal) {
      _ = try schema.view(body: body)
    } catch {
      let failure = try schema.failure(of: error, body: body)
      if failure.action != .clientReset { throw failure }
    }
  }

  /// Files last seen before this time have expired; in seconds since 1970.
  var oldestLastSeen: Int64 {
    guard let days = app.sync.maximumOfflineDays else { return .min }
    return clock.seconds - Int64(days) * 86400
  }

  /// Ends an older session of the file; its connection is normally dead (protocol §3.4).
  private func retire(_ older: EngineSession) throws {
    logger.info("session replaced by a newer connection", metadata: metadata(older, [:]))
    let peer = older.peer
    if let file = older.file {
      live[file.ident] = nil
      streamWork.abandon(file.ident)
      views.remove(file)
      if file.isDirty { try store.update(file.record) }
    }
    _ = leaveLine(older)
    older.detach()
    if let peer { parting.append(peer) }
    afterCommit.append { [self] in
      record(.sessionEnd, older)
      peer?.drop()
    }
  }

  private func accept(_ version: QueryVersion, _ queries: QuerySet, _ session: EngineSession) {
    do {
      let view = try schema.view(of: queries)
      pendingQueries.append(PendingQuery(session: session, version: version, body: .success(view.body)))
      warn(of: view, session)
    } catch {
      pendingQueries.append(PendingQuery(session: session, version: version, body: .failure(error)))
    }
  }

  /// Places the refusal of a query set.
  func refuse(_ version: QueryVersion, _ refusal: QuerySetRefusal, _ session: EngineSession) {
    session.place(refusal, of: version)
    logger.warning(
      "subscriptions refused",
      metadata: metadata(session, ["version": "\(version)", "error": "\(refusal.message)"])
    )
    afterCommit.append { [self] in
      recordError(refusal.code, refusal.message, session, [.version("queryVersion", version)])
    }
  }

  private func warn(of view: View, _ session: EngineSession) {
    for className in view.classNames {
      for warning in SyncQueryWarning.warnings(about: view.predicate(of: className)) {
        logger.notice(
          "a subscription is slow",
          metadata: metadata(session, ["table": "\(className)", "reason": "\(warning)"])
        )
      }
    }
  }

  /// Places the bootstrap of a query set, to the extent that the user may see it now.
  func place(_ body: String, _ version: QueryVersion, _ session: EngineSession, _ meter: TurnMeter) throws {
    guard let file = session.file else { return }
    let asked = try schema.view(body: body)
    let permissions = ViewPermissions(file.permissions, of: asked.queriedClassNames)
    let view = try schema.view(body: body, permissions: permissions.text)
    views.remove(file)
    guard session.takesServerBootstraps || version != session.queryVersion else {
      file.presentedQuery = body
      return try placeView(file.permissions, session, file, meter)
    }
    if let kept = try store.keptBatches(file: file.ident, queryVersion: version) {
      guard UTF8Order.areEqual(kept.query, body) else { throw SessionFailure.otherQueries(version) }
      file.requestedSet = RequestedSet(version: version, body: body)
      return try placeView(file.permissions, session, file, meter)
    }
    let change = HeldViewChange(held: HeldView(file.view), next: view)
    let placed = try writer.placeBootstrap(of: change, queryVersion: version, in: file)
    logSubscriptions(body, version, permissions.text, session)
    begin(placed, session)
  }

  /// Begins to read a bootstrap once the transaction in which it was placed is durable.
  func begin(_ placed: PlacedBootstrap, _ session: EngineSession) {
    guard let file = session.file else { return }
    places.reserve(session)
    let permissions = file.permissions
    afterCommit.append { [self] in
      prepare(placed, permissions, session)
      places.begin(session, now: clock.milliseconds())
    }
  }

  /// Logs and records a query set whose bootstrap was placed, once the transaction is durable.
  func logSubscriptions(
    _ body: String,
    _ version: QueryVersion,
    _ permissions: String,
    _ session: EngineSession
  ) {
    let details = metadata(
      session,
      ["version": "\(version)", "query": "\(body)", "permissions": "\(permissions)"]
    )
    afterCommit.append { [self] in
      logger.info("subscriptions changed", metadata: details)
      record(
        .subscriptions,
        session,
        [.version("queryVersion", version), JSON.Member("queries", .string(body))]
      )
    }
  }

  func prepare(_ placed: PlacedBootstrap, _ permissions: Permissions, _ session: EngineSession) {
    guard session.isAttached else { return }
    do {
      session.preparedBootstraps[placed.version] = try BootstrapReader(
        placed,
        permissions,
        store: store,
        schema: schema,
        limits: limits,
        now: now
      )
    } catch {
      drop(session, error)
    }
  }

  /// - Returns: The rest of the upload, which must be integrated with other permissions.
  private func integrate(_ message: UploadMessage, _ session: EngineSession) throws -> UploadMessage? {
    guard let file = session.file else { return nil }
    let summary = try uploads.integrate(
      message,
      of: file,
      isClientReset: session.isClientReset,
      customDataClass: permissionSource.customUserData?.className
    )
    if summary.failure == nil || summary.integratedCount > 0 {
      afterCommit.append { [self] in
        session.peer?.post(.uploadIntegrated(session.key, file.uploadCursor))
        log(summary, session)
        record(summary, session)
      }
    }
    if let failure = summary.failure { throw failure }
    guard let rejection = summary.refusedIngest else { return summary.rest }
    // The client sends the rest again when it comes back.
    try end(session, .writeNotAllowed(rejection), isDueTold: true)
    return nil
  }

  private func log(_ summary: UploadIntegration.Summary, _ session: EngineSession) {
    guard summary.integratedCount > 0 else { return }
    logger.debug(
      "upload integrated",
      metadata: metadata(session, ["changesets": "\(summary.integratedCount)"])
    )
    guard !summary.rejected.isEmpty else { return }
    logger.warning(
      "writes rejected",
      metadata: metadata(
        session,
        [
          "type": "ErrorCompensatingWrite", "writes": "\(Rejection.logText(summary.rejected))",
          "roles": .array(Set(summary.rejected.compactMap(\.role)).sorted().map { .string($0) }),
        ]
      )
    )
  }

  func metadata(_ session: EngineSession, _ more: Logger.Metadata) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["user": "\(session.userID)", "session": "\(session.key.session)"]
    if let file = session.presentedFile { metadata["file"] = "\(file)" }
    return metadata.merging(more) { _, new in new }
  }
}
