// SPDX-License-Identifier: Apache-2.0

@testable import FlexSyncEngine
@testable import FlexSyncWire

/// What a server keeps for one client file: a stream of entries and what it integrated. Queries always match one new
/// object.
struct MemoryStream {
  var file: SaltedFileIdent
  var upload = UploadCursor.start
  var entries: [DownloadEntry] = []
  var serverVersion: ServerVersion = 0
  var queryVersion: QueryVersion = 0
  var isNew = true
  /// The changesets that were integrated, in order.
  var received: [[UInt8]] = []

  mutating func place(_ changeset: [UInt8]) {
    serverVersion += 1
    entries.append(
      DownloadEntry(
        serverVersion: serverVersion,
        clientVersion: upload.clientVersion,
        timestamp: 1,
        originFileIdent: 1,
        changeset: changeset
      )
    )
  }

  var end: DownloadCursor {
    DownloadCursor(serverVersion: serverVersion, clientVersion: upload.clientVersion)
  }

  var latest: LatestServerVersion { LatestServerVersion(serverVersion: serverVersion, salt: 77) }
}

/// A host of `ServerConnection` in memory that serves one client.
struct MemoryHost {
  var connection = ServerConnection(version: .newest)
  var stream: MemoryStream?
  var key: SessionKey?
  /// Everything that was sent since it was last looked at.
  var outbox: [ServerMessage] = []
  var isClosed = false
  var hostViolations: [String] = []
  /// The newest server version delivered on this connection.
  private var delivered: ServerVersion = 0

  mutating func reconnect() {
    connection = ServerConnection(version: .newest)
    key = nil
    outbox = []
    isClosed = false
  }

  mutating func feed(_ event: ServerConnection.Event) {
    for effect in connection.handle(event) { perform(effect) }
  }

  /// Another client's change.
  mutating func change(_ text: String) {
    stream?.place(Array(text.utf8))
    deliverRest()
  }

  mutating func takeMessages() -> [ServerMessage] {
    defer { outbox = [] }
    return outbox
  }

  private mutating func perform(_ effect: ServerConnection.Effect) {
    switch effect {
    case .send(let message): outbox.append(message)
    case .allocateFileIdent(let key, _):
      stream = MemoryStream(file: SaltedFileIdent(ident: (stream?.file.ident ?? 1) + 1, salt: 4242))
      if let file = stream?.file { feed(.fileIdentAllocated(key, file)) }
    case .identify(let key, let message, _, _): identify(key, message)
    case .integrateUpload(let key, let message): integrate(key, message)
    case .changeQuery(let key, let version, _): bootstrap(key, version)
    case .catchUp(let key): catchUp(key)
    case .sessionEnded: key = nil
    case .closeConnection: isClosed = true
    case .hostViolation(_, let reason): hostViolations.append(reason)
    case .clientFailed: break
    }
  }

  private mutating func identify(_ key: SessionKey, _ message: IdentMessage) {
    guard let stream, stream.file == message.file else {
      return feed(.fail(key, .badClientFileIdent, .reset("unknown file")))
    }
    self.key = key
    // The bootstrap of version 0 did not arrive.
    if message.queryVersion == 0 && message.download.serverVersion == 0 { self.stream?.isNew = true }
    delivered = message.download.serverVersion
    feed(.identified(key, ResumeState(upload: stream.upload, latest: stream.latest)))
  }

  private mutating func integrate(_ key: SessionKey, _ message: UploadMessage) {
    stream?.received += message.entries.map(\.changeset)
    if message.progress.clientVersion > stream?.upload.clientVersion ?? 0 {
      stream?.upload = message.progress
    }
    feed(.uploadIntegrated(key, message.progress))
  }

  private mutating func bootstrap(_ key: SessionKey, _ version: QueryVersion) {
    guard var stream else { return }
    stream.serverVersion += 1
    stream.queryVersion = version
    self.stream = stream
    for (state, text) in [(BatchState.more, "first of \(version)"), (.last, "last of \(version)")] {
      let entry = DownloadEntry(
        serverVersion: stream.serverVersion,
        clientVersion: stream.upload.clientVersion,
        timestamp: 1,
        originFileIdent: 1,
        changeset: Array(text.utf8)
      )
      feed(
        .deliver(
          key,
          DownloadBatch(
            download: stream.end,
            latest: stream.latest,
            queryVersion: version,
            batchState: state,
            entries: [entry]
          )
        )
      )
    }
    delivered = stream.serverVersion
  }

  private mutating func catchUp(_ key: SessionKey) {
    deliverRest()
    if stream?.isNew == true {
      stream?.isNew = false
      bootstrap(key, 0)
    }
    guard let stream else { return }
    feed(.caughtUp(key, stream.end, stream.latest))
  }

  private mutating func deliverRest() {
    guard let stream, let key else { return }
    let rest = stream.entries.filter { $0.serverVersion > delivered }
    guard !rest.isEmpty else { return }
    delivered = stream.serverVersion
    feed(
      .deliver(
        key,
        DownloadBatch(
          download: stream.end,
          latest: stream.latest,
          queryVersion: stream.queryVersion,
          batchState: .steady,
          entries: rest
        )
      )
    )
  }
}
