// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncLoops
import FlexSyncModel
import FlexSyncTransport
import FlexSyncWire

/// A client that speaks the wire protocol without a realm behind it, so it costs little next to the server it
/// loads: it uploads tasks that only it can see and counts the acknowledgements. Confined to its loop's thread.
final class LoadClient {
  /// The state of the client.
  enum Phase: Equatable {
    case connecting
    case identifying
    case bootstrapping
    case ready
    case failed(String)
  }

  /// The assignee whose tasks the client sees and uploads.
  let assignee: String
  private let query: String
  private var socket: WebSocket?
  private var file: SaltedFileIdent?
  private var download = DownloadCursor.start
  private var latest = LatestServerVersion.none
  private var isSubscribed = false
  /// The client version of the newest upload that was prepared, sent, and acknowledged, respectively.
  private var preparedVersion: UInt64 = 10
  private var sentVersion: UInt64 = 10
  private(set) var acknowledgedVersion: UInt64 = 10
  /// The number of changesets received.
  private(set) var receivedCount = 0
  private(set) var phase = Phase.identifying
  private var uploads: ArraySlice<[UInt8]> = []
  private var window = 1

  /// - Parameter seesAll: Whether the client sees the tasks of all assignees.
  convenience init(assignee: String, seesAll: Bool = false) {
    self.init(
      assignee: assignee,
      query: seesAll ? "(TRUEPREDICATE)" : #"(assignee == "\#(assignee)")"#
    )
  }

  /// - Parameter query: The tasks that the client sees.
  init(assignee: String, query: String) {
    self.assignee = assignee
    self.query = JSON.object([JSON.Member("Task", .string(query))]).serialized
  }

  // MARK: Connection

  func beginConnecting() { phase = .connecting }

  func fail(_ reason: String) { phase = .failed(reason) }

  /// Whether the connection has been established.
  var hasConnected: Bool {
    get throws {
      if case .failed(let reason) = phase { throw BenchmarkError(reason) }
      return phase != .connecting
    }
  }

  /// Uses a connection, which may replace a dropped one.
  func use(_ socket: WebSocket) {
    self.socket = socket
    phase = .identifying
    socket.onMessage = { [unowned self] in receive(Array($0)) }
    socket.onClose = { [weak self] closure in
      guard let self, self.socket === socket else { return }
      phase = .failed("the connection was lost: \(String(describing: closure.error))")
    }
    send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: file == nil)))
    if file != nil { identify() }
  }

  func drop() {
    let socket = socket
    self.socket = nil
    socket?.drop()
  }

  private func send(_ message: ClientMessage) { socket?.send(message.encode()) }

  private func identify() {
    guard let file else { return }
    let body = isSubscribed ? query : "{}"
    send(
      .ident(
        IdentMessage(
          session: 1,
          file: file,
          download: download,
          latest: latest,
          queryVersion: isSubscribed ? 1 : 0,
          queryBody: Array(body.utf8)
        )
      )
    )
  }

  private func receive(_ bytes: [UInt8]) {
    do throws(ProtocolError) {
      switch try ServerMessage.decode(bytes) {
      case .ident(_, let file):
        self.file = file
        identify()
      case .download(let message): receive(message)
      case .error(let message): phase = .failed(message.info.message)
      default: break
      }
    } catch {
      phase = .failed(error.message)
    }
  }

  private func receive(_ message: DownloadMessage) {
    receivedCount += message.entries.count
    if message.batchState != .more {
      download = message.progress.download
      latest = message.progress.latest
    }
    if phase == .identifying, !isSubscribed {
      send(.query(session: 1, queryVersion: 1, body: Array(query.utf8)))
      phase = .bootstrapping
    } else if phase == .identifying {
      phase = .ready
    } else if phase == .bootstrapping, message.batchState == .last, message.queryVersion == 1 {
      isSubscribed = true
      phase = .ready
    }
    acknowledgedVersion = max(acknowledgedVersion, message.progress.upload.clientVersion)
    sendUploads()
  }

  // MARK: Uploads

  /// Encodes an upload message for each task, with one changeset each.
  func prepare(_ rows: ArraySlice<task_row_t>) {
    uploads = ArraySlice(
      rows.map { row in
        preparedVersion += 1
        let entry = UploadEntry(
          clientVersion: preparedVersion,
          serverVersion: download.serverVersion,
          timestamp: 375_150_395_418 + preparedVersion,
          changeset: ChangesetCodec.encode(instructions(row))
        )
        let message = UploadMessage(
          session: 1,
          progress: UploadCursor(
            clientVersion: preparedVersion,
            serverVersion: download.serverVersion
          ),
          lockedServerVersion: download.serverVersion,
          entries: [entry]
        )
        return ClientMessage.upload(message).encode()
      }
    )
  }

  /// Starts sending the prepared messages, with at most `window` unacknowledged uploads at any time.
  func start(window: Int) {
    self.window = window
    sendUploads()
  }

  var isDone: Bool { acknowledgedVersion == preparedVersion }

  private func sendUploads() {
    while sentVersion < acknowledgedVersion + UInt64(window), let upload = uploads.popFirst() {
      sentVersion += 1
      socket?.send(upload)
    }
  }

  private func instructions(_ row: task_row_t) -> [Instruction] {
    let key = withUnsafeBytes(of: row.id) { ObjectId(bytes: $0) } ?? ObjectId(high: 0, low: 0)
    let object = ObjectReference(table: "Task", key: .objectId(key))
    let name = withUnsafeBytes(of: row.name) { String(decoding: $0.prefix(row.name_size), as: UTF8.self) }
    let due = Timestamp(seconds: row.due_seconds, nanoseconds: row.due_nanoseconds)
    let values: [(String, Value)] = [
      ("taskName", .string(name)), ("assignee", .string(assignee)), ("completed", .bool(row.is_completed)),
      ("progressMinutes", .int(row.progress_minutes)), ("dueDate", due.map(Value.timestamp) ?? .null),
    ]
    return [.createObject(object)]
      + values.map {
        .update(FlexSyncChangeset.PropertyPath(object: object, field: $0), .value($1), .isDefault(false))
      }
  }
}
