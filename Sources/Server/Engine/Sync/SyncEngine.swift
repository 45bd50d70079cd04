// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncModel
import FlexSyncRules
import FlexSyncScheduling
import FlexSyncServerStore
import FlexSyncWire
import Logging

/// The sync server of one app: takes the messages of all sessions, and integrates those of one turn of the loop in
/// one durable transaction (Docs/Architecture.md).
package final class SyncEngine {
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
    let session: EngineSession
    let request: Request
  }

  var app: AppConfiguration
  package let store: ServerStore
  package let schema: AppSchema
  let history: CommittedHistory
  let planner: StreamPlanner
  let views: LiveViews
  let writer: StreamWriter
  let uploads: UploadIntegration
  let delivery: Delivery
  let clock: WallClock
  package let limits: DeliveryLimits
  let logger: Logger
  let salts: SaltSource
  /// The most client files of a user that are remembered.
  let filesPerUser: Int
  var permissionSource: any PermissionSource
  /// Whose permissions are to be looked up again.
  var outdatedPermissions = OutdatedPermissions()
  /// Whose permissions have changed, until that is noted with all their files.
  var changedPermissions = OutdatedPermissions()
  /// What is stored of when they have changed; nil if that is not known.
  var storedPermissionsSince: Int64?
  /// After which file the next one is to be noted, when everybody's permissions may have changed; nil if none is.
  var awaySweep: UInt64?
  /// Whether the last turn that was to write failed.
  var lastTurnFailed = false
  /// Files of whose users that is so. Until it is done, they wait as those do whose view changes.
  var staleFiles = WaitingFiles()
  /// Files whose streams a turn has left behind; they are extended in the next ones.
  var laggingFiles = WaitingFiles()
  /// Work on streams over several turns.
  var streamWork = StreamWorkQueue()
  /// Sessions whose view another one takes the place of at the end of this transaction or a later one.
  var viewChanges: ViewChangeQueue
  /// What such sessions ask for; done when their view has changed.
  var deferred: [Job] = []
  /// The version up to which changes of custom user data are noticed.
  var noticedVersion: UInt64

  var queue: [Job] = []
  /// Whether the next turn is for a large set of subscriptions.
  var isLargeQueryDue = false
  /// Sessions to which something is to be delivered.
  var deliveries = FairQueue<EngineSession>()
  /// Whether another process may have written something.
  var isBehind = false
  /// The milliseconds of a monotonic clock.
  let now: () -> UInt64
  /// Sessions with a file, by file ident.
  var live: [UInt64: EngineSession] = [:]
  /// What is to be done when the transaction is durable.
  var afterCommit: [() -> Void] = []
  /// The connections of sessions that the transaction has ended. They are told when it is durable.
  var parting: [any EngineSessionPeer] = []
  /// Sessions whose QUERY is to be placed at the end of the transaction.
  var pendingQueries: [(session: EngineSession, body: String, version: QueryVersion)] = []
  /// Sessions that a turn has to do with, by file ident; the others are not looked at.
  var visited: [UInt64: EngineSession] = [:]
  /// How many sessions turns have had to do with.
  var visitCount = 0
  /// Whether memory may hold what the store does not, because the store could not be read after a turn had failed.
  var isUncertain = false
  /// Called when there is something to do, to have `runTurn` called.
  package var onWork: (() -> Void)?
  /// Called with what happens in sessions; must take no time.
  package var onRecord: ((SyncRecord) -> Void)?

  package init(
    app: AppConfiguration,
    store: ServerStore,
    clock: WallClock,
    limits: DeliveryLimits,
    serverLimits: ServerLimits = ServerLimits(),
    logger: Logger,
    salts: SaltSource = .system,
    permissions: any PermissionSource = OpenPermissions(),
    monotonicMilliseconds: @escaping () -> UInt64 = { 0 }
  ) throws {
    now = monotonicMilliseconds
    permissionSource = permissions
    viewChanges = ViewChangeQueue(capacity: limits.simultaneousViewChanges)
    self.limits = limits
    self.salts = salts
    filesPerUser = serverLimits.filesPerUser
    self.app = app
    self.store = store
    self.clock = clock
    self.logger = logger
    schema = try AppSchema(app: app, store: store, limits: serverLimits)
    history = try CommittedHistory(store: store, limits: limits.history)
    noticedVersion = history.version
    // What has changed while the server did not run, nobody has noted.
    let since = try SyncEngine.versionOfUnnotedPermissions(store) ?? history.version
    changedPermissions.insert(nil, min(since, history.version)...history.version)
    awaySweep = 0
    let source = StreamSource(store, history: history, schema: schema)
    planner = StreamPlanner(source)
    views = LiveViews(history: history) {
      TurnMeter(limits.turn.divided(by: 2), now: monotonicMilliseconds)
    }
    writer = StreamWriter(
      schema: schema,
      source: source,
      planner: planner,
      views: views,
      limits: limits,
      clock: clock
    )
    uploads = UploadIntegration(
      store: store,
      schema: schema,
      history: history,
      writer: writer,
      limits: UploadLimits(serverLimits)
    )
    delivery = Delivery(store: store, salt: try SyncEngine.salt(store, salts), limits: limits)
    try HistoryFloor(store: store).update(
      queryableFields: schema.queryableFields,
      version: history.version
    )
    try store.write { try includeCustomUserData(of: permissions) }
    uploads.onSchemaGrowth = { [unowned self] file in
      outdatedPermissions.insert(nil, at: history.version)
      file.permissions = try self.permissions(of: file.record.userID)
    }
  }

  /// The salt of the latest server version: one until the data are restored from a backup, not 0.
  private static func salt(_ store: ServerStore, _ salts: SaltSource) throws -> Int64 {
    if let salt = try store.versionSalt() { return salt }
    let salt = salts.next()
    try store.write { try store.changeVersionSalt(to: salt) }
    return salt
  }

  // MARK: Requests

  /// Queues what a session asks for; it is done at the end of the turn.
  func submit(_ request: Request, from session: EngineSession) {
    if session.isEnding { return note(request, of: session) }
    queue.append(Job(session: session, request: request))
    onWork?()
  }

  /// Ends a session; what it has queued is dropped.
  func close(_ session: EngineSession) {
    session.detach()
    goOn()
    guard let file = session.file, live[file.ident] === session else { return }
    record(.sessionEnd, session)
    live[file.ident] = nil
    streamWork.abandon(file.ident)
    views.remove(file)
    file.record.lastSeen = clock.seconds
    do {
      try store.writeLazily { try store.update(file.record) }
    } catch {
      logger.error("the progress of a client file could not be stored", metadata: ["error": "\(error)"])
    }
  }

  /// Sends more to a session whose connection has become writable.
  func resume(_ session: EngineSession) {
    deliveries.add(session)
    onWork?()
  }

  /// The number of sessions with a file.
  package var sessionCount: Int { live.count }

  /// Whether a user has a session with a file.
  package func hasSession(of userID: String) -> Bool { live.values.contains { $0.userID == userID } }
}
