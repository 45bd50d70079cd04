// SPDX-License-Identifier: Apache-2.0

import FlexSyncProtocol
import FlexSyncStorage
import FlexSyncTransport
import Logging

/// One app while it is served: its configuration, its store, its users and its sync engine. Confined to the loop.
package final class ServedApp {
  let app: AppConfiguration
  let accounts: AccountService
  package let engine: SyncEngine
  private let store: ServerStore
  private let loop: any Scheduler
  private let logger: Logger
  private var connections: [Int: SyncConnection] = [:]
  private var connectionCount = 0
  private var isTurnScheduled = false
  private var timers: [any ScheduledTimer] = []
  private var compactionTimer: (any ScheduledTimer)?
  private var seenDataVersion: Int64 = 0

  /// How soon changes of another process, such as an import, are noticed.
  private static let pollMilliseconds: UInt64 = 250
  /// A live client sends a PING at least each minute (protocol §11); one that is silent for longer than this is gone.
  private static let silenceMilliseconds: UInt64 = 3 * 60_000
  private static let sweepMilliseconds: UInt64 = 30_000
  private static let compactionMilliseconds: UInt64 = 3_600_000
  private static let compactionPauseMilliseconds: UInt64 = 20

  package init(
    app: AppConfiguration,
    store: ServerStore,
    signer: TokenSigner,
    loop: any Scheduler,
    worker: any BlockingWorker,
    clock: WallClock,
    limits: DeliveryLimits,
    logger: Logger,
    salts: SaltSource = .system
  ) throws {
    var logger = logger
    logger[metadataKey: "app"] = "\(app.appID)"
    self.app = app
    self.store = store
    self.loop = loop
    self.logger = logger
    accounts = AccountService(app: app, store: store, signer: signer, clock: clock, worker: worker)
    engine = try SyncEngine(
      app: app,
      store: store,
      clock: clock,
      limits: limits,
      logger: logger,
      salts: salts
    )
    seenDataVersion = try store.dataVersion()
    engine.onWork = { [weak self] in self?.scheduleTurn() }
    accounts.onDeletion = { [weak self] in self?.dropConnections(of: $0) }
    compact()
    timers = [
      loop.startTimer(everyMilliseconds: ServedApp.pollMilliseconds) { [weak self] in self?.poll() },
      loop.startTimer(everyMilliseconds: ServedApp.sweepMilliseconds) { [weak self] in self?.sweep()
      },
      loop.startTimer(everyMilliseconds: ServedApp.compactionMilliseconds) { [weak self] in
        self?.compact()
      },
    ]
  }

  private func scheduleTurn() {
    guard !isTurnScheduled else { return }
    isTurnScheduled = true
    loop.atEndOfTurn { [weak self] in
      self?.isTurnScheduled = false
      self?.engine.runTurn()
    }
  }

  private func poll() {
    do {
      let version = try store.dataVersion()
      guard version != seenDataVersion else { return }
      seenDataVersion = version
      engine.catchUp()
    } catch {
      logger.error("the store cannot be read", metadata: ["error": "\(error)"])
    }
  }

  /// Forgets what is not needed, some at a time.
  private func compact() {
    guard engine.compact(), !loop.isStopping else { return }
    let timer = loop.startTimer(afterMilliseconds: ServedApp.compactionPauseMilliseconds) { [weak self] in
      self?.compact()
    }
    compactionTimer = timer
  }

  /// Drops connections that are dead or do not take what they are sent, and keeps the files small.
  func sweep() {
    let now = loop.monotonicMilliseconds
    for (_, connection) in connections.sorted(by: { $0.key < $1.key }) {
      let isSilent = now > connection.lastReceived + ServedApp.silenceMilliseconds
      let isStalled = connection.stalledSince.map { now > $0 + engine.limits.stallMilliseconds } ?? false
      if isSilent || isStalled { connection.drop() }
    }
    engine.relieveLog()
  }

  private func dropConnections(of userID: String) {
    for (_, connection) in connections.sorted(by: { $0.key < $1.key }) where connection.userID == userID {
      connection.drop()
    }
  }

  /// Serves a connection of a user.
  package func accept(_ channel: any MessageChannel, version: SyncProtocolVersion, userID: String) {
    let connection = SyncConnection(
      channel: channel,
      scheduler: loop,
      version: version,
      userID: userID,
      engine: engine,
      logger: logger
    )
    connectionCount += 1
    let id = connectionCount
    connections[id] = connection
    connection.onEnd = { [weak self] in
      self?.connections[id] = nil
      self?.logger.debug("connection ended", metadata: ["user": "\(userID)"])
    }
    logger.debug("connection started", metadata: ["user": "\(userID)", "protocol": "\(version)"])
  }

  /// Finishes what is queued and drops all clients.
  package func stop() {
    for timer in timers { timer.cancel() }
    compactionTimer?.cancel()
    engine.runTurn()
    for connection in Array(connections.values) { connection.drop() }
  }
}

extension EventLoop: BlockingWorker {}
