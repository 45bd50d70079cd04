// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncTransport
import FlexSyncWire

/// A client of an `AttackedServer` that keeps every byte it is sent, and comes back when its session or its connection has
/// ended.
package final class Attacker {
  private let server: AttackedServer
  /// Its number in the network.
  let number: Int
  private let scheduler: SimulatedScheduler
  private var channel: SimulatedChannel?
  /// What an old connection still says is not listened to.
  private var attempt = 0
  /// Whether the session has a file, and can be used.
  private var isIdentified = false
  private var file: SaltedFileIdent?
  private var progress = SyncProgress.start
  private var query = (version: QueryVersion(0), body: "{}")
  private var wanted: (version: QueryVersion, body: String)?
  /// No number is used for two sets of subscriptions.
  private var newestQueryVersion: QueryVersion = 0
  private var clientVersion: ClientVersion = 1
  /// What the newest upload was based on; the server expects nothing older.
  private var uploadBase: ServerVersion = 0
  private var markCount: MarkIdent = 0
  /// How long the client waits before it connects once more, in milliseconds.
  private let reconnectDelay: UInt64
  /// Whether each question waits for its answers.
  private let waitsForAnswers: Bool
  /// How many messages it has sent.
  private(set) var questionCount = 0
  /// Everything that was sent to the client.
  private(set) var bytes: [[UInt8]] = []
  package private(set) var messages: [ServerMessage] = []

  package convenience init(_ server: AttackedServer, userID: String = "attacker", query: String? = nil) {
    self.init(server, userID: userID, query: query, waitsForAnswers: true)
  }

  init(_ server: AttackedServer, userID: String, query: String?, waitsForAnswers: Bool) {
    self.server = server
    self.waitsForAnswers = waitsForAnswers
    number = server.addClient(userID: userID)
    scheduler = SimulatedScheduler(server.world.time) { false }
    reconnectDelay = server.network.ways[number].delay()
    connect()
    wait()
    if let query { subscribe(query) }
  }

  deinit { scheduler.stop() }

  /// What the server has said of writes that it takes back.
  package var rejections: [RejectedUpdate] {
    messages.flatMap { message -> [RejectedUpdate] in
      guard case .error(let error) = message else { return [] }
      return error.info.rejectedUpdates
    }
  }

  /// Whether the newest question for what is due has its answer.
  var isAnswered: Bool {
    messages.contains { message in
      guard case .mark(let mark) = message else { return false }
      return mark.request == markCount
    }
  }

  // MARK: The connection

  private func connect() {
    attempt += 1
    let attempt = attempt
    server.network.connect(number, scheduler: scheduler, subprotocol: "") { [weak self] answer in
      guard let self, self.attempt == attempt else { return }
      switch answer {
      case .connected(let channel): connected(channel, attempt)
      case .failed: connectLater()
      }
    }
  }

  private func connectLater() {
    isIdentified = false
    channel = nil
    attempt += 1
    let attempt = attempt
    scheduler.post(after: 1 + reconnectDelay) { [weak self] in
      guard let self, self.attempt == attempt else { return }
      connect()
    }
  }

  private func connected(_ channel: SimulatedChannel, _ attempt: Int) {
    // A connection may be lost before it is handed over.
    guard channel.isOpen else { return connectLater() }
    self.channel = channel
    channel.onMessage = { [weak self] bytes in
      guard let self, self.attempt == attempt else { return }
      received(Array(bytes))
    }
    channel.onClose = { [weak self] _ in
      guard let self, self.attempt == attempt else { return }
      connectLater()
    }
    send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: file == nil)))
    // A new file is presented when its identifier has come.
    if file != nil { identify() }
  }

  private func identify() {
    guard let file else { return }
    let ident = IdentMessage(
      session: 1,
      file: file,
      download: progress.download,
      latest: progress.latest,
      queryVersion: query.version,
      queryBody: Array(query.body.utf8)
    )
    send(.ident(ident))
    isIdentified = true
    if let wanted { ask(wanted) }
  }

  /// Drops the connection and comes back.
  package func reconnect() {
    startOver()
    wait()
  }

  /// Loses the connection and stays away.
  package func disconnect() {
    attempt += 1
    isIdentified = false
    channel?.drop()
    channel = nil
    wait()
  }

  /// Comes back with a copy of the file of another client.
  ///
  /// - Parameter isKnown: whether the copy has an ident already, so that the client only claims to have got nothing since.
  package func open(copyOf other: Attacker, isKnown: Bool = false) {
    disconnect()
    if !isKnown { file = nil }
    progress = other.progress
    progress.download.clientVersion = 0
    (query, wanted, uploadBase) = (other.query, nil, other.progress.download.serverVersion)
    newestQueryVersion = query.version
    connect()
    wait()
  }

  private func startOver() {
    channel?.drop()
    connectLater()
  }

  private func wait() { if waitsForAnswers { server.settle() } }

  private func send(_ message: ClientMessage) {
    questionCount += 1
    channel?.send(message.encode())
  }

  // MARK: Questions

  package func subscribe(_ people: String, others: String = "") {
    let body = #"{"Person":"(\#(people))"\#(others)}"#
    newestQueryVersion += 1
    let query = (newestQueryVersion, body)
    wanted = query
    if isIdentified { ask(query) }
    wait()
  }

  private func ask(_ query: (version: QueryVersion, body: String)) {
    send(.query(QueryMessage(session: 1, queryVersion: query.version, body: Array(query.body.utf8))))
  }

  /// Uploads one transaction; nothing while there is no session.
  ///
  /// - Parameter isLate: whether it was made before what has come since the last upload.
  package func upload(_ instructions: [Instruction], isLate: Bool = false) {
    guard isIdentified else { return }
    clientVersion += 1
    if !isLate { uploadBase = progress.download.serverVersion }
    send(
      .upload(
        UploadMessage(
          session: 1,
          progress: UploadCursor(clientVersion: clientVersion, serverVersion: uploadBase),
          lockedServerVersion: uploadBase,
          entries: [
            UploadEntry(
              clientVersion: clientVersion,
              serverVersion: uploadBase,
              timestamp: 1_000_000 + clientVersion,
              changeset: ChangesetCodec.encode(instructions)
            )
          ]
        )
      )
    )
    wait()
  }

  /// Asks whether there is more.
  package func mark() {
    guard isIdentified else { return }
    markCount += 1
    send(.mark(MarkMessage(session: 1, request: markCount)))
    wait()
  }

  // MARK: Answers

  private func received(_ bytes: [UInt8]) {
    self.bytes.append(bytes)
    guard let message = try? ServerMessage.decode(bytes) else { return }
    messages.append(message)
    server.log.write("client \(number) receives \(message.logText)")
    note(message)
  }

  private func note(_ message: ServerMessage) {
    switch message {
    case .ident(let ident):
      file = ident.file
      identify()
    case .download(let download) where download.batchState != .more:
      progress = download.progress
      guard let wanted, download.queryVersion == wanted.version else { return }
      query = wanted
      self.wanted = nil
    case .queryError(let error): if error.queryVersion == wanted?.version { wanted = nil }
    case .error(let error) where error.code.endsSession: startOver()
    default: break
    }
  }
}
