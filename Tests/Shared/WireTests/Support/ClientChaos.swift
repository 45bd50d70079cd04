// SPDX-License-Identifier: Apache-2.0

@testable import FlexSyncCore
@testable import FlexSyncWire

/// A server and an app that do anything.
struct ClientChaos {
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
    switch Int.random(in: 0..<25, using: &random) {
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
    case 11:
      client.nextFailure = number(4) == 0 ? .badChangeset : nil
      client.defersFetches.toggle()
    case 12: client.answerFetch()
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
      if case .mark(_, let request) = message { lastMark = request }
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
    case 0, 1: return .ident(session: 1, file: SaltedFileIdent(ident: number(9), salt: 5))
    case 2, 3, 4, 5: return .mark(session: 1, request: number(9) == 0 ? number() : lastMark)
    case 6: return .unbound(1)
    case 7: return .queryError(session: 1, code: .badQuery, queryVersion: setVersion, message: "no")
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
