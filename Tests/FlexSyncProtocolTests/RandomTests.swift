// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncProtocol

/// Arbitrary peers and arbitrary hosts: no trap, and never an illegal message of ours.
@Suite("Arbitrary messages")
struct RandomTests {
  @Test("the server's machine says nothing illegal, whatever client and host do", arguments: 0..<400)
  func serverStaysLegal(seed: UInt64) {
    var chaos = ServerChaos(seed: seed)
    for _ in 0..<150 { chaos.step() }
    #expect(chaos.complaints == [], "seed \(seed)")
  }

  @Test("the client's machine says nothing illegal, whatever the server does", arguments: 0..<400)
  func clientStaysLegal(seed: UInt64) {
    var chaos = ClientChaos(seed: seed)
    for _ in 0..<200 { chaos.step() }
    #expect(chaos.complaints == [], "seed \(seed)")
  }

  @Test("mutated bytes are refused or read, never more", arguments: Recording.names)
  func mutatedBytes(name: String) throws {
    var random = RandomSource(seed: 7)
    for (_, line) in try Recording(name).lines {
      for _ in 0..<40 {
        switch line {
        case .client(let message):
          let bytes = message.encode().mutated(&random)
          if let read = try? ClientMessage.decode(bytes) {
            #expect(try ClientMessage.decode(read.encode()) == read)
          }
        case .server(let message):
          let bytes = message.encode().mutated(&random)
          if let read = try? ServerMessage.decode(bytes) {
            #expect(try ServerMessage.decode(read.encode()) == read)
          }
        }
      }
    }
  }
}

extension [UInt8] {
  fileprivate func mutated(_ random: inout RandomSource) -> [UInt8] {
    var bytes = self
    for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
      let index = Int.random(in: bytes.indices, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: index)
      case 2: bytes.insert(UInt8.random(in: 0x20...0x3a, using: &random), at: index)
      default: bytes.removeLast(bytes.count - index)
      }
    }
    return bytes
  }
}

// MARK: Server

/// A client and a host that do anything.
private struct ServerChaos {
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
      case .query(let query):
        guard step == "ident", query.queryVersion > lastQuery else { continue }
        lastQuery = query.queryVersion
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
      return .query(
        QueryMessage(session: session, queryVersion: lastQuery + number(2), body: Array("{}".utf8))
      )
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
      return .mark(MarkMessage(session: session, request: number(30) == 0 ? 0 : lastMark))
    case 10: return .ping(PingMessage(timestamp: number(), roundTripTime: 0))
    default:
      return number(3) == 0
        ? .error(ClientErrorMessage(code: .badChangeset, session: session, message: "no"))
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
    case 13: return .log(key, .info, message: "hello")
    case 14:
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
    case 15 where number(9) == 0: return .failConnection(code, info)
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

// MARK: Client

/// A server and an app that do anything.
private struct ClientChaos {
  var random: RandomSource
  var client = MemoryClient()
  var oracle = ServerOracle()
  var complaints: [String] = []
  var now: MonotonicTime = 0
  var lastMark: MarkIdent = 0
  var setVersion: QueryVersion = 0
  var log: [String] = []

  init(seed: UInt64) { random = RandomSource(seed: seed) }

  mutating func step() {
    switch Int.random(in: 0..<24, using: &random) {
    case 0:
      now += number(100_000)
      feed(.disconnected(now))
    case 1, 2, 3:
      if client.session.link == .disconnected { oracle.connect() }
      feed(.connected(now))
    case 4: client.commit("write")
    case 5:
      setVersion += 1
      client.commitSet(setVersion)
    case 6: feed(number(2) == 0 ? .suspend : .resume)
    case 7, 8: feed(.timerFired)
    case 9: feed(.downloadCompletionRequested(number()))
    case 10: feed(.uploadCompletionRequested(number(), through: number(20)))
    case 11: client.nextFailure = number(4) == 0 ? .badChangeset : nil
    default: receive(serverMessage())
    }
    look()
  }

  private mutating func receive(_ message: ServerMessage) {
    guard client.session.link != .disconnected else { return }
    log.append("<- \(message.head)")
    oracle.serverSent(message)
    feed(.received(message))
  }

  private mutating func feed(_ event: ClientSession.Event) { client.feed(event) }

  /// Checks what was sent; a violation ends the connection.
  private mutating func look() {
    for message in client.takeMessages() {
      log.append("-> \(message.head)")
      if case .mark(let mark) = message { lastMark = mark.request }
      if let complaint = oracle.clientSent(message) {
        complaints.append("\(message.head): \(complaint); \(log.suffix(15))")
      }
    }
    let isViolated = client.effects.contains { if case .violation = $0 { true } else { false } }
    client.effects = []
    guard isViolated else { return }
    log.append("violation")
    feed(.disconnected(now))
    if number(5) == 0 {
      feed(
        .connectionFailed(SyncErrorReport(origin: .connection, code: .otherError, message: "", isFatal: true))
      )
    }
    client.effects = []
  }

  private mutating func number(_ limit: UInt64 = 6) -> UInt64 { UInt64.random(in: 0...limit, using: &random) }

  private mutating func serverMessage() -> ServerMessage {
    switch Int.random(in: 0..<20, using: &random) {
    case 0, 1: return .ident(FileIdentMessage(session: 1, file: SaltedFileIdent(ident: number(9), salt: 5)))
    case 2, 3, 4, 5: return .mark(MarkMessage(session: 1, request: number(9) == 0 ? number() : lastMark))
    case 6: return .unbound(1)
    case 7: return .queryError(QueryErrorMessage(session: 1, queryVersion: setVersion, message: "no"))
    case 8, 9: return error()
    case 10: return .log(LogMessage(session: 1, level: .info, message: "hello"))
    default: return .download(download())
    }
  }

  private mutating func error() -> ServerMessage {
    let actions = ErrorAction.allCases
    var info = ErrorInfo(
      message: "no",
      action: actions[Int(number(UInt64(actions.count - 1)))],
      tryAgain: number(1) == 0
    )
    let code = ErrorCode(rawValue: 199 + Int(number(40)))
    if code == .compensatingWrite {
      info = .compensatingWrite(
        message: "no",
        rejectedClientVersion: 1,
        serverVersion: number(20),
        rejectedUpdates: []
      )
    }
    if code == .schemaVersionChanged { info.previousSchemaVersion = 1 }
    if code == .migrateToFlexibleSync { info.partitionQuery = "" }
    return .error(ErrorMessage(code: code, session: 1, info: info))
  }

  private mutating func download() -> DownloadMessage {
    var progress = client.session.binding.received
    progress.download.serverVersion += number(2)
    progress.latest.serverVersion = max(progress.latest.serverVersion, progress.download.serverVersion)
    progress.upload.clientVersion = min(client.stored.localVersion, progress.upload.clientVersion + number(2))
    progress.download.clientVersion =
      number(1) == 0 ? progress.upload.clientVersion : progress.download.clientVersion
    if number(15) == 0 { progress.download.serverVersion = number(20) }
    let count =
      progress.download.serverVersion > client.session.binding.received.download.serverVersion ? number(1) : 0
    let entries = (0..<count).map { _ in
      DownloadEntry(
        serverVersion: progress.download.serverVersion,
        clientVersion: progress.download.clientVersion,
        timestamp: 1,
        originFileIdent: 1 + (number(15) == 0 ? number(9) : 0),
        changeset: [1]
      )
    }
    return DownloadMessage(
      session: 1,
      progress: progress,
      queryVersion: number(3) == 0
        ? number() : (number(1) == 0 ? setVersion : client.session.activeSet.version),
      batchState: BatchState(rawValue: number(2)) ?? .steady,
      entries: entries
    )
  }
}
