// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncCore
@testable import FlexSyncWire

/// Our client in the place of realm-core's, against the recorded server.
@Suite("Recorded sessions, client")
struct ClientReplayTests {
  @Test("our client says what realm-core's client said", arguments: Recording.names)
  func saysTheSame(name: String) throws {
    let recording = try Recording(name)
    var player = ClientPlayer(recording: recording)
    for index in recording.lines.indices { try player.play(index) }
    #expect(player.messageCount >= 5)
  }
}

/// Plays the server's lines to `MemoryClient` and compares what it sends with the client's lines.
///
/// Messages that only report progress are left out of the comparison: their number and order vary from run to run.
private struct ClientPlayer {
  let recording: Recording
  var clients: [SessionIdent: MemoryClient] = [:]
  var connections: [SessionIdent: Int64] = [:]
  /// What the clients sent and the recording has not shown yet.
  var pending: [SessionIdent: [ClientMessage]] = [:]
  /// For each recorded MARK the number that our client gave to it.
  var markNumbers: [SessionIdent: [MarkIdent: MarkIdent]] = [:]
  var messageCount = 0

  init(recording: Recording) { self.recording = recording }

  mutating func play(_ index: Int) throws {
    switch recording.lines[index].line {
    case .client(.ping), .server(.pong): return
    case .client(let message): try expect(message, index)
    case .server(let message): try receive(message, index)
    }
  }

  private mutating func receive(_ message: ServerMessage, _ index: Int) throws {
    var message = message
    if case .mark(let session, let request) = message {
      message = .mark(session: session, request: try #require(markNumbers[session]?[request]))
    }
    clients[message.session]?.feed(.received(message))
    collect(message.session)
    let violations = clients[message.session]?.effects.filter {
      if case .violation = $0 { true } else { false }
    }
    #expect(violations == [], "\(recording.name), line \(index)")
  }

  private mutating func expect(_ message: ClientMessage, _ index: Int) throws {
    let session = try #require(message.session)
    provoke(message, session, index)
    collect(session)
    if case .upload(let upload) = message, upload.entries.isEmpty { return }
    let found = try #require(
      pending[session]?.isEmpty == false ? pending[session]?.removeFirst() : nil,
      "\(recording.name), line \(index): nothing where realm-core sent \(message.head)"
    )
    messageCount += 1
    try compare(found, message, index)
  }

  /// Does what the app did before the message, as far as the session does not send it by itself.
  private mutating func provoke(_ message: ClientMessage, _ session: SessionIdent, _ index: Int) {
    switch message {
    case .bind(let bind): open(bind, index)
    case .upload(let upload): clients[session]?.replayCommits(upload)
    case .query(_, let version, let body) where pending[session]?.isEmpty != false:
      clients[session]?.replaySet(version, body)
    case .mark where pending[session]?.isEmpty != false:
      clients[session]?.feed(.downloadCompletionRequested(UInt64(index)))
    case .unbind where pending[session]?.isEmpty != false: clients[session]?.feed(.suspend)
    default: break
    }
  }

  private mutating func open(_ bind: BindMessage, _ index: Int) {
    var stored = StoredSessionState(localVersion: 1)
    if !bind.needsFileIdent, let ident = recording.ident(after: index, session: bind.session) {
      stored.file = ident.file
      stored.progress.download = ident.download
      stored.progress.latest = ident.latest
      stored.progress.upload.clientVersion = ident.download.clientVersion
      stored.localVersion = max(1, ident.download.clientVersion)
      stored.activeSet = ActiveSubscriptionSet(
        version: ident.queryVersion,
        body: ident.queryBody,
        state: .complete
      )
    }
    let configuration = ClientSessionConfiguration(
      session: bind.session,
      bindOptions: (try? bind.options(version: .newest)) ?? BindOptions(),
      seed: 1
    )
    clients[bind.session] = MemoryClient(stored, configuration: configuration)
    pending[bind.session] = []
    clients[bind.session]?.feed(.connected(0))
  }

  private mutating func collect(_ session: SessionIdent) {
    let messages = clients[session]?.takeMessages() ?? []
    pending[session, default: []] += messages.filter {
      if case .upload(let upload) = $0, upload.entries.isEmpty { false } else { true }
    }
  }

  private mutating func compare(_ found: ClientMessage, _ expected: ClientMessage, _ index: Int) throws {
    let label: Comment = "\(recording.name), line \(index)"
    switch (found, expected) {
    case (.mark(let session, let number), .mark(_, let recorded)):
      markNumbers[session, default: [:]][recorded] = number
    case (.upload(let found), .upload(let expected)):
      #expect(found.entries.map(\.clientVersion) == expected.entries.map(\.clientVersion), label)
      #expect(found.entries.map(\.serverVersion) == expected.entries.map(\.serverVersion), label)
      #expect(found.entries.map(\.changeset) == expected.entries.map(\.changeset), label)
      // Ours integrates at once what the recorded client had not integrated when it wrote.
      #expect(found.progress.clientVersion == expected.progress.clientVersion, label)
      #expect(found.progress.serverVersion >= expected.progress.serverVersion, label)
      #expect(found.lockedServerVersion >= expected.lockedServerVersion, label)
    default: #expect(found.head == expected.head && found.encode() == expected.encode(), label)
    }
  }
}

extension MemoryClient {
  /// Commits the changesets of a recorded UPLOAD under their recorded versions.
  fileprivate mutating func replayCommits(_ upload: UploadMessage) {
    for entry in upload.entries where !history.contains(where: { $0.clientVersion == entry.clientVersion }) {
      history.append(
        MemoryCommit(
          clientVersion: entry.clientVersion,
          serverVersion: entry.serverVersion,
          changeset: entry.changeset
        )
      )
    }
    if upload.progress.clientVersion > stored.localVersion {
      let last = upload.entries.last?.clientVersion ?? 0
      if upload.progress.clientVersion > last {
        history.append(
          MemoryCommit(
            clientVersion: upload.progress.clientVersion,
            serverVersion: upload.progress.serverVersion
          )
        )
      }
      stored.localVersion = upload.progress.clientVersion
    }
    feed(.localVersionAdvanced(stored.localVersion))
  }

  fileprivate mutating func replaySet(_ version: QueryVersion, _ body: [UInt8]) {
    let set = PendingSubscriptionSet(version: version, snapshotVersion: stored.localVersion, body: body)
    stored.pendingSets.append(set)
    feed(.subscriptionSetCommitted(set))
  }
}
