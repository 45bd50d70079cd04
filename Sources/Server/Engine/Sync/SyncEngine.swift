// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncModel
import FlexSyncRules
import FlexSyncScheduling
import FlexSyncServerStore
import FlexSyncWire
import Logging

/// The sync server of one app. It receives the messages of all sessions, and performs as many as possible in each
/// durable transaction of a turn of the loop (Docs/Architecture.md).
package final class SyncEngine {
  /// A request of a session.
  enum Request {
    case allocateFile
    case ident(IdentMessage, QuerySet)
    case query(QueryVersion, QuerySet)
    case upload(UploadMessage)
    /// Deliver everything that is placed, and then confirm it.
    case catchUp

    /// The bytes that the request occupies while it waits, without a small constant.
    var byteCount: Int {
      switch self {
      case .allocateFile, .catchUp: 0
      case .ident(_, let queries), .query(_, let queries): queries.body.count
      case .upload(let message): message.entries.reduce(0) { $0 + $1.changeset.count }
      }
    }
  }

  struct Job {
    let session: EngineSession
    let request: Request
  }

  /// A query set that a session has asked for.
  struct PendingQuery {
    let session: EngineSession
    let version: QueryVersion
    /// The body, or why the app does not allow the set.
    let body: Result<String, QuerySetRefusal>

    var isAllowed: Bool { if case .success = body { true } else { false } }
  }

  var app: AppConfiguration
  package let store: ServerStore
  package let schema: AppSchema
  let history: CommittedHistory
  let views: LiveViews
  let writer: StreamWriter
  let uploads: UploadIntegration
  let delivery: Delivery
  let clock: WallClock
  package let limits: DeliveryLimits
  let logger: Logger
  let salts: SaltSource
  /// The maximum number of client files that are remembered per user.
  let filesPerUser: Int
  var permissionSource: any PermissionSource
  /// The users whose permissions must be looked up again.
  var outdatedPermissions = OutdatedPermissions()
  /// The users whose permissions have changed, until that is recorded with all their files.
  var changedPermissions = OutdatedPermissions()
  /// The stored version since which they have changed, -1 for none; nil if it must be stored again.
  var storedPermissionsSince: Int64?
  /// The file after which the sweep over all files continues, when the permissions of all users may have changed; nil
  /// if there is no sweep.
  var awaySweep: UInt64?
  /// Whether the last turn that had to write failed.
  var lastTurnFailed = false
  /// Files whose users' permissions must be looked up again. Until that is done, they wait like those whose view
  /// changes.
  var staleFiles = WaitingFiles()
  /// Files whose streams a turn had no time to extend; the next turns extend them.
  var laggingFiles = WaitingFiles()
  /// Work on streams over several turns.
  var streamWork = StreamWorkQueue()
  /// Sessions whose view is replaced at the end of this transaction or a later one.
  var viewChanges = ViewChangeQueue()
  /// The bootstraps that are being read.
  var places: BootstrapPlaces
  /// The sessions that wait for a place.
  var line = BootstrapLine()
  /// The requests of sessions that wait, performed when the wait is over.
  var deferred: [Job] = []
  /// The version up to which changes of custom user data have been found.
  var noticedVersion: UInt64

  var queue: [Job] = []
  /// Whether the next turn is for a large subscription set.
  var isLargeQueryDue = false
  /// Sessions with something to deliver, and their users.
  var deliveries = FairQueue<EngineSession>()
  /// The number of parts of turns in which sessions could deliver.
  var partCount: UInt64 = 0
  /// Whether another process may have written something.
  var isBehind = false
  /// The milliseconds of a monotonic clock.
  let now: () -> UInt64
  /// Sessions with a file, by file ident.
  var live: [UInt64: EngineSession] = [:]
  /// Actions to run when the transaction is durable.
  var afterCommit: [() -> Void] = []
  /// The connections of sessions that the transaction has ended. They learn of it when the transaction is durable.
  var parting: [any EngineSessionPeer] = []
  /// Query sets to be answered at the end of the transaction.
  var pendingQueries: [PendingQuery] = []
  /// Sessions that the current turn concerns, by file ident. Other sessions are not examined.
  var visited: [UInt64: EngineSession] = [:]
  /// The total number of sessions that turns have concerned.
  var visitCount = 0
  /// Whether memory may differ from the store, because the store could not be read after a turn had failed.
  var isUncertain = false
  /// Called when there is work. The owner must then call `runTurn` soon.
  package var onWork: (() -> Void)?
  /// Called with the events of sessions; must return quickly.
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
    places = BootstrapPlaces(capacity: limits.simultaneousBootstraps)
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
    // Changes made while the server was not running have not been recorded with any file.
    let since = try SyncEngine.versionOfUnnotedPermissions(store) ?? history.version
    changedPermissions.insert(nil, min(since, history.version)...history.version)
    awaySweep = 0
    views = LiveViews(history: history) {
      TurnMeter(limits.turn.divided(by: 2), now: monotonicMilliseconds)
    }
    let source = StreamSource(store, history: history, schema: schema)
    writer = StreamWriter(source: source, views: views, limits: limits, clock: clock)
    uploads = UploadIntegration(writer: writer, limits: UploadLimits(serverLimits))
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

  /// Returns the salt of the latest server version. It is not 0, and stays the same until the data is restored from a
  /// backup.
  private static func salt(_ store: ServerStore, _ salts: SaltSource) throws -> Int64 {
    if let salt = try store.versionSalt() { return salt }
    let salt = salts.next()
    try store.write { try store.changeVersionSalt(to: salt) }
    return salt
  }

  // MARK: Requests

  /// Queues a request of a session, to be performed in a turn.
  func submit(_ request: Request, from session: EngineSession) {
    if session.isEnding { return note(request, of: session) }
    queue.append(Job(session: session, request: request))
    onWork?()
  }

  /// Ends a session and drops its queued requests.
  func close(_ session: EngineSession) {
    // What it leaves may be what another session waits for.
    defer { goOn() }
    _ = leaveLine(session)
    session.detach()
    guard let file = session.file, live[file.ident] === session else { return }
    record(.sessionEnd, session)
    live[file.ident] = nil
    streamWork.abandon(file.ident)
    views.remove(file)
    do {
      try noteSeen(file)
      try store.writeLazily { try store.update(file.record) }
    } catch {
      logger.error("could not store the progress of a client file", metadata: ["error": "\(error)"])
    }
  }

  /// Resumes sending to a session whose connection has become writable.
  func resume(_ session: EngineSession) {
    awaitDelivery(session)
    onWork?()
  }

  /// The number of sessions with a file.
  package var sessionCount: Int { live.count }

  /// Whether a user has a session with a file.
  package func hasSession(of userID: String) -> Bool { live.values.contains { $0.userID == userID } }
}
