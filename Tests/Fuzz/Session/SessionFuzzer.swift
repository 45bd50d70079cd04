// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

@testable import FlexSyncEngine

/// Gives any sequence of messages to the server's state machine, with a host that does what it is asked. Built by
/// Scripts/fuzz with libFuzzer.
///
/// The first byte chooses the version of the protocol; messages follow, each with its length in two bytes, of which the
/// highest bit lets the host wait with its answers. The machine must never ask for what is not legal, send what aborts a
/// client, or say anything after the end.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSession(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  var input = UnsafeBufferPointer(start: bytes, count: count)[...]
  guard let first = input.popFirst(), let version = SyncProtocolVersion(rawValue: 2 + Int(first) % 13) else {
    return 0
  }
  var host = Host(version)
  while let high = input.popFirst(), let low = input.popFirst() {
    let message = Array(input.prefix(Int(high & 0x7f) << 8 | Int(low)))
    input = input.dropFirst(message.count)
    host.take(.received(message))
    if high & 0x80 == 0 { host.answerAll() }
  }
  host.answerAll()
  host.take(.closed)
  host.checkEnd()
  return 0
}

/// Keeps the cursors of one stream for each session and answers like a server without data.
private struct Host {
  private struct Stream {
    var upload = UploadCursor.start
    var version: UInt64 = 0
  }

  private var machine: ServerConnection
  private let version: SyncProtocolVersion
  private var requests: [ServerConnection.Effect] = []
  private var streams: [SessionKey: Stream] = [:]
  private var ended: Set<SessionKey> = []
  private var fileCount: UInt64 = 0
  private var isClosed = false

  init(_ version: SyncProtocolVersion) {
    self.version = version
    machine = ServerConnection(version: version, limits: MessageLimits(bodyByteCount: 1 << 16))
  }

  mutating func take(_ event: ServerConnection.Event) {
    for effect in machine.handle(event) {
      precondition(!isClosed, "\(effect) after the end")
      switch effect {
      case .send(let message): check(message)
      case .closeConnection: isClosed = true
      case .sessionEnded(let key): precondition(ended.insert(key).inserted, "\(key) ended twice")
      case .hostViolation(_, let reason):
        preconditionFailure("the host is said to do what it does not: \(reason)")
      default: requests.append(effect)
      }
    }
  }

  private func check(_ message: ServerMessage) {
    precondition(!message.encode(version: version).isEmpty)
    guard case .error(let error) = message else { return }
    precondition(error.code.mayBeSentToClients && error.code.fits(session: error.session))
  }

  mutating func answerAll() {
    while !requests.isEmpty { answer(requests.removeFirst()) }
  }

  func checkEnd() { precondition(requests.isEmpty || isClosed || !ended.isEmpty) }

  private mutating func answer(_ request: ServerConnection.Effect) {
    switch request {
    case .allocateFileIdent(let key, _):
      fileCount += 1
      take(.fileIdentAllocated(key, SaltedFileIdent(ident: fileCount, salt: 7)))
    case .identify(let key, let message, _, _): identify(key, message)
    case .integrateUpload(let key, let upload): integrate(key, upload)
    case .changeQuery(let key, let version, let set):
      if set.queries.isEmpty {
        bootstrap(key, version)
      } else {
        take(.queryFailed(key, version, message: "no"))
      }
    case .catchUp(let key):
      let stream = streams[key] ?? Stream()
      let cursor = DownloadCursor(serverVersion: stream.version, clientVersion: stream.upload.clientVersion)
      take(.caughtUp(key, cursor, latest(stream)))
    case .clientFailed(let key, let code, let message):
      take(.fail(key, code, ErrorInfo(message: message, action: .clientReset, tryAgain: false)))
    default: break
    }
  }

  /// As a server does, it refuses cursors that it cannot have told the client.
  private mutating func identify(_ key: SessionKey, _ message: IdentMessage) {
    let isFresh = message.download == .start && message.latest.serverVersion == 0 && message.queryVersion == 0
    guard isFresh else {
      let info = ErrorInfo(message: "unknown", action: .clientReset, tryAgain: false)
      return take(.fail(key, .badClientFileIdent, info))
    }
    streams[key] = Stream()
    take(.identified(key, ResumeState(upload: .start, latest: .none)))
    bootstrap(key, 0)
  }

  private mutating func integrate(_ key: SessionKey, _ upload: UploadMessage) {
    guard var stream = streams[key] else { return }
    stream.upload = upload.progress
    streams[key] = stream
    take(.uploadIntegrated(key, upload.progress))
  }

  private mutating func bootstrap(_ key: SessionKey, _ version: UInt64) {
    guard var stream = streams[key] else { return }
    stream.version += 1
    streams[key] = stream
    let cursor = DownloadCursor(serverVersion: stream.version, clientVersion: stream.upload.clientVersion)
    let entry = DownloadEntry(
      serverVersion: stream.version,
      clientVersion: stream.upload.clientVersion,
      timestamp: 1,
      originFileIdent: UInt64(Int64.max),
      changeset: []
    )
    let batch = DownloadBatch(
      download: cursor,
      latest: latest(stream),
      queryVersion: version,
      batchState: .last,
      entries: [entry]
    )
    take(.deliver(key, batch))
  }

  private func latest(_ stream: Stream) -> LatestServerVersion {
    LatestServerVersion(serverVersion: stream.version, salt: stream.version == 0 ? 0 : 5)
  }
}
