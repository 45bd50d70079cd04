// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport
import FlexSyncWire

/// A realm file as Realm's clients keep it: a small client, independent of ours, with its objects, its history, its
/// cursors and its subscription sets. All of them survive when its process is killed.
final class PeerRealm {
  /// A subscription set that is not in force yet.
  struct PendingSet {
    let version: QueryVersion
    let body: String
    let view: ItemView?
    /// The client version at which the set was committed. Everything committed before is uploaded first.
    let snapshot: ClientVersion
  }

  /// The client number under which the realm's transactions and views are checked.
  let number: Int
  /// Whether this is a fresh copy for a client reset, which uploads nothing.
  let isCopy: Bool
  private let timestamp: () -> UInt64
  private(set) var objects: ObjectStore
  var file: SaltedFileIdent?
  private(set) var progress = SyncProgress.start
  private(set) var activeVersion: QueryVersion = 0
  private var activeBody = "{}"
  private var activeView: ItemView?
  /// Whether the active set is not complete until a MARK is answered.
  private(set) var isAwaitingMark = false
  private(set) var pendingSets: [PendingSet] = []
  private var newestVersion: QueryVersion
  private var history = PeerHistory()
  /// The batches of an unfinished bootstrap. They survive the loss of a connection.
  private var batches: (version: QueryVersion, entries: [DownloadEntry]) = (0, [])
  /// Whether a client reset has not yet been followed by a complete upload and download.
  private(set) var hasUnfinishedReset = false

  // Progress of sending in the current session.
  private var sentVersion: ClientVersion = 0
  private var acknowledgedVersion: ServerVersion = 0
  private var sentQuery: QueryVersion = 0

  /// - Parameter newestVersion: The newest version of a subscription set that the file has had.
  init(number: Int, newestVersion: QueryVersion, timestamp: @escaping () -> UInt64) throws {
    self.number = number
    self.newestVersion = newestVersion
    self.timestamp = timestamp
    isCopy = false
    objects = try Self.makeObjects()
    try write { objects in
      try objects.declare(SimulationSchema.schema)
      return ObjectStore.declarations(of: SimulationSchema.schema)
    }
  }

  /// Creates the copy into which the server's state is downloaded for a client reset. Its schema comes from the
  /// server alone.
  init(freshCopyOf realm: PeerRealm) throws {
    number = realm.number
    newestVersion = 0
    timestamp = realm.timestamp
    isCopy = true
    objects = try Self.makeObjects()
    subscribe(likeActiveSetOf: realm)
  }

  private static func makeObjects() throws -> ObjectStore {
    try ObjectStore.inMemory()
  }

  // MARK: App

  /// The view of the newest set; nil before there is one.
  var view: ItemView? { pendingSets.last?.view ?? activeView }

  /// Whether everything is uploaded and every set is complete.
  var isQuiet: Bool { pendingSets.isEmpty && !isAwaitingMark && isUploaded }

  private var isUploaded: Bool { (history.changes.last?.version ?? 0) <= progress.upload.clientVersion }

  /// Writes in one transaction.
  ///
  /// - Returns: The client version of the transaction.
  @discardableResult
  func write(_ body: (ObjectStore) throws -> [Instruction]) throws -> ClientVersion {
    let instructions = try objects.database.write { try body(objects) }
    history.add(instructions, base: progress.download.serverVersion, timestamp: timestamp())
    return history.newestVersion
  }

  /// Requests a subscription set.
  ///
  /// - Returns: The version of the set.
  func subscribe(_ body: String, view: ItemView?) -> QueryVersion {
    newestVersion += 1
    pendingSets.append(
      PendingSet(version: newestVersion, body: body, view: view, snapshot: history.advance())
    )
    return newestVersion
  }

  /// Makes a copy request what the realm has; also used for a copy begun before the process was killed.
  func subscribe(likeActiveSetOf realm: PeerRealm) { _ = subscribe(realm.activeBody, view: nil) }

  // MARK: Sending

  func identMessage(_ session: SessionIdent, _ file: SaltedFileIdent) -> ClientMessage {
    sentVersion = progress.upload.clientVersion
    acknowledgedVersion = progress.upload.serverVersion
    sentQuery = activeVersion
    return .ident(
      IdentMessage(
        session: session,
        file: file,
        download: progress.download,
        latest: progress.latest,
        queryVersion: activeVersion,
        queryBody: Array(activeBody.utf8)
      )
    )
  }

  /// Returns the next query to send, and the upload of everything committed before it.
  func nextQuery(_ session: SessionIdent) -> (upload: ClientMessage?, query: ClientMessage)? {
    guard let set = pendingSets.first(where: { $0.version > sentQuery }) else { return nil }
    let upload = uploadMessage(session, through: set.snapshot, acknowledges: false)
    sentQuery = set.version
    let body = Array(set.body.utf8)
    return (upload, .query(session: session, queryVersion: set.version, body: body))
  }

  /// Returns an upload of what was committed, or an acknowledgement of downloads; nil if there is nothing to send.
  func uploadMessage(_ session: SessionIdent) -> ClientMessage? {
    uploadMessage(session, through: history.newestVersion, acknowledges: true)
  }

  private func uploadMessage(
    _ session: SessionIdent,
    through version: ClientVersion,
    acknowledges: Bool
  ) -> ClientMessage? {
    let changes = history.changes.filter { $0.version > sentVersion && $0.version <= version }
    sentVersion = max(sentVersion, version)
    let serverVersion = history.serverVersion(at: sentVersion)
    guard !isCopy, !changes.isEmpty || (acknowledges && acknowledgedVersion < serverVersion) else {
      return nil
    }
    acknowledgedVersion = serverVersion
    return .upload(
      UploadMessage(
        session: session,
        progress: UploadCursor(clientVersion: sentVersion, serverVersion: serverVersion),
        lockedServerVersion: progress.download.serverVersion,
        entries: changes.map {
          UploadEntry(
            clientVersion: $0.version,
            serverVersion: $0.base,
            timestamp: $0.timestamp,
            changeset: ChangesetCodec.encode($0.original)
          )
        }
      )
    )
  }

  // MARK: Downloads

  /// Integrates a download.
  ///
  /// - Returns: Whether it put a set in force.
  func integrate(_ message: DownloadMessage) throws -> Bool {
    try check(message.progress)
    if message.batchState != .steady {
      if batches.version != message.queryVersion { batches = (message.queryVersion, []) }
      batches.entries += message.entries
    }
    // The cursors of a bootstrap take effect with its last batch.
    if message.batchState == .more { return false }
    let isBootstrap = message.batchState == .last
    let entries = isBootstrap ? batches.entries : message.entries
    guard !isBootstrap || !entries.isEmpty else {
      throw SimulationFailure(
        "realm \(number) was sent an empty bootstrap, which Realm's clients cannot take in"
      )
    }
    try objects.database.write {
      for entry in entries { try apply(entry) }
    }
    if isBootstrap {
      batches = (0, [])
      try activate(message.queryVersion)
    }
    progress = message.progress
    history.integrated(progress)
    return isBootstrap
  }

  private func check(_ new: SyncProgress) throws {
    let isRight =
      new.latest.serverVersion >= progress.latest.serverVersion
      && new.download.serverVersion >= progress.download.serverVersion
      && new.download.clientVersion >= progress.download.clientVersion
      && new.upload.clientVersion >= progress.upload.clientVersion
      && new.download.serverVersion <= new.latest.serverVersion
      && new.download.clientVersion <= new.upload.clientVersion
      && new.upload.clientVersion <= history.newestVersion
    guard !isRight else { return }
    throw SimulationFailure("realm \(number) has the progress \(progress) and was sent \(new)")
  }

  private func activate(_ version: QueryVersion) throws {
    // A set that is in force may be bootstrapped again.
    guard version != activeVersion else { return }
    guard let set = pendingSets.first(where: { $0.version == version }) else {
      throw SimulationFailure(
        "realm \(number) was sent a bootstrap of set \(version), which it did not ask for"
      )
    }
    (activeVersion, activeBody, activeView) = (version, set.body, set.view)
    pendingSets.removeAll { $0.version <= version }
    isAwaitingMark = true
  }

  /// Records that the server has answered the newest MARK.
  func downloadIsComplete() {
    isAwaitingMark = false
    if isUploaded { hasUnfinishedReset = false }
  }

  private func apply(_ entry: DownloadEntry) throws {
    for instruction in try history.merge(entry, fileIdent: file?.ident ?? 0) {
      do {
        try objects.apply(instruction)
      } catch is ApplyError where history.doubts(instruction) {
        continue
      }
    }
  }

  // MARK: Client resets

  /// Replaces the state with that of a fresh copy: its objects, file ident and cursors, but not its set versions.
  ///
  /// - Parameters:
  ///   - file: The file ident to use from now on.
  ///   - isRecovering: Whether to keep changes that are not uploaded and sets that are not in force yet.
  func reset(to copy: PeerRealm, file: SaltedFileIdent, isRecovering: Bool) throws {
    guard try copy.objects.schema.contains(SimulationSchema.schema) else {
      throw SimulationFailure("the copy of realm \(number) lacks parts of the schema")
    }
    let unsynced = history.changes.filter { $0.version > progress.upload.clientVersion }
    objects = copy.objects
    self.file = file
    let latest = copy.progress.latest
    progress = SyncProgress(
      download: DownloadCursor(serverVersion: latest.serverVersion, clientVersion: 0),
      upload: UploadCursor(clientVersion: 0, serverVersion: latest.serverVersion),
      latest: latest
    )
    history.startOver(at: latest.serverVersion)
    batches = (0, [])
    isAwaitingMark = false
    hasUnfinishedReset = true
    guard isRecovering else {
      // The versions of the discarded sets are reused.
      (pendingSets, newestVersion) = ([], activeVersion)
      return
    }
    for change in unsynced {
      let recovered = try objects.database.write {
        try PeerRecovery(objects: objects).recover(change.reciprocal)
      }
      guard !recovered.isEmpty else { continue }
      history.add(
        recovered,
        version: change.version,
        base: latest.serverVersion,
        timestamp: change.timestamp
      )
    }
  }
}
