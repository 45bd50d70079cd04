// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport
import FlexSyncWire
import Testing

/// A small client: keeps objects, merges downloads with its own changes, and can be away.
final class SyncClient {
  /// A change that the server has not acknowledged.
  private struct LocalChange {
    let version: UInt64
    let base: UInt64
    let stamp: OriginStamp
    let original: [Instruction]
    var reciprocal: [Instruction]
  }

  let harness: Harness
  private var tokens: Harness.Tokens
  private(set) var objects: ObjectStore
  private(set) var connection: WireConnection?
  private(set) var file: SaltedFileIdent?
  private(set) var progress = SyncProgress.start
  private(set) var queryVersion: UInt64 = 0
  private(set) var queryBody = "{}"
  private(set) var rejections: [RejectedUpdate] = []
  private(set) var queryErrors: [UInt64: String] = [:]
  private(set) var failures: [ErrorMessage] = []
  private var wantedQueries: [(version: UInt64, body: String)] = []
  /// Numbers of query sets are never used twice.
  var newestQueryVersion: UInt64 = 0
  private var localVersion: UInt64 = 1
  private var history: [LocalChange] = []
  private var sentVersion: UInt64 = 0
  /// Uploads wait for the answer to the first MARK of a connection.
  private var mayUpload = false
  /// The batches of an unfinished bootstrap. As in Realm's client they survive a lost connection, until a batch for
  /// another version comes (protocol §4.3).
  private var partialBootstrap: (version: UInt64, entries: [DownloadEntry]) = (0, [])
  private var markCount: UInt64 = 0
  private var lastMark: UInt64 = 0
  private var clock: UInt64 = 1000
  /// The newest version of the protocol that the client speaks.
  var protocolVersion = SyncProtocolVersion.newest
  /// Called with every changeset that arrives, applied or not.
  var onChangeset: (([Instruction]) -> Void)?
  /// How often the server asked to bind again.
  private(set) var rebindCount = 0
  /// How many bootstraps came for the set that was active already.
  private(set) var serverBootstrapCount = 0
  /// Batches of a bootstrap after which the client loses its connection; to test what comes then.
  var batchesBeforeLoss: Int?
  /// Messages of the server until the client loses its connection, with the last one; to test what comes then.
  var messagesBeforeLoss: Int?
  /// Whether it asks for a newer query set only when it has the older one, as Realm's client may.
  var sendsQueriesInTurn = false
  /// Whether the client tells the server what it has integrated.
  var acknowledges = true
  /// Why the client binds its session.
  private var reason = SessionReason.sync

  init(_ harness: Harness, tokens: Harness.Tokens? = nil, schema: Schema) throws {
    self.harness = harness
    self.tokens = try tokens ?? harness.logIn()
    objects = try ObjectStore.inMemory()
    try objects.database.write { try objects.declare(schema) }
    commit(ObjectStore.declarations(of: schema))
  }

  /// The copy into which a client downloads, for a client reset, what the server has: it uploads nothing, and has no
  /// schema but what it is told.
  init(freshCopyFor client: SyncClient) throws {
    harness = client.harness
    tokens = client.tokens
    objects = try ObjectStore.inMemory()
    reason = .clientReset
  }

  /// A client that opens a copy of another one's realm which was delivered with the app, as `writeCopy` makes it: with
  /// all objects and subscriptions, and cursors, but without a file ident.
  init(bundledCopyOf other: SyncClient, tokens: Harness.Tokens? = nil, schema: Schema) throws {
    harness = other.harness
    self.tokens = try tokens ?? harness.logIn()
    objects = try ObjectStore.inMemory()
    progress = SyncProgress(
      download: DownloadCursor(serverVersion: other.progress.download.serverVersion, clientVersion: 0),
      upload: UploadCursor(clientVersion: 0, serverVersion: other.progress.upload.serverVersion),
      latest: other.progress.latest
    )
    (queryVersion, queryBody) = (other.queryVersion, other.queryBody)
    newestQueryVersion = other.newestQueryVersion
    try objects.database.write {
      try objects.declare(schema)
      for classSchema in schema.classes {
        for instructions in try other.objects.contents(of: classSchema.name).values {
          try objects.apply(instructions)
        }
      }
    }
  }

  // MARK: Connection

  func connect(reason: SessionReason? = nil) throws {
    self.reason = reason ?? self.reason
    let connection = try harness.connect(tokens, version: protocolVersion)
    self.connection = connection
    connection.onMessage = { [unowned self] in receive($0) }
    let options = BindOptions(sessionReason: self.reason)
    connection.send(.bind(BindMessage(session: 1, options: options, needsFileIdent: file == nil)))
    if file == nil { try harness.run(until: { self.file != nil || !self.isConnected }, "file ident") }
    guard let file else { return }
    connection.send(
      .ident(
        IdentMessage(
          session: 1,
          file: file,
          download: progress.download,
          latest: progress.latest,
          queryVersion: queryVersion,
          queryBody: Array(queryBody.utf8)
        )
      )
    )
    sentVersion = progress.upload.clientVersion
    mayUpload = false
    mark()
    try harness.run(
      until: { self.lastMark == self.markCount || !self.failures.isEmpty || !self.isConnected },
      "first mark"
    )
    guard isConnected else { return }
    mayUpload = true
    upload()
    for query in sendsQueriesInTurn ? wantedQueries.prefix(1) : wantedQueries[...] { send(query) }
  }

  /// Gets a new access token in place of an expired one.
  func renewToken() throws {
    let answer = try harness.request("POST", "/auth/session", token: tokens.refresh)
    let access = try #require(answer.json?["access_token"]?.stringValue)
    tokens = Harness.Tokens(userID: tokens.userID, access: access, refresh: tokens.refresh)
  }

  func disconnect() {
    connection?.onMessage = nil
    connection?.drop()
    connection = nil
  }

  /// How many of its changes the client keeps, since what it receives may have to be merged with them.
  var historyCount: Int { history.count }

  var userID: String { tokens.userID }

  var isConnected: Bool { connection?.isOpen ?? false }

  private func mark() {
    markCount += 1
    connection?.send(.mark(session: 1, request: markCount))
  }

  /// Waits until everything is uploaded and acknowledged, and everything due is downloaded; connects again if the
  /// connection is lost meanwhile.
  func synchronize() throws {
    try harness.run(
      until: { self.isUploaded || !self.isConnected || !self.failures.isEmpty },
      "upload of \(file?.ident ?? 0)"
    )
    mark()
    try harness.run(
      until: { self.lastMark == self.markCount || !self.isConnected || !self.failures.isEmpty },
      "mark of \(file?.ident ?? 0)"
    )
    guard !isConnected, failures.isEmpty else { return }
    try connect()
    try synchronize()
  }

  private var isUploaded: Bool {
    history.isEmpty || progress.upload.clientVersion >= (history.last?.version ?? 0)
  }

  // MARK: What an app does

  /// Commits instructions that are applied already, and uploads them if connected.
  private func commit(_ instructions: [Instruction]) {
    guard !instructions.isEmpty else { return }
    localVersion += 1
    clock += 1
    history.append(
      LocalChange(
        version: localVersion,
        base: progress.download.serverVersion,
        stamp: OriginStamp(timestamp: clock, fileIdent: 0),
        original: instructions,
        reciprocal: instructions
      )
    )
    upload()
  }

  /// Writes in one transaction.
  func write(_ body: (ObjectStore) throws -> [Instruction]) throws {
    commit(try objects.database.write { try body(objects) })
  }

  /// Forgets changes that the server refuses, and its errors.
  func withdraw(where isBad: ([Instruction]) -> Bool) {
    history.removeAll { isBad($0.original) }
    failures = []
  }

  /// Writes instructions in one transaction.
  func write(_ instructions: Instruction...) throws { try write(instructions) }

  /// Writes instructions in one transaction.
  func write(_ instructions: [Instruction]) throws {
    try write { objects in
      try objects.apply(instructions)
      return instructions
    }
  }

  func erase(_ object: ObjectReference) throws {
    try write { try $0.localErase(object) }
  }

  /// Replaces the subscriptions; `body` is that of the message.
  func subscribe(_ body: String) {
    newestQueryVersion += 1
    let query = (newestQueryVersion, body)
    wantedQueries.append(query)
    if isConnected { send(query) }
  }

  /// Wants other queries under the number of the oldest set that it does not have, which no real client does.
  func replaceWantedQuery(with body: String) {
    wantedQueries[0].body = body
  }

  private func send(_ query: (version: UInt64, body: String)) {
    connection?.send(
      .query(session: 1, queryVersion: query.version, body: Array(query.body.utf8))
    )
  }

  /// Uploads what is committed, or only acknowledges downloads.
  private func upload() {
    guard isConnected, mayUpload, acknowledges else { return }
    let changes = history.filter { $0.version > sentVersion }
    sentVersion = localVersion
    let version = progress.download.serverVersion
    connection?.send(
      .upload(
        UploadMessage(
          session: 1,
          progress: UploadCursor(clientVersion: localVersion, serverVersion: version),
          lockedServerVersion: version,
          entries: changes.map {
            UploadEntry(
              clientVersion: $0.version,
              serverVersion: $0.base,
              timestamp: $0.stamp.timestamp,
              changeset: ChangesetCodec.encode($0.original)
            )
          }
        )
      )
    )
  }

  // MARK: What the server says

  private func receive(_ message: ServerMessage) {
    if let count = messagesBeforeLoss {
      messagesBeforeLoss = count > 1 ? count - 1 : nil
      if count == 1 { return disconnect() }
    }
    do {
      switch message {
      case .ident(_, let file): self.file = file
      case .download(let download): try integrate(download)
      case .mark(_, let request): lastMark = request
      case .queryError(_, _, let version, let message):
        queryErrors[version] = message
        wantedQueries.removeAll { $0.version == version }
      case .error(let error) where error.code == .compensatingWrite: rejections += error.info.rejectedUpdates
      case .error(let error) where error.code == .sessionClosed:
        rebindCount += 1
        disconnect()
      case .error(let error): failures.append(error)
      default: break
      }
    } catch {
      Issue.record("client \(file?.ident ?? 0) cannot integrate a download: \(error)")
    }
  }

  private func integrate(_ message: DownloadMessage) throws {
    var message = message
    if !protocolVersion.hasBatchState, message.batchState == .last, message.queryVersion == queryVersion,
      queryVersion > 0
    {
      message.batchState = .steady
    }
    checkProgress(message)
    for entry in message.entries {
      onChangeset?(try ChangesetCodec.decode(entry.changeset).instructions)
    }
    if message.batchState != .steady {
      if partialBootstrap.version != message.queryVersion { partialBootstrap = (message.queryVersion, []) }
      partialBootstrap.entries += message.entries
    }
    switch message.batchState {
    case .more:
      loseConnectionIfWanted()
      return
    case .last:
      #expect(!partialBootstrap.entries.isEmpty)
      try apply(partialBootstrap.entries)
      partialBootstrap.entries = []
      activate(message.queryVersion)
    case .steady: try apply(message.entries)
    }
    progress = message.progress
    history.removeAll {
      $0.version <= progress.upload.clientVersion && $0.version <= progress.download.clientVersion
    }
    localVersion += 1
    upload()
  }

  private func loseConnectionIfWanted() {
    guard let count = batchesBeforeLoss else { return }
    batchesBeforeLoss = count > 1 ? count - 1 : nil
    if count == 1 { disconnect() }
  }

  /// The checks of protocol §5.1.
  private func checkProgress(_ message: DownloadMessage) {
    let new = message.progress
    #expect(new.latest.serverVersion >= progress.latest.serverVersion)
    #expect(new.download.serverVersion >= progress.download.serverVersion)
    #expect(new.download.clientVersion >= progress.download.clientVersion)
    #expect(new.upload.clientVersion >= progress.upload.clientVersion)
    #expect(new.download.serverVersion <= new.latest.serverVersion)
    #expect(new.download.clientVersion <= new.upload.clientVersion)
    #expect(new.download.serverVersion >= new.upload.serverVersion)
    #expect(new.upload.clientVersion <= localVersion)
    var last: (UInt64, UInt64) = (progress.download.serverVersion, progress.download.clientVersion)
    for entry in message.entries {
      #expect(entry.originFileIdent > 0 && entry.originFileIdent != file?.ident)
      #expect(entry.serverVersion >= last.0 && entry.clientVersion >= last.1)
      if message.batchState == .steady { #expect(entry.serverVersion > last.0) }
      #expect(entry.serverVersion <= new.download.serverVersion)
      #expect(entry.clientVersion <= new.download.clientVersion)
      last = (entry.serverVersion, entry.clientVersion)
    }
  }

  private func activate(_ version: UInt64) {
    if let query = wantedQueries.first(where: { $0.version == version }) {
      queryBody = query.body
      queryVersion = version
    } else {
      serverBootstrapCount += 1
      #expect(version == queryVersion, "a bootstrap for a version that was not asked for")
    }
    wantedQueries.removeAll { $0.version <= version }
  }

  private func apply(_ entries: [DownloadEntry]) throws {
    try objects.database.write {
      for entry in entries { try apply(entry) }
    }
  }

  private func apply(_ entry: DownloadEntry) throws {
    let indexes = history.indices.filter { history[$0].version > entry.clientVersion }
    var local = indexes.map { index in
      Changeset(
        stamp: OriginStamp(timestamp: history[index].stamp.timestamp, fileIdent: file?.ident ?? 0),
        instructions: history[index].reciprocal
      )
    }
    let stamp = OriginStamp(timestamp: entry.timestamp, fileIdent: entry.originFileIdent)
    var incoming = [
      Changeset(stamp: stamp, instructions: try ChangesetCodec.decode(entry.changeset).instructions)
    ]
    try Merge.transform(local: &local, incoming: &incoming)
    for (offset, index) in indexes.enumerated() { history[index].reciprocal = local[offset].instructions }
    try objects.apply(incoming[0].instructions)
  }
}

// MARK: Client resets

extension SyncClient {
  /// Becomes what a fresh copy is, as Realm's client does: with its file ident and cursors, but with the numbers of its
  /// own query sets. To be connected again.
  ///
  /// - Parameters:
  ///   - isRecovering: whether what is not uploaded is kept, and sets that are not active yet.
  ///   - asksForIdent: whether it asks for a file ident of its own all the same, as clients did for years.
  func reset(to fresh: SyncClient, isRecovering: Bool, asksForIdent: Bool = false) throws {
    disconnect()
    fresh.disconnect()
    objects = fresh.objects
    file = asksForIdent ? nil : fresh.file
    let latest = fresh.progress.latest
    let unsynced = history.filter { $0.version > progress.upload.clientVersion }.map(\.original)
    progress = SyncProgress(
      download: DownloadCursor(serverVersion: latest.serverVersion, clientVersion: 0),
      upload: .start,
      latest: latest
    )
    partialBootstrap = (0, [])
    failures = []
    history = []
    reason = .clientReset
    guard isRecovering else { return wantedQueries = [] }
    for instructions in unsynced { try write(instructions) }
  }
}

extension ObjectStore {
  /// All objects of a class that match, as the instructions that make them.
  func contents(of className: String, where isIncluded: (Int64, ClassTable) throws -> Bool = { _, _ in true })
    throws
    -> [PrimaryKey: [Instruction]]
  {
    guard let table = try table(named: className) else { return [:] }
    var result: [PrimaryKey: [Instruction]] = [:]
    for row in try rows(table) where try isIncluded(row, table) {
      guard let key = try key(of: row, in: table) else { continue }
      result[key] = try fullState(of: row, in: table)
    }
    return result
  }

  func value(_ field: String, of object: ObjectReference) throws -> Value? {
    guard let table = try table(named: object.table), let row = try row(of: object.key, in: table),
      let column = table.column(named: field)
    else { return nil }
    return try storedValue(row: row, column)
  }
}
