// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncProtocol
import FlexSyncTransport

@testable import FlexSyncServer

/// A client of an `AttackedServer` that keeps every byte it is sent, and comes back when its session has ended.
final class Attacker {
  private let server: AttackedServer
  private let userID: String
  private var channel = RecordingChannel()
  private var file: SaltedFileIdent?
  private var progress = SyncProgress.start
  private var query = (version: QueryVersion(0), body: "{}")
  private var wanted: (version: QueryVersion, body: String)?
  private var clientVersion: ClientVersion = 1
  /// What the newest upload was based on; the server expects nothing older.
  private var uploadBase: ServerVersion = 0
  private var seenCount = 0
  private var hasFailed = false
  private var connections: [SyncConnection] = []
  /// Everything that was sent to the client.
  private(set) var bytes: [[UInt8]] = []
  private(set) var messages: [ServerMessage] = []

  init(_ server: AttackedServer, userID: String = "attacker", query: String? = nil) throws {
    self.server = server
    self.userID = userID
    connect()
    if let query { subscribe(query) }
  }

  /// What the server has said of writes that it takes back.
  var rejections: [RejectedUpdate] {
    messages.flatMap { message -> [RejectedUpdate] in
      guard case .error(let error) = message else { return [] }
      return error.info.rejectedUpdates
    }
  }

  private func connect() {
    hasFailed = false
    channel = RecordingChannel()
    seenCount = 0
    let connection = SyncConnection(
      channel: channel,
      scheduler: server.loop,
      version: .newest,
      userID: userID,
      engine: server.engine,
      loads: server.loads,
      limits: MessageLimits(bodyByteCount: 1 << 20),
      logger: server.logger
    )
    connections.append(connection)
    let known = file
    send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: known == nil)))
    // A new file is presented when its identifier has come.
    if let file = known { send(.ident(ident(file))) }
  }

  private func ident(_ file: SaltedFileIdent) -> IdentMessage {
    IdentMessage(
      session: 1,
      file: file,
      download: progress.download,
      latest: progress.latest,
      queryVersion: query.version,
      queryBody: Array(query.body.utf8)
    )
  }

  /// Loses the connection and comes back.
  func reconnect() {
    disconnect()
    connect()
  }

  func disconnect() {
    channel.onClose?(WebSocketClosure(code: nil, reason: "", error: nil))
    while server.engine.runTurn() {}
  }

  /// Comes back with a copy of the file of another client.
  ///
  /// - Parameter isKnown: whether the copy has an ident already, so that the client only claims to have got nothing since.
  func open(copyOf other: Attacker, isKnown: Bool = false) {
    disconnect()
    if !isKnown { file = nil }
    progress = other.progress
    progress.download.clientVersion = 0
    (query, wanted, uploadBase) = (other.query, nil, other.progress.download.serverVersion)
    connect()
  }

  func subscribe(_ people: String, others: String = "") {
    let body = #"{"Person":"(\#(people))"\#(others)}"#
    let version = (wanted ?? query).version + 1
    wanted = (version, body)
    send(.query(QueryMessage(session: 1, queryVersion: version, body: Array(body.utf8))))
  }

  /// Uploads one transaction.
  ///
  /// - Parameter isLate: whether it was made before what has come since the last upload.
  func upload(_ instructions: [Instruction], isLate: Bool = false) {
    if hasFailed { connect() }
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
  }

  /// Asks whether there is more, and takes what has come.
  func mark() { send(.mark(MarkMessage(session: 1, request: UInt64(messages.count) + 1))) }

  private func send(_ message: ClientMessage) {
    channel.put(message)
    while server.engine.runTurn() {}
    receive()
  }

  /// Takes what has come.
  func receive() {
    while seenCount < channel.received.count {
      let message = channel.received[seenCount]
      messages.append(message)
      bytes.append(channel.receivedBytes[seenCount])
      seenCount += 1
      note(message)
    }
  }

  private func note(_ message: ServerMessage) {
    switch message {
    case .ident(let ident):
      file = ident.file
      channel.put(.ident(self.ident(ident.file)))
      while server.engine.runTurn() {}
    case .download(let download) where download.batchState != .more:
      progress = download.progress
      guard let wanted, download.queryVersion == wanted.version else { return }
      query = wanted
      self.wanted = nil
    case .queryError: wanted = nil
    case .error(let error) where error.code != .compensatingWrite: hasFailed = true
    default: break
    }
  }
}
