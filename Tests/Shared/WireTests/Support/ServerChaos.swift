// SPDX-License-Identifier: Apache-2.0

@testable import FlexSyncCore
@testable import FlexSyncEngine
@testable import FlexSyncWire

/// A client and a host that do anything.
struct ServerChaos {
  var random: RandomSource
  var connection = ServerConnection(version: .newest)
  var oracle = ClientOracle()
  var keys: [SessionKey] = []
  var complaints: [String] = []
  var sentVersion: ServerVersion = 0
  var clientVersion: ClientVersion = 0
  var lastMessages: [String] = []

  init(seed: UInt64) { random = RandomSource(seed: seed) }

  mutating func step() {
    if Int.random(in: 0..<2, using: &random) == 0 {
      let message = number(60) == 0 ? clientMessage() : plausibleMessage()
      oracle.clientSent(message)
      note(message)
      lastMessages.append(message.head)
      feed(.received(message.encode()))
    } else if number(8) > 0, !owed.isEmpty {
      feed(answer(owed.removeFirst()))
    } else if let key = keys.randomElement(using: &random), number(4) == 0 {
      feed(hostEvent(key))
    }
  }

  private mutating func feed(_ event: ServerConnection.Event) {
    for effect in connection.handle(event) {
      switch effect {
      case .send(let message):
        lastMessages.append(message.head)
        if let complaint = oracle.serverSent(message) {
          complaints.append("\(message.head): \(complaint); \(lastMessages.suffix(12))")
        }
      case .allocateFileIdent(let key, _), .identify(let key, _, _, _):
        keys.append(key)
        owed.append(effect)
      case .integrateUpload, .changeQuery, .catchUp: owed.append(effect)
      case .sessionEnded(let key): keys.removeAll { $0 == key }
      case .closeConnection:
        owed = []
        connection = ServerConnection(version: .newest)
        oracle = ClientOracle()
        keys = []
        lastMessages = []
        steps = [:]
        lastQuery = 0
        sentVersion = 0
      default: break
      }
    }
  }

  /// Effects that the host has not answered.
  private var owed: [ServerConnection.Effect] = []

  /// A sensible answer.
  private mutating func answer(_ effect: ServerConnection.Effect) -> ServerConnection.Event {
    let end = DownloadCursor(serverVersion: sentVersion, clientVersion: 0)
    let latest = LatestServerVersion(serverVersion: sentVersion + 9, salt: 1)
    switch effect {
    case .allocateFileIdent(let key, _):
      return .fileIdentAllocated(key, SaltedFileIdent(ident: key.session + 1, salt: 1))
    case .identify(let key, let message, _, _):
      sentVersion = max(sentVersion, message.download.serverVersion)
      return .identified(key, ResumeState(upload: .start, latest: message.latest))
    case .integrateUpload(let key, let message): return .uploadIntegrated(key, message.progress)
    case .changeQuery(let key, let version, _):
      if number(4) == 0 { return .queryFailed(key, version, message: "no") }
      sentVersion += 1
      let entry = DownloadEntry(
        serverVersion: sentVersion,
        clientVersion: 0,
        timestamp: 1,
        originFileIdent: 1,
        changeset: []
      )
      return .deliver(
        key,
        DownloadBatch(
          download: DownloadCursor(serverVersion: sentVersion, clientVersion: 0),
          latest: LatestServerVersion(serverVersion: sentVersion + 9, salt: 1),
          queryVersion: version,
          batchState: number(1) == 0 ? .more : .last,
          entries: [entry]
        )
      )
    case .catchUp(let key): return .caughtUp(key, end, latest)
    default: return .closed
    }
  }

  /// The last step that each session took: nil before BIND, then "bind", "ident" or "json_error".
  private var steps: [SessionIdent: String] = [:]

  private mutating func note(_ message: ClientMessage) {
    guard let session = message.session else { return }
    switch message {
    case .bind: steps[session] = "bind"
    case .ident: steps[session] = "ident"
    case .error: steps[session] = "json_error"
    case .unbind: steps[session] = nil
    default: break
    }
  }

  /// A message that is probably legal.
  private mutating func plausibleMessage() -> ClientMessage {
    while true {
      let message = clientMessage()
      let step = message.session.flatMap { steps[$0] }
      switch message {
      case .ping: return message
      case .bind: if step == nil { return message }
      case .ident: if step == "bind" { return message }
      case .unbind: if step != nil && number(3) == 0 { return message }
      case .error: if step == "ident" && number(3) == 0 { return message }
      case .query(_, let version, _):
        guard step == "ident", version > lastQuery else { continue }
        lastQuery = version
        return message
      default: if step == "ident" { return message }
      }
    }
  }

  private var lastQuery: QueryVersion = 0

  private mutating func number(_ limit: UInt64 = 6) -> UInt64 { UInt64.random(in: 0...limit, using: &random) }

  private mutating func clientMessage() -> ClientMessage {
    let session = number(2) + 1
    switch Int.random(in: 0..<12, using: &random) {
    case 0:
      return .bind(
        BindMessage(session: session, options: BindOptions(), needsFileIdent: Bool.random(using: &random))
      )
    case 1, 2:
      return .ident(
        IdentMessage(
          session: session,
          file: SaltedFileIdent(ident: session + 1, salt: 1),
          download: DownloadCursor(serverVersion: number(1), clientVersion: 0),
          latest: LatestServerVersion(serverVersion: number(3), salt: 1),
          queryVersion: number(1),
          queryBody: Array((number(20) == 0 ? "{" : "{}").utf8)
        )
      )
    case 3, 4:
      return .query(session: session, queryVersion: lastQuery + number(2), body: Array("{}".utf8))
    case 5, 6, 7:
      clientVersion += number(1)
      return .upload(
        UploadMessage(
          session: session,
          progress: UploadCursor(clientVersion: clientVersion, serverVersion: number(1)),
          lockedServerVersion: number(1),
          entries: Bool.random(using: &random)
            ? [] : [UploadEntry(clientVersion: clientVersion, serverVersion: 0, timestamp: 1, changeset: [1])]
        )
      )
    case 8, 9:
      lastMark += 1
      return .mark(session: session, request: number(30) == 0 ? 0 : lastMark)
    case 10: return .ping(timestamp: number(), roundTripTime: 0)
    default:
      return number(3) == 0
        ? .error(session: session, code: .badChangeset, message: "no")
        : .unbind(session)
    }
  }

  private var lastMark: MarkIdent = 0

  private mutating func hostEvent(_ key: SessionKey) -> ServerConnection.Event {
    let code = ErrorCode(rawValue: Int.random(in: 99...240, using: &random))
    let info = ErrorInfo(message: "no", action: .transient, tryAgain: true)
    switch Int.random(in: 0..<20, using: &random) {
    case 0, 1, 2: return .fileIdentAllocated(key, SaltedFileIdent(ident: key.session + 1, salt: 1))
    case 3, 4, 5:
      return .identified(
        key,
        ResumeState(
          upload: UploadCursor(clientVersion: number(2), serverVersion: 0),
          latest: LatestServerVersion(serverVersion: 3, salt: 1)
        )
      )
    case 6, 7:
      return .uploadIntegrated(key, UploadCursor(clientVersion: clientVersion, serverVersion: number(1)))
    case 8: return .queryFailed(key, number(), message: "no")
    case 9, 10, 11:
      let batch = batch()
      return .caughtUp(key, batch.download, batch.latest)
    case 12 where number(3) == 0: return .fail(key, code, info)
    case 13:
      return .compensatingWrite(
        key,
        number(3) == 0
          ? info
          : .compensatingWrite(
            message: "no",
            rejectedClientVersion: 1,
            serverVersion: sentVersion + 1,
            rejectedUpdates: []
          )
      )
    case 14 where number(9) == 0: return .failConnection(code, info)
    default: return .deliver(key, batch())
    }
  }

  private mutating func batch() -> DownloadBatch {
    sentVersion += number(1)
    let entries = (0..<number(2)).map { _ in
      DownloadEntry(
        serverVersion: max(1, sentVersion),
        clientVersion: number(1),
        timestamp: 1,
        originFileIdent: number(20) + 4,
        changeset: []
      )
    }
    return DownloadBatch(
      download: DownloadCursor(serverVersion: sentVersion + number(1), clientVersion: number(1)),
      latest: LatestServerVersion(serverVersion: sentVersion + number(3), salt: 1),
      queryVersion: number(1) == 0 ? lastQuery : number(4),
      batchState: BatchState(rawValue: number(2)) ?? .steady,
      entries: entries
    )
  }
}
