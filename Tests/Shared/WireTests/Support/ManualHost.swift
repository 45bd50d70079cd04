// SPDX-License-Identifier: Apache-2.0

@testable import FlexSyncEngine
@testable import FlexSyncWire

/// A host that a test plays by hand.
struct ManualHost {
  var connection: ServerConnection
  var effects: [ServerConnection.Effect] = []
  var key = SessionKey(session: 0, binding: 0)
  let resume: ResumeState

  init(version: SyncProtocolVersion = .newest, integrated: ClientVersion = 0) {
    connection = ServerConnection(version: version)
    resume = ResumeState(
      upload: UploadCursor(clientVersion: integrated, serverVersion: 0),
      latest: LatestServerVersion(serverVersion: 0, salt: 77)
    )
  }

  /// File 2 in session 1, identified and caught up.
  static func active(version: SyncProtocolVersion = .newest, integrated: ClientVersion = 0) -> ManualHost {
    var host = ManualHost(version: version, integrated: integrated)
    _ = host.receive("bind 1 2 0 0 0|{}")
    _ = host.receive("ident 1 2 5 0 0 0 0 0 2|{}")
    _ = host.feed(.identified(host.key, host.resume))
    _ = host.caughtUp(0)
    return host
  }

  /// Gives a message, with `|` for the line feed; the heads of what is sent.
  mutating func receive(_ text: String) -> [String] {
    feed(.received(text.utf8.map { $0 == UInt8(ascii: "|") ? UInt8(ascii: "\n") : $0 }))
  }

  mutating func caughtUp(_ serverVersion: ServerVersion) -> [String] {
    feed(
      .caughtUp(
        key,
        DownloadCursor(serverVersion: serverVersion, clientVersion: 0),
        LatestServerVersion(serverVersion: serverVersion, salt: 77)
      )
    )
  }

  mutating func feed(_ event: ServerConnection.Event) -> [String] {
    effects = connection.handle(event)
    for effect in effects {
      switch effect {
      case .allocateFileIdent(let key, _), .identify(let key, _, _, _): self.key = key
      default: break
      }
    }
    return messages.map(\.head)
  }

  private var messages: [ServerMessage] {
    effects.compactMap { if case .send(let message) = $0 { message } else { nil } }
  }

  var asksToCatchUp: Bool { effects.contains(.catchUp(key)) }

  var isClosed: Bool { effects.contains { if case .closeConnection = $0 { true } else { false } } }

  var lastError: ErrorInfo? {
    messages.compactMap { if case .error(let error) = $0 { error.info } else { nil } }.last
  }

  var lastQueryError: String? {
    messages.compactMap { if case .queryError(_, _, _, let message) = $0 { message } else { nil } }.last
  }

  var lastErrorSize: Int { lastQueryError?.utf8.count ?? 0 }
}

extension DownloadBatch {
  static func bootstrap(
    _ version: QueryVersion,
    at serverVersion: ServerVersion,
    _ state: BatchState = .last
  ) -> DownloadBatch {
    DownloadBatch(
      download: DownloadCursor(serverVersion: serverVersion, clientVersion: 0),
      latest: LatestServerVersion(serverVersion: serverVersion, salt: 77),
      queryVersion: version,
      batchState: state,
      entries: [
        DownloadEntry(
          serverVersion: serverVersion,
          clientVersion: 0,
          timestamp: 1,
          originFileIdent: 1,
          changeset: [1, 2]
        )
      ]
    )
  }

  static func steady(at serverVersion: ServerVersion) -> DownloadBatch {
    bootstrap(0, at: serverVersion, .steady)
  }
}
