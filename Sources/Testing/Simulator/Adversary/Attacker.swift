// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncTransport
import FlexSyncWire

/// A client of an `AttackedServer` that keeps every byte it receives, and reconnects when its session or its
/// connection has ended.
package final class Attacker {
  private let server: AttackedServer
  /// The client's number in the network.
  let number: Int
  private let scheduler: SimulatedScheduler
  private var channel: SimulatedChannel?
  /// The number of the connection attempt. Messages from earlier connections are ignored.
  private var attempt = 0
  /// Whether the session has a file and can be used.
  private var isIdentified = false
  private var file: SaltedFileIdent?
  private var progress = SyncProgress.start
  private var query = (version: QueryVersion(0), body: "{}")
  private var wanted: (version: QueryVersion, body: String)?
  /// The newest version of a subscription set. No version is used twice.
  private var newestQueryVersion: QueryVersion = 0
  private var clientVersion: ClientVersion = 1
  /// The server version that the newest upload was based on. The server does not accept an older one.
  private var uploadBase: ServerVersion = 0
  private var markCount: MarkIdent = 0
  /// The delay before the client reconnects, in milliseconds.
  private let reconnectDelay: UInt64
  /// Whether each question waits for its answers.
  private let waitsForAnswers: Bool
  /// The number of messages sent.
  private(set) var questionCount = 0
  /// All messages received by the client, as bytes.
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

  /// The server's reports about rejected writes.
  package var rejections: [RejectedUpdate] {
    messages.flatMap { message -> [RejectedUpdate] in
      guard case .error(let error) = message else { return [] }
      return error.info.rejectedUpdates
    }
  }

  /// Whether the newest MARK has been answered.
  var isAnswered: Bool {
    messages.contains { message in
      guard case .mark(_, let request) = message else { return false }
      return request == markCount
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
    // A new file is identified when its ident has arrived.
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

  /// Drops the connection and reconnects.
  package func reconnect() {
    startOver()
    wait()
  }

  /// Drops the connection and stays offline.
  package func disconnect() {
    attempt += 1
    isIdentified = false
    channel?.drop()
    channel = nil
    wait()
  }

  /// Reconnects with a copy of another client's file.
  ///
  /// - Parameter isKnown: Whether the client keeps its own ident, so that it merely claims to have received nothing
  ///   since.
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
    send(.query(session: 1, queryVersion: query.version, body: Array(query.body.utf8)))
  }

  /// Uploads one transaction; does nothing without a session.
  ///
  /// - Parameter isLate: Whether the transaction was made before the downloads since the last upload arrived.
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

  /// Sends a MARK to find out whether there is more.
  package func mark() {
    guard isIdentified else { return }
    markCount += 1
    send(.mark(session: 1, request: markCount))
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
    case .ident(_, let file):
      self.file = file
      identify()
    case .download(let download) where download.batchState != .more:
      progress = download.progress
      guard let wanted, download.queryVersion == wanted.version else { return }
      query = wanted
      self.wanted = nil
    case .queryError(_, _, let version, _): if version == wanted?.version { wanted = nil }
    case .error(let error) where error.code.endsSession: startOver()
    default: break
    }
  }
}
