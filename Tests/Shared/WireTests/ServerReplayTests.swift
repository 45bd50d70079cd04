// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncEngine
@testable import FlexSyncWire

/// Our server machine in the place of the recorded server, against realm-core's client.
@Suite("Recorded sessions, server")
struct ServerReplayTests {
  @Test(
    "our server accepts every message and sends what the recorded server sent",
    arguments: Recording.names
  )
  func acceptsEverything(name: String) throws {
    let recording = try Recording(name)
    var player = ServerPlayer()
    for (index, line) in recording.lines.enumerated() {
      try player.play(line.line, connection: line.connection, label: "\(name), line \(index)")
    }
    #expect(player.messageCount >= 4)
  }
}

/// Plays the client's lines to `ServerConnection`, does as its host what the recorded server did, and compares what
/// is sent.
private struct ServerPlayer {
  var connection = ServerConnection(version: .newest)
  var connectionNumber: Int64 = 0
  var keys: [SessionIdent: SessionKey] = [:]
  /// The download cursor and the end of the stream that each session was told last.
  var ends: [SessionIdent: (DownloadCursor, LatestServerVersion)] = [:]
  var integrated: [SessionIdent: UploadCursor] = [:]
  var sent: [ServerMessage] = []
  var messageCount = 0

  mutating func play(_ line: Recording.Line, connection number: Int64, label: Comment) throws {
    if number != connectionNumber {
      connection = ServerConnection(version: .newest)
      connectionNumber = number
      sent = []
    }
    switch line {
    case .client(let message):
      feed(.received(message.encode()), label)
    case .server(let message):
      try act(message, label)
      let found = try #require(sent.isEmpty ? nil : sent.removeFirst(), label)
      compare(found, message, label)
      messageCount += 1
    }
  }

  /// The recorded server does not count progress without changes, and names an old set in steady state.
  private func compare(_ found: ServerMessage, _ expected: ServerMessage, _ label: Comment) {
    guard case .download(let found) = found, case .download(let expected) = expected else {
      #expect(found.head == expected.head, label)
      return
    }
    #expect(found.download == expected.download && found.latest == expected.latest, label)
    #expect(found.upload.clientVersion >= expected.upload.clientVersion, label)
    #expect(found.batchState == expected.batchState && found.entries == expected.entries, label)
    #expect(found.batchState == .steady || found.queryVersion == expected.queryVersion, label)
  }

  /// Gives the events that make the machine send the message.
  private mutating func act(_ message: ServerMessage, _ label: Comment) throws {
    guard sent.isEmpty else { return }
    let key = try #require(keys[message.session], label)
    switch message {
    case .ident(_, let file): feed(.fileIdentAllocated(key, file), label)
    case .download(let download): deliver(download, key, label)
    case .mark: catchUp(key, label)
    case .queryError(_, _, let version, let message):
      feed(.queryFailed(key, version, message: message), label)
    case .error(let error) where error.code == .compensatingWrite:
      feed(.compensatingWrite(key, error.info), label)
    case .error(let error): feed(.fail(key, error.code, error.info), label)
    case .unbound, .pong, .plainError, .log, .testCommand: break
    }
  }

  private mutating func deliver(_ message: DownloadMessage, _ key: SessionKey, _ label: Comment) {
    ends[key.session] = (message.download, message.latest)
    if message.upload != integrated[key.session] {
      integrated[key.session] = message.upload
      feed(.uploadIntegrated(key, message.upload), label)
    }
    if message.batchState == .steady && message.entries.isEmpty { return catchUp(key, label) }
    let batch = DownloadBatch(
      download: message.download,
      latest: message.latest,
      queryVersion: message.queryVersion,
      batchState: message.batchState,
      progressEstimate: message.progressEstimate,
      entries: message.entries
    )
    feed(.deliver(key, batch), label)
  }

  private mutating func catchUp(_ key: SessionKey, _ label: Comment) {
    guard let (download, latest) = ends[key.session] else { return }
    feed(.caughtUp(key, download, latest), label)
    if sent.isEmpty { feed(.caughtUp(key, download, latest), label) }
  }

  private mutating func feed(_ event: ServerConnection.Event, _ label: Comment) {
    for effect in connection.handle(event) {
      switch effect {
      case .send(let message): sent.append(message)
      case .allocateFileIdent(let key, _): keys[key.session] = key
      case .identify(let key, let message, _, _):
        keys[key.session] = key
        ends[key.session] = (message.download, message.latest)
        integrated[key.session] = UploadCursor(
          clientVersion: message.download.clientVersion,
          serverVersion: 0
        )
        feed(
          .identified(
            key,
            ResumeState(upload: integrated[key.session] ?? .start, latest: message.latest)
          ),
          label
        )
      case .closeConnection(let reason): Issue.record("\(label): the connection was closed: \(reason)")
      case .hostViolation(_, let reason): Issue.record("\(label): refused: \(reason)")
      case .integrateUpload(let key, let message) where message.entries.isEmpty:
        feed(.uploadIntegrated(key, message.progress), label)
      case .integrateUpload, .changeQuery, .catchUp, .clientFailed, .sessionEnded: break
      }
    }
  }
}
