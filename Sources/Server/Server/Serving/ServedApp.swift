// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncEngine
import FlexSyncRules
import FlexSyncScheduling
import FlexSyncServerStore
import FlexSyncStore
import FlexSyncTransport
import FlexSyncWire
import Logging

/// An app being served: its configuration, store, users and sync engine. Confined to the app's loop.
package final class ServedApp {
  private(set) var app: AppConfiguration
  package let accounts: AccountService
  package let engine: SyncEngine
  private let store: ServerStore
  private let loop: any Scheduler
  private let logger: Logger
  /// The permissions that replace those of the app's rules; nil to use the rules.
  private let givenPermissions: (any PermissionSource)?
  private var connections: [Int: SyncConnection] = [:]
  /// The log-in of each connection, by the connection's number.
  private var logins: [Int: (claims: TokenClaims, expires: Int64)] = [:]
  private let clock: WallClock
  private var connectionCount = 0
  private let limits: ServerLimits
  private let loads: UserLoads
  private let worker: any BlockingWorker
  private var records: RecordLog?
  private let rota: TurnRota
  private var part: TurnRota.Member?
  private var timers: [any ScheduledTimer] = []
  private var compactionTimer: (any ScheduledTimer)?
  private var seenDataVersion: Int64 = 0
  /// Called when the app's file has been deleted or replaced.
  var onLoss: ((StorageError) -> Void)?

  /// How often the server checks for changes by another process, such as an import.
  private static let pollMilliseconds: UInt64 = 250
  private static let sweepMilliseconds: UInt64 = 30_000
  private static let compactionMilliseconds: UInt64 = 3_600_000
  private static let compactionPauseMilliseconds: UInt64 = 20
  /// The close code that makes clients request a new access token and thus learn why they do not get one
  /// (RealmClients §2).
  private static let unauthorizedCode: UInt16 = 4001

  package init(
    app: AppConfiguration,
    store: ServerStore,
    signer: TokenSigner,
    loop: any Scheduler,
    worker: any BlockingWorker,
    clock: WallClock,
    limits: DeliveryLimits,
    serverLimits: ServerLimits = ServerLimits(),
    logger: Logger,
    salts: SaltSource = .system,
    policy: AccountPolicy = AccountPolicy(),
    passwords: PasswordQueue? = nil,
    mailDelivery: MailDelivery? = nil,
    permissions: (any PermissionSource)? = nil,
    rota: TurnRota? = nil
  ) throws {
    self.rota = rota ?? TurnRota(loop)
    var logger = logger
    logger[metadataKey: "app"] = "\(app.appID)"
    self.app = app
    self.store = store
    self.loop = loop
    self.logger = logger
    self.worker = worker
    self.limits = serverLimits
    loads = UserLoads(limits: serverLimits)
    self.clock = clock
    accounts = try AccountService(
      app: app,
      store: store,
      signer: signer,
      clock: clock,
      worker: worker,
      policy: policy,
      limits: serverLimits,
      passwords: passwords,
      mailDelivery: mailDelivery,
      logger: logger
    )
    engine = try SyncEngine(
      app: app,
      store: store,
      clock: clock,
      limits: limits,
      serverLimits: serverLimits,
      logger: logger,
      salts: salts,
      permissions: permissions ?? RulePermissions(app, accounts: accounts),
      monotonicMilliseconds: { [unowned loop] in loop.monotonicMilliseconds }
    )
    givenPermissions = permissions
    noteDirectory()
    seenDataVersion = try store.dataVersion()
    part = TurnRota.Member(appID: app.appID) { [weak self] in self?.engine.runTurn() ?? false }
    engine.onWork = { [weak self] in self?.requestTurn() }
    accounts.onUserEnded = { [weak self] in self?.endConnections(of: $0, $1) }
    accounts.onLoginsRevoked = { [weak self] in self?.endRevokedConnections(of: $0) }
    accounts.onUserChanged = { [weak self] in self?.engine.permissionsMayHaveChanged(of: $0) }
    compact()
    timers = [
      loop.startTimer(everyMilliseconds: ServedApp.pollMilliseconds) { [weak self] in self?.poll() },
      loop.startTimer(everyMilliseconds: ServedApp.sweepMilliseconds) { [weak self] in self?.sweep()
      },
      loop.startTimer(everyMilliseconds: ServedApp.compactionMilliseconds) { [weak self] in
        self?.compact()
        self?.accounts.forgetExpired()
      },
    ]
  }

  /// Continues with a reloaded configuration.
  ///
  /// - Throws: `ServerError` if the keys of a provider cannot be used, or `StorageError` if the schema conflicts with
  ///   the stored data. In that case nothing changes.
  func reload(_ app: AppConfiguration) throws {
    try accounts.use(app)
    do {
      try engine.reload(app, permissions: givenPermissions ?? RulePermissions(app, accounts: accounts))
    } catch {
      try accounts.use(self.app)
      throw error
    }
    self.app = app
    noteDirectory()
  }

  /// Logs how the directory, which is in use now, differs from the data and from the one before it, and which options of
  /// the command line it calls for. Stores what commands need of it.
  private func noteDirectory() {
    do {
      let warnings = try DataCheck.warnings(of: app, with: store, before: AppNote.read(store))
      for warning in warnings + [accounts.mailWarning].compactMap({ $0 }) { logger.warning("\(warning)") }
      try AppNote(app).write(to: store)
    } catch {
      logger.error("could not store what commands need of the app directory", metadata: ["error": "\(error)"])
    }
  }

  /// Starts recording the events of sessions.
  package func keepRecords(in files: RecordFiles) {
    let records = RecordLog(
      files: files,
      bytesPerUser: limits.recordBytesPerUser,
      worker: worker,
      scheduler: loop,
      logger: logger
    )
    self.records = records
    engine.onRecord = { records.record($0) }
  }

  private func requestTurn() {
    if let part { rota.request(part) }
  }

  private func poll() {
    engine.goOn()
    limitIncompleteMessages()
    do {
      try checkFile()
      let version = try store.dataVersion()
      guard version != seenDataVersion else { return }
      seenDataVersion = version
      try accounts.noticeChanges()
      engine.catchUp()
    } catch {
      logger.error("could not read the store", metadata: ["error": "\(error)"])
    }
  }

  private func checkFile() throws {
    do {
      try store.checkFile()
    } catch let error as StorageError {
      onLoss?(error)
      throw error
    }
  }

  /// Deletes data that is no longer needed, in batches.
  private func compact() {
    guard engine.compact(), !loop.isStopping else { return }
    let timer = loop.startTimer(afterMilliseconds: ServedApp.compactionPauseMilliseconds) { [weak self] in
      self?.compact()
    }
    compactionTimer = timer
  }

  /// Drops connections that are dead or do not read what they are sent, and limits the size of the write-ahead log.
  package func sweep() {
    let now = loop.monotonicMilliseconds
    for (_, connection) in connections.sorted(by: { $0.key < $1.key }) {
      let isStalled = connection.stalledSince.map { now > $0 + engine.limits.stallMilliseconds } ?? false
      if isStalled || connection.isSilent(now: now) { connection.drop() }
    }
    endExpiredConnections()
    loads.sweep(now: now)
    engine.relievePlaces()
    engine.relieveLog()
  }

  /// Drops connections whose messages have been incomplete for longest, if all incomplete messages occupy too much memory.
  package func limitIncompleteMessages() {
    let now = loop.monotonicMilliseconds
    var total = 0
    var arriving: [(id: Int, byteCount: Int, since: UInt64)] = []
    for (id, connection) in connections {
      guard let message = connection.incompleteMessage(now: now) else { continue }
      total += message.byteCount
      arriving.append((id, message.byteCount, message.since))
    }
    guard total > engine.limits.incompleteByteCount else { return }
    arriving.sort { ($0.since, $1.byteCount, $0.id) < ($1.since, $0.byteCount, $1.id) }
    for message in arriving where message.byteCount > ServedApp.smallMessageByteCount {
      logger.warning(
        "dropped a connection: the messages that clients have not finished occupy too much memory",
        metadata: ["user": "\(connections[message.id]?.userID ?? "")", "bytes": "\(message.byteCount)"]
      )
      connections[message.id]?.drop()
      total -= message.byteCount
      if total <= engine.limits.incompleteByteCount { return }
    }
  }

  /// Dropping connections with less than this would not help.
  private static let smallMessageByteCount = 64 << 10

  // MARK: Ending connections

  /// Ends the connections of a user who may no longer be connected.
  private func endConnections(of userID: String, _ reason: String) {
    for (_, connection) in connections.sorted(by: { $0.key < $1.key }) where connection.userID == userID {
      connection.end(code: ServedApp.unauthorizedCode, reason: reason)
    }
  }

  /// Ends the connections of a user whose log-ins have been revoked.
  private func endRevokedConnections(of userID: String) {
    do {
      for (id, login) in logins.sorted(by: { $0.key < $1.key }) where login.claims.userID == userID {
        if try accounts.isLoggedIn(login.claims) { continue }
        connections[id]?.end(code: ServedApp.unauthorizedCode, reason: APIError.invalidSession.message)
      }
    } catch {
      logger.error("could not read log-ins", metadata: ["user": "\(userID)", "error": "\(error)"])
    }
  }

  /// Ends the connections whose log-ins have expired.
  private func endExpiredConnections() {
    let now = clock.seconds
    for (id, login) in logins.sorted(by: { $0.key < $1.key }) where login.expires <= now {
      connections[id]?.end(code: ServedApp.unauthorizedCode, reason: APIError.invalidSession.message)
    }
  }

  /// Serves a user's connection until the log-in behind its token expires.
  func accept(_ channel: any MessageChannel, version: SyncProtocolVersion, claims: TokenClaims) throws {
    let expires = try store.login(id: claims.sessionID)?.expires ?? claims.expiresAt
    let id = accept(channel, version: version, userID: claims.userID)
    logins[id] = (claims, expires)
  }

  /// Serves a user's connection.
  ///
  /// - Returns: The number of the connection.
  @discardableResult
  package func accept(_ channel: any MessageChannel, version: SyncProtocolVersion, userID: String) -> Int {
    let connection = SyncConnection(
      channel: channel,
      scheduler: loop,
      version: version,
      userID: userID,
      engine: engine,
      loads: loads,
      limits: MessageLimits(
        bodyByteCount: limits.messageByteCount,
        queryByteCount: limits.querySetByteCount,
        // Those that are refused are bound until the client unbinds them.
        sessionCount: 2 * limits.sessionsPerUser
      ),
      logger: logger
    )
    connectionCount += 1
    let id = connectionCount
    connections[id] = connection
    connection.onEnd = { [weak self] in
      self?.connections[id] = nil
      self?.logins[id] = nil
      self?.logger.debug("connection ended", metadata: ["user": "\(userID)"])
    }
    logger.debug("connection started", metadata: ["user": "\(userID)", "protocol": "\(version)"])
    return id
  }

  /// Finishes queued work and disconnects all clients.
  package func stop() {
    for timer in timers { timer.cancel() }
    compactionTimer?.cancel()
    engine.runLastTurn()
    for connection in Array(connections.values) { connection.drop() }
    records?.close()
    do {
      // So that nothing is missing if somebody copies or deletes the file without its log.
      guard try store.checkpoint().isPinned else { return }
      logger.warning(
        "another process reads the data, so the server ends before it has moved their log to the file; keep data.sqlite-wal"
      )
    } catch {
      logger.warning("could not move the log of the data to their file", metadata: ["error": "\(error)"])
    }
  }
}
