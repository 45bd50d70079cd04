// SPDX-License-Identifier: Apache-2.0

import FlexSyncProtocol
import FlexSyncStorage
import FlexSyncTransport
import Logging

/// One app while it is served: its configuration, its store, its users and its sync engine. Confined to the loop.
final class ServedApp {
  let app: AppConfiguration
  let accounts: AccountService
  let engine: SyncEngine
  private let store: ServerStore
  private let loop: EventLoop
  private let logger: Logger
  private var connections: [ObjectIdentifier: SyncConnection] = [:]
  private var isTurnScheduled = false
  private var timers: [TimerHandle] = []
  private var seenDataVersion: Int64 = 0

  /// How soon changes of another process, such as an import, are noticed.
  private static let pollMilliseconds: UInt64 = 250
  /// A live client sends a PING at least each minute (protocol §11); one that is silent for longer than this is gone.
  private static let silenceMilliseconds: UInt64 = 3 * 60_000
  private static let sweepMilliseconds: UInt64 = 30_000
  private static let compactionMilliseconds: UInt64 = 3_600_000

  init(
    app: AppConfiguration,
    store: ServerStore,
    signer: TokenSigner,
    loop: EventLoop,
    clock: WallClock,
    limits: DeliveryLimits,
    logger: Logger
  ) throws {
    var logger = logger
    logger[metadataKey: "app"] = "\(app.appID)"
    self.app = app
    self.store = store
    self.loop = loop
    self.logger = logger
    accounts = AccountService(app: app, store: store, signer: signer, clock: clock, worker: loop)
    engine = try SyncEngine(app: app, store: store, clock: clock, limits: limits, logger: logger)
    seenDataVersion = try store.dataVersion()
    engine.onWork = { [weak self] in self?.scheduleTurn() }
    engine.compact()
    timers = [
      loop.scheduleRepeatedly(everyMilliseconds: ServedApp.pollMilliseconds) { [weak self] in self?.poll() },
      loop.scheduleRepeatedly(everyMilliseconds: ServedApp.sweepMilliseconds) { [weak self] in self?.sweep()
      },
      loop.scheduleRepeatedly(everyMilliseconds: ServedApp.compactionMilliseconds) { [weak self] in
        self?.engine.compact()
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

  private func sweep() {
    let now = EventLoop.monotonicMilliseconds
    for connection in Array(connections.values)
    where now > connection.lastReceived + ServedApp.silenceMilliseconds {
      connection.drop()
    }
  }

  /// Serves a web socket of a user.
  func accept(_ socket: WebSocket, version: SyncProtocolVersion, userID: String) {
    let connection = SyncConnection(
      socket: socket,
      version: version,
      userID: userID,
      engine: engine,
      logger: logger
    )
    let id = ObjectIdentifier(connection)
    connections[id] = connection
    connection.onEnd = { [weak self] in
      self?.connections[id] = nil
      self?.logger.debug("connection ended", metadata: ["user": "\(userID)"])
    }
    logger.debug("connection started", metadata: ["user": "\(userID)", "protocol": "\(version)"])
  }

  /// Finishes what is queued and drops all clients.
  func stop() {
    for timer in timers { timer.cancel() }
    engine.runTurn()
    for connection in Array(connections.values) { connection.drop() }
  }
}

extension EventLoop: BlockingWorker {}
