// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCrypto
import FlexSyncModel
import FlexSyncProtocol
import FlexSyncStorage
import Logging

/// The sync server of one app: takes the messages of all sessions, and integrates those of one turn of the loop in
/// one durable transaction (Docs/Architecture.md).
final class SyncEngine {
  /// Something that a session asks for.
  enum Request {
    case allocateFile
    case ident(IdentMessage, QuerySet)
    case query(QueryVersion, QuerySet)
    case upload(UploadMessage)
    /// Deliver everything that is placed, and tell.
    case catchUp
  }

  struct Job {
    let session: SyncSession
    let request: Request
  }

  let app: AppConfiguration
  let store: ServerStore
  let schema: AppSchema
  let history: CommittedHistory
  private let planner: StreamPlanner
  let writer: StreamWriter
  let uploads: UploadIntegration
  let delivery: Delivery
  let clock: WallClock
  let limits: DeliveryLimits
  let logger: Logger

  var queue: [Job] = []
  /// Sessions with a file, by file ident.
  var live: [UInt64: SyncSession] = [:]
  /// What is to be done when the transaction is durable.
  var afterCommit: [() -> Void] = []
  /// Sessions whose QUERY is to be placed at the end of the transaction.
  var pendingQueries: [(session: SyncSession, view: View, version: QueryVersion)] = []
  /// Called when something is queued, to have `runTurn` called.
  var onWork: (() -> Void)?

  init(
    app: AppConfiguration,
    store: ServerStore,
    clock: WallClock,
    limits: DeliveryLimits,
    logger: Logger
  ) throws {
    self.limits = limits
    self.app = app
    self.store = store
    self.clock = clock
    self.logger = logger
    schema = try AppSchema(app: app, store: store)
    history = try CommittedHistory(store: store)
    planner = StreamPlanner(store: store, history: history)
    writer = StreamWriter(store: store, schema: schema, history: history, planner: planner, clock: clock)
    uploads = UploadIntegration(store: store, schema: schema, history: history, writer: writer)
    delivery = Delivery(store: store, salt: try SyncEngine.salt(store), limits: limits)
    try HistoryFloor(store: store).update(
      queryableFields: schema.queryableFieldsText,
      version: history.version
    )
  }

  /// The salt of the latest server version: one for the life of the data, not 0.
  private static func salt(_ store: ServerStore) throws -> Int64 {
    if let salt = try store.setting("latest_version_salt") { return salt }
    let salt = makeSalt()
    try store.write { try store.set("latest_version_salt", to: salt) }
    return salt
  }

  static func makeSalt() -> Int64 {
    let random = RandomBytes.generate(count: 8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int64(random >> 1) | 1
  }

  // MARK: Requests

  /// Queues what a session asks for; it is done at the end of the turn.
  func submit(_ request: Request, from session: SyncSession) {
    queue.append(Job(session: session, request: request))
    onWork?()
  }

  /// Ends a session; what it has queued is dropped.
  func close(_ session: SyncSession) {
    session.detach()
    guard let file = session.file, live[file.ident] === session else { return }
    live[file.ident] = nil
    file.record.lastSeen = clock.seconds
    do {
      try store.writeLazily { try store.update(file.record) }
    } catch {
      logger.error("the progress of a client file could not be stored", metadata: ["error": "\(error)"])
    }
  }

  /// Sends more to a session whose connection has become writable.
  func resume(_ session: SyncSession) { pump(session) }

  /// The number of sessions with a file.
  var sessionCount: Int { live.count }

  // MARK: Turns

  /// Does everything that is queued. A session's QUERY or IDENT ends its part of a transaction, since what follows
  /// depends on the new view.
  func runTurn() {
    while !queue.isEmpty {
      var batch: [Job] = []
      var rest: [Job] = []
      var blocked: Set<ObjectIdentifier> = []
      for job in queue where job.session.isAttached {
        if blocked.contains(ObjectIdentifier(job.session)) {
          rest.append(job)
          continue
        }
        batch.append(job)
        switch job.request {
        case .query, .ident: blocked.insert(ObjectIdentifier(job.session))
        case .allocateFile, .upload, .catchUp: break
        }
      }
      queue = rest
      run(batch)
    }
  }

  /// Brings live files up to date with what another process has written.
  func catchUp() { run([], durability: .durable) }

  private func run(_ batch: [Job]) {
    run(batch, durability: batch.map(\.request.durability).max() ?? .none)
  }

  private func run(_ batch: [Job], durability: Durability) {
    do {
      switch durability {
      case .none: for job in batch { try perform(job) }
      case .lazy: try store.writeLazily { try note(batch) }
      case .durable: try store.write { try transact(batch) }
      }
      let actions = afterCommit
      afterCommit = []
      for action in actions { action() }
    } catch {
      return fail(error, batch)
    }
    for session in live.values { pump(session) }
  }

  private func transact(_ batch: [Job]) throws {
    try history.refresh()
    for job in batch { try perform(job) }
    try finishTransaction()
  }

  /// Takes acknowledgements. Nothing may be placed here: the loss of an entry that was sent could not be mended.
  private func note(_ batch: [Job]) throws {
    for job in batch { try perform(job) }
    for job in batch {
      guard let file = job.session.file, file.isDirty else { continue }
      try store.update(file.record)
      file.isDirty = false
      file.hasVolatileCursor = true
    }
  }

  private func finishTransaction() throws {
    for session in live.values where session.isAttached {
      if let file = session.file { try writer.extend(file) }
    }
    for query in pendingQueries where query.session.isAttached {
      try place(query.view, query.version, query.session)
    }
    pendingQueries = []
    for session in live.values {
      guard let file = session.file else { continue }
      file.hasVolatileCursor = false
      guard file.isDirty else { continue }
      try store.update(file.record)
      file.isDirty = false
    }
  }

  /// Nothing of the turn is kept; the clients send it again when they have connected again.
  private func fail(_ error: any Error, _ batch: [Job]) {
    logger.critical("the turn failed; all clients are disconnected", metadata: ["error": "\(error)"])
    let sessions = Array(live.values) + (batch + queue).map(\.session)
    afterCommit = []
    pendingQueries = []
    queue = []
    live = [:]
    for session in sessions {
      let peer = session.peer
      session.detach()
      peer?.drop()
    }
    do {
      try forgetUncertain()
    } catch {
      logger.critical("the store cannot be read", metadata: ["error": "\(error)"])
    }
  }

  /// Reads again what memory holds of the store, after something was taken back.
  func forgetUncertain() throws {
    planner.reset()
    try history.reload()
    try schema.reload()
  }

  private func pump(_ session: SyncSession) {
    do {
      if let file = session.file, file.hasVolatileCursor, delivery.isDue(session) {
        // What comes now tells the client the upload cursor, which must never go back (protocol §5.1).
        try store.write { try store.update(file.record) }
        file.hasVolatileCursor = false
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
  /// What a loss of power may take back: the clients tell it again.
  case lazy
  /// What is on disk before anybody is told.
  case durable
}

extension SyncEngine.Request {
  fileprivate var durability: Durability {
    switch self {
    case .catchUp: .none
    // Acknowledgements only free space.
    case .upload(let message): message.entries.isEmpty ? .lazy : .durable
    case .allocateFile, .ident, .query: .durable
    }
  }
}
