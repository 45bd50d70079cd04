// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncQuery
import FlexSyncRules
import Logging

/// Users whose permissions must be looked up again, each with the first and last version of the history after which
/// they changed.
struct OutdatedPermissions {
  private(set) var users: [String: ClosedRange<UInt64>] = [:]
  /// The same users, in the order in which they were added.
  private(set) var userIDs: [String] = []
  private(set) var everybody: ClosedRange<UInt64>?
  /// The first of all these versions, or an earlier one.
  private(set) var first: UInt64?

  var isEmpty: Bool { users.isEmpty && everybody == nil }

  /// - Parameter userID: nil for all users.
  mutating func insert(_ userID: String?, at version: UInt64) { insert(userID, version...version) }

  mutating func insert(_ other: OutdatedPermissions) {
    for (userID, versions) in other.users { insert(userID, versions) }
    if let versions = other.everybody { insert(nil, versions) }
  }

  mutating func insert(_ userID: String?, _ versions: ClosedRange<UInt64>) {
    first = min(first ?? versions.lowerBound, versions.lowerBound)
    if let userID {
      if users[userID] == nil { userIDs.append(userID) }
      users[userID] = users[userID]?.joined(with: versions) ?? versions
    } else {
      everybody = everybody?.joined(with: versions) ?? versions
    }
  }

  func contains(_ userID: String) -> Bool { versions(of: userID) != nil }

  /// Removes the users that were added first, but not what concerns all users.
  mutating func removeFirst(_ count: Int) {
    for userID in userIDs.prefix(count) { users[userID] = nil }
    userIDs.removeFirst(count)
    if isEmpty { first = nil }
  }

  /// Returns the versions after which the permissions of a user have changed, if they have.
  func versions(of userID: String) -> ClosedRange<UInt64>? {
    guard let versions = users[userID] else { return everybody }
    return everybody?.joined(with: versions) ?? versions
  }
}

extension ClosedRange {
  fileprivate func joined(with other: ClosedRange) -> ClosedRange {
    Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
  }
}

/// The permissions of users, and changes of them (protocol §4.9).
extension SyncEngine {
  /// Announces that rules, roles or data about a user have changed. In the next turn, sessions receive what their
  /// users may see now, and lose what they may no longer see. Clients that are away do so when they return.
  ///
  /// - Parameter userID: the user whose permissions may have changed; nil for all users.
  package func permissionsMayHaveChanged(of userID: String? = nil) {
    outdatedPermissions.insert(userID, at: history.version)
    onWork?()
  }

  /// Returns the user's current permissions. Must be called inside a write.
  func permissions(of userID: String) throws -> Permissions {
    var permissions = try permissionSource.permissions(of: userID, schema: schema.schema)
    for (className, permission) in permissions.classes where !schema.canDecide(permission, on: className) {
      logger.error(
        "a role cannot be used and denies all access",
        metadata: [
          "table": "\(className)", "role": "\(permission.role)", "user": "\(userID)",
          "read": "\(permission.read.canonicalText)", "write": "\(permission.write.canonicalText)",
          "reason": "filters can use only fields of the table itself",
        ]
      )
      permissions.classes[className] = nil
    }
    try schema.includeInImages(permissions.ruleFields)
    return permissions
  }

  /// Finds the sessions whose permissions must be looked up again. Nothing is placed for them until that is done.
  /// Must be called inside a write.
  func noticeOutdatedPermissions() throws {
    try noticeCustomUserData()
    guard !outdatedPermissions.isEmpty else { return try storeWhenPermissionsChanged() }
    let outdated = outdatedPermissions
    outdatedPermissions = OutdatedPermissions()
    changedPermissions.insert(outdated)
    if outdated.everybody != nil { awaySweep = 0 }
    try storeWhenPermissionsChanged()
    for (ident, session) in live.sorted(by: { $0.key < $1.key }) where outdated.contains(session.userID) {
      staleFiles.insert(ident)
      if let file = session.file { views.remove(file) }
    }
  }

  /// Looks up outdated permissions until the turn's budget is exhausted, and notes what has changed for each session.
  /// Must be called inside a write.
  func refreshPermissions(_ meter: TurnMeter) throws {
    try noticeOutdatedPermissions()
    var known: [String: Permissions] = [:]
    while let ident = staleFiles.next() {
      guard let session = live[ident] else { continue }
      do {
        guard try isAllowed(session) else { continue }
        let permissions = try known[session.userID] ?? permissions(of: session.userID)
        known[session.userID] = permissions
        try note(permissions, session)
      } catch  where SyncEngine.concernsOneSession(error) {
        logger.error("could not determine permissions", metadata: metadata(session, ["error": "\(error)"]))
        try end(session, .unexpected)
      }
      meter.count()
      if meter.isExhausted { return }
    }
    try noteAwayFiles(&known, meter)
  }

  /// Whether the subscriptions of a session are still allowed; if not, ends the session.
  private func isAllowed(_ session: EngineSession) throws -> Bool {
    guard let file = session.file else { return true }
    do throws(QuerySetRefusal) {
      _ = try schema.view(body: file.record.query, permissions: file.record.permissions)
      if let bootstrap = file.unfinished { _ = try schema.held(after: bootstrap) }
      return true
    } catch {
      try end(session, schema.failure(of: error, body: file.heldQuery))
      return false
    }
  }

  /// Notes the current permissions of a session's user.
  ///
  /// A new view is placed at the end of this transaction or, if many views change or the work is spread over turns
  /// (`ViewChangeWork`), of a later one, because its content is read from a snapshot of the store. Until then, nothing
  /// is sent to the session, and none of its requests are performed.
  func note(_ permissions: Permissions, _ session: EngineSession) throws {
    guard let file = session.file else { return }
    let versions = changedPermissions.versions(of: session.userID) ?? history.version...history.version
    var record = file.record
    try record.note(permissions, of: file.view.queriedClassNames, since: versions)
    if record != file.record { file.record = record }
    visited[file.ident] = session
    guard !isInterrupted(session, file, by: permissions) else { return try end(session, .permissionsChanged) }
    var request: ViewChangeRequest?
    if changesView(permissions, of: file) {
      let asked = self.request(permissions, session, file)
      // This change is already under way.
      if streamWork.activeStart(of: file.ident) == StreamWorkStart(file, change: asked) {
        return viewChanges.remove(file.ident)
      }
      request = asked
      viewChanges.insert(file.ident, session, permissions)
      views.remove(file)
    } else {
      file.permissions = permissions
      viewChanges.remove(file.ident)
    }
    // Other work has placed entries for a view that is now abandoned.
    if streamWork.isOther(than: StreamWorkStart(file, change: request), file.ident) {
      try cancelStreamWork(file)
    }
  }

  private func request(_ permissions: Permissions, _ session: EngineSession, _ file: LiveFile)
    -> ViewChangeRequest
  {
    let requested = file.unfinished == nil ? file.requestedSet : nil
    return ViewChangeRequest(
      permissions: permissions,
      query: requested?.body ?? file.unfinished?.record.oldQuery ?? file.presentedQuery ?? file.record.query,
      deliveredVersion: session.cursor.serverVersion,
      isBootstrapAllowed: session.takesServerBootstraps || requested != nil,
      requestedVersion: requested?.version
    )
  }

  /// Places changed views, as many as may run concurrently and the turn has time for. Must be called inside a write,
  /// when all uploads are integrated.
  func placeViewChanges(_ meter: TurnMeter) throws {
    var count = 0
    while count == 0 || !meter.isExhausted, !viewChanges.isEmpty, hasRoomForViewChange(),
      case let shares = bootstrapShares,
      let change = viewChanges.takeNext(where: { mayChangeView($0, $1, shares) })
    {
      let session = change.session
      guard let file = session.file, session.isAttached else { continue }
      count += 1
      meter.count()
      visited[file.ident] = session
      do {
        try placeView(change.permissions, session, file, meter)
      } catch  where SyncEngine.concernsOneSession(error) {
        try endUnchanged(session, file, error)
      }
    }
  }

  /// Whether a session has been given something that it has not been sent yet, and that may contain what the user may no
  /// longer see: bootstraps, also of older sets, and what precedes them, or what precedes a set with kept batches.
  private func isInterrupted(_ session: EngineSession, _ file: LiveFile, by permissions: Permissions) -> Bool
  {
    if session.isInterrupted(by: permissions) { return true }
    return file.requestedSet != nil && writer.changesView(permissions, of: file)
  }

  /// Places a changed view, or begins to. If that fails, nothing is placed.
  func placeView(
    _ permissions: Permissions,
    _ session: EngineSession,
    _ file: LiveFile,
    _ turn: TurnMeter
  ) throws {
    guard changesView(permissions, of: file) else {
      file.permissions = permissions
      // The file has only waited, but will count as extended to the newest version at the end of the turn.
      if try beginCatchUp(session) { return }
      return try file.orAsBefore { try store.database.nested { try writer.extend(file) } }
    }
    let request = request(permissions, session, file)
    views.remove(file)
    if try beginViewChange(request, in: file) { return }
    try cancelStreamWork(file)
    let work = ViewChangeWork(request, in: file, writer: writer, now: now, isSpread: false)
    // Clients that accept no such bootstrap receive the difference as ordinary changes, and it may be long.
    let budget = request.isBootstrapAllowed ? limits.turn : limits.turn.divided(by: 8)
    let meter = TurnMeter(budget, now: now)
    defer { turn.count(meter) }
    let placed = try file.orAsBefore {
      try store.database.nested { try work.goOn(meter) ? Optional(try work.finish(file)) : nil }
    }
    if let placed { return announce(placed, request, session, file) }
    try beginSpreadViewChange(request, in: file)
  }

  private func changesView(_ permissions: Permissions, of file: LiveFile) -> Bool {
    file.unfinished != nil || file.presentedQuery != nil || file.requestedSet != nil
      || writer.changesView(permissions, of: file)
  }

  /// Once the transaction is durable, logs that a view has changed and starts delivering its bootstrap.
  func announce(
    _ placed: PlacedBootstrap?,
    _ request: ViewChangeRequest,
    _ session: EngineSession,
    _ file: LiveFile
  ) {
    if let version = request.requestedVersion {
      logSubscriptions(request.query, version, file.record.permissions, session)
    } else {
      let details = metadata(session, ["permissions": "\(file.record.permissions)"])
      afterCommit.append { [self] in logger.info("permissions changed", metadata: details) }
    }
    if let placed { begin(placed, session) }
  }

  /// Ends a session whose stream could not continue, or whose view could not be changed.
  func endUnchanged(_ session: EngineSession, _ file: LiveFile, _ error: any Error) throws {
    logger.error("a stream cannot continue", metadata: metadata(session, ["error": "\(error)"]))
    switch error {
    case let failure as SessionFailure: try end(session, failure)
    case let refusal as QuerySetRefusal:
      try end(session, schema.failure(of: refusal, body: file.heldQuery))
    default: try end(session, .unexpected)
    }
  }

  /// Whether a session waits for its view to change, for the decision whether it changes, for work on its stream, or in
  /// line for its bootstrap.
  func isWaiting(_ session: EngineSession) -> Bool { session.isInLine || isWaitingForView(session) }

  /// Whether a session waits for its view to change, for the decision whether it changes, or for work on its stream.
  func isWaitingForView(_ session: EngineSession) -> Bool {
    guard let ident = session.file?.ident else { return false }
    return viewChanges.contains(ident) || staleFiles.contains(ident) || streamWork.contains(ident)
  }

  /// Whether nothing may be sent to a session: its stream may contain something that the user may no longer see, or lack
  /// something that others already know of. The session is visited again later.
  ///
  /// The server goes on to send a session in line what it placed before, and goes on with the bootstraps of a session that
  /// waits for that of a set with kept batches: the session would otherwise wait for places that it takes itself.
  func isWithheld(_ session: EngineSession) -> Bool {
    guard let file = session.file else { return false }
    if staleFiles.contains(file.ident) || streamWork.contains(file.ident) { return true }
    if laggingFiles.contains(file.ident) { return true }
    return viewChanges.contains(file.ident) && !(session.holdsSnapshot && file.requestedSet != nil)
  }

  /// Requests a turn if a waiting bootstrap can now begin. Must be called when a session has ended, and periodically.
  package func goOn() {
    if canBeginBootstrap { onWork?() }
  }

  /// The number, and the bytes, of a connection's deferred requests up to which the connection is read.
  private static let deferredRequestCount = 16
  private static let deferredByteCount = 64 << 10

  /// Defers the requests of sessions that wait, and returns the requests of those that no longer do to the queue.
  /// Connections with many or large deferred requests are not read in the meantime, so that no more accumulate. The
  /// others are, because a client whose PING stays unanswered reconnects, and has to wait from the beginning.
  func sortDeferred() {
    guard !deferred.isEmpty else { return }
    var waiting: [Job] = []
    var ready: [Job] = []
    var loads: [ObjectIdentifier: (requestCount: Int, byteCount: Int)] = [:]
    for job in deferred {
      guard job.session.isAttached, let peer = job.session.peer else { continue }
      guard isWaiting(job.session) else {
        ready.append(job)
        continue
      }
      waiting.append(job)
      var load = loads[ObjectIdentifier(peer)] ?? (0, 0)
      load.requestCount += 1
      load.byteCount += job.request.byteCount
      loads[ObjectIdentifier(peer)] = load
      if load.requestCount > SyncEngine.deferredRequestCount || load.byteCount > SyncEngine.deferredByteCount
      {
        peer.hold(job.session.key)
      }
    }
    for job in ready { job.session.peer?.release(job.session.key) }
    deferred = waiting
    queue = ready + queue
  }

  // MARK: Configuration

  /// Applies a reloaded configuration. Sessions that it does not concern notice nothing; those whose subscriptions it
  /// no longer allows start over.
  ///
  /// - Throws: `StorageError` if its schema contradicts what is stored; everything is then as before.
  package func reload(_ app: AppConfiguration, permissions: any PermissionSource) throws {
    do {
      try store.write {
        try history.refresh()
        try schema.take(app)
        try HistoryFloor(store: store).update(
          queryableFields: schema.queryableFields,
          version: history.version
        )
        try includeCustomUserData(of: permissions)
      }
    } catch {
      schema.app = self.app
      try forgetUncertain()
      throw error
    }
    self.app = app
    permissionSource = permissions
    permissionsMayHaveChanged()
  }

  // MARK: Custom user data

  /// Makes images contain the field that says whose custom data an object is. Must be called inside a write.
  func includeCustomUserData(of source: any PermissionSource) throws {
    guard let place = source.customUserData else { return }
    try schema.includeInImages([place.className: [place.userField]])
  }

  /// Finds changes of custom user data in the history.
  private func noticeCustomUserData() throws {
    defer { noticedVersion = history.version }
    guard let place = permissionSource.customUserData, noticedVersion < history.version else { return }
    try history.forEachPiece(after: noticedVersion) { piece in
      for committed in piece {
        for touched in committed.entry.images.objects where touched.object.table == place.className {
          let layout = committed.layout(of: place.className)
          for image in [touched.before, touched.after].compactMap(\.self) {
            let row = ImageRow(image: image, layout: layout)
            switch row.value(of: place.userField) {
            case .string(let userID): outdatedPermissions.insert(userID, at: committed.entry.version)
            case .objectId(let userID):
              outdatedPermissions.insert(userID.description, at: committed.entry.version)
            default: break
            }
          }
        }
      }
    }
  }
}

extension AppSchema {
  /// Whether the fields of an object suffice to decide what a permission allows, and whether its read filter can be
  /// stored as text.
  fileprivate func canDecide(_ permission: ClassPermission, on className: String) -> Bool {
    guard schema[className] != nil else { return true }
    return permission.predicates.allSatisfy(\.isDecidedByFields) && isText(permission.read, on: className)
  }

  private func isText(_ predicate: Predicate, on className: String) -> Bool {
    guard predicate != .always, predicate != .never else { return true }
    return (try? Query.parse(predicate.canonicalText).bind(to: schema, className: className)) != nil
  }
}

extension Predicate {
  /// Whether it examines only fields of the object itself.
  fileprivate var isDecidedByFields: Bool {
    var isDecided = true
    forEachPath { path in
      if !path.links.isEmpty || path.rootProperty == nil { isDecided = false }
    }
    forEachSubquery { _ in isDecided = false }
    forEachGeoWithin { _ in isDecided = false }
    return isDecided
  }
}
