// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import Testing

@testable import FlexSyncCore
@testable import FlexSyncEngine
@testable import FlexSyncWire

/// A client as the engine sees it, which comes back when it is dropped and sends again what was not acknowledged. It
/// keeps no objects.
final class EngineClient: EngineSessionPeer {
  private let userID: String
  private var session: EngineSession?
  private(set) var file: SaltedFileIdent?
  private(set) var download = DownloadCursor.start
  private(set) var upload = UploadCursor.start
  private var latest = LatestServerVersion.none
  private var query = (version: QueryVersion(0), body: "{}")
  private var wantedQuery: (version: QueryVersion, body: String)?
  private var changes: [UploadEntry] = []
  private var sentVersion: ClientVersion = 0
  /// What was downloaded: each entry has to come exactly once, those of a bootstrap may come again.
  private(set) var entries: [DownloadEntry] = []
  private(set) var failures: [String] = []

  init(_ userID: String) { self.userID = userID }

  /// A client that is at the same point, and not connected.
  init(copyOf other: EngineClient) {
    userID = other.userID
    file = other.file
    download = other.download
    upload = other.upload
    latest = other.latest
    query = other.query
    wantedQuery = other.wantedQuery
    changes = other.changes
    entries = other.entries
  }

  // MARK: What the app does

  func write(_ instructions: [Instruction]) {
    let version = (changes.last?.clientVersion ?? upload.clientVersion) + 1
    changes.append(
      UploadEntry(
        clientVersion: version,
        serverVersion: download.serverVersion,
        timestamp: 1000 + version,
        changeset: ChangesetCodec.encode(instructions)
      )
    )
  }

  func subscribe(_ text: String) {
    wantedQuery = ((wantedQuery ?? query).version + 1, #"{"Task":"\#(text)"}"#)
  }

  // MARK: What is sent

  /// Whether there is nothing left to send.
  var isQuiet: Bool {
    isConnected && file != nil && session?.file != nil && wantedQuery == nil
      && upload.clientVersion >= (changes.last?.clientVersion ?? 0)
  }

  var isConnected: Bool { session?.isAttached ?? false }

  func disconnect(_ engine: SyncEngine) {
    if let session { engine.close(session) }
    session = nil
  }

  /// Sends the next thing that is due.
  func step(_ engine: SyncEngine) throws {
    // A client that is told nothing waits, whatever the engine makes of its session.
    guard let session else { return connect(engine) }
    guard session.isAttached, session.file != nil else { return }
    if let wantedQuery {
      let queries = try QuerySet(body: Array(wantedQuery.body.utf8))
      engine.submit(.query(wantedQuery.version, queries), from: session)
    }
    let due = changes.filter { $0.clientVersion > max(sentVersion, upload.clientVersion) }
    sentVersion = changes.last?.clientVersion ?? 0
    let cursor = UploadCursor(
      clientVersion: max(sentVersion, upload.clientVersion),
      serverVersion: download.serverVersion
    )
    engine.submit(
      .upload(
        UploadMessage(
          session: 1,
          progress: cursor,
          lockedServerVersion: download.serverVersion,
          entries: due
        )
      ),
      from: session
    )
  }

  private func connect(_ engine: SyncEngine) {
    let session = EngineSession(
      key: SessionKey(session: 1, binding: 1),
      userID: userID,
      isClientReset: false,
      peer: self
    )
    self.session = session
    sentVersion = 0
    guard file != nil else { return engine.submit(.allocateFile, from: session) }
    identify(session, engine)
  }

  /// Presents the file once it has one.
  func identifyIfNew(_ engine: SyncEngine) {
    guard let session, session.isAttached, session.file == nil, file != nil else { return }
    identify(session, engine)
  }

  private func identify(_ session: EngineSession, _ engine: SyncEngine) {
    guard let file, let queries = try? QuerySet(body: Array(query.body.utf8)) else { return }
    let message = IdentMessage(
      session: 1,
      file: file,
      download: download,
      latest: latest,
      queryVersion: query.version,
      queryBody: Array(query.body.utf8)
    )
    engine.submit(.ident(message, queries), from: session)
    engine.submit(.catchUp, from: session)
  }

  // MARK: What the engine says

  func post(_ event: ServerConnection.Event) {
    switch event {
    case .fileIdentAllocated(_, let file): self.file = file
    case .identified(_, let resume): acknowledge(resume.upload)
    case .uploadIntegrated(_, let cursor): acknowledge(cursor)
    case .deliver(_, let batch): receive(batch)
    case .caughtUp(_, let cursor, let latest): (download, self.latest) = (cursor, latest)
    case .fail(_, let code, let info):
      failures.append("\(code) \(info.message)")
      drop()
    default: break
    }
  }

  func drop() { session = nil }

  func hold(_ session: SessionKey) {}

  func release(_ session: SessionKey) {}

  func countQuery() {}

  var isWritable: Bool { true }

  private func acknowledge(_ cursor: UploadCursor) {
    #expect(cursor.clientVersion >= upload.clientVersion)
    upload = cursor
    changes.removeAll { $0.clientVersion <= cursor.clientVersion }
  }

  private func receive(_ batch: DownloadBatch) {
    entries += batch.entries
    guard batch.batchState != .more else { return }
    #expect(batch.download.serverVersion >= download.serverVersion)
    download = batch.download
    latest = batch.latest
    guard let wantedQuery, batch.batchState == .last, batch.queryVersion == wantedQuery.version else {
      return
    }
    query = wantedQuery
    self.wantedQuery = nil
  }
}
