// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncWire
import Testing

@testable import FlexSyncEngine

/// A client on a connection without a network, with one session that has got its first bootstrap. It keeps no objects.
final class DirectClient {
  let channel: RecordingChannel
  let file: SaltedFileIdent
  private let engine: SyncEngine

  init(_ harness: Harness, _ userID: String, _ query: String, _ version: SyncProtocolVersion = .newest) throws
  {
    let served = try #require(harness.server.apps[Harness.appID])
    engine = served.engine
    channel = RecordingChannel()
    served.accept(channel, version: version, userID: userID)
    channel.put(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: true)))
    engine.runTurn()
    let idents = channel.received.compactMap {
      if case .ident(_, let file) = $0 { file } else { nil }
    }
    file = try #require(idents.first)
    channel.put(.ident(.resuming(file, in: 1)))
    engine.runTurn()
    channel.put(.query(session: 1, queryVersion: 1, body: Array(query.utf8)))
    engine.runTurn()
  }

  var session: EngineSession? { engine.live[file.ident] }

  var downloads: [DownloadMessage] {
    channel.received.compactMap { if case .download(let message) = $0 { message } else { nil } }
  }

  /// What came behind the first messages.
  func instructions(after count: Int) throws -> [Instruction] {
    try channel.received.dropFirst(count).flatMap { message in
      guard case .download(let download) = message else { return [] as [Instruction] }
      return try download.entries.flatMap { try ChangesetCodec.decode($0.changeset).instructions }
    }
  }

  private init(_ channel: RecordingChannel, _ file: SaltedFileIdent, _ engine: SyncEngine) {
    self.channel = channel
    self.file = file
    self.engine = engine
  }

  /// Connects once more with the same file, which has everything that has come so far.
  func comeBack(to harness: Harness, _ userID: String, _ query: String) throws -> RecordingChannel {
    let progress = try #require(downloads.last?.progress)
    return try reconnected(to: harness, userID, query, .newest, progress).channel
  }

  /// Connects once more with the same file, which has its first query set.
  func reconnected(
    to harness: Harness,
    _ userID: String,
    _ query: String,
    _ version: SyncProtocolVersion,
    _ progress: SyncProgress
  ) throws -> DirectClient {
    let channel = RecordingChannel()
    try #require(harness.server.apps[Harness.appID]).accept(channel, version: version, userID: userID)
    channel.put(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: false)))
    channel.put(
      .ident(
        IdentMessage(
          session: 1,
          file: file,
          download: progress.download,
          latest: progress.latest,
          queryVersion: 1,
          queryBody: Array(query.utf8)
        )
      )
    )
    return DirectClient(channel, file, engine)
  }

  /// Asks for a query set.
  func ask(for query: String, version: QueryVersion) {
    channel.put(.query(session: 1, queryVersion: version, body: Array(query.utf8)))
  }

  /// Lets the server work.
  func turn() { engine.runTurn() }

  /// Takes what waits for the client.
  func read() {
    channel.isWritable = true
    channel.onWritable?()
  }

  /// Uploads a change that is based on everything received.
  ///
  /// - Parameter other: a newer connection of the client, if it has one.
  func upload(_ instructions: [Instruction], version: ClientVersion, over other: RecordingChannel? = nil) {
    upload(changesets: [instructions], version: version, over: other)
  }

  /// Uploads changes with consecutive versions in one message.
  func upload(
    changesets: [[Instruction]],
    version: ClientVersion,
    over other: RecordingChannel? = nil,
    timestamp: UInt64 = 1_000_000
  ) {
    let server = downloads.last?.progress.download.serverVersion ?? 0
    let entries = zip(version..., changesets).map { version, instructions in
      UploadEntry(
        clientVersion: version,
        serverVersion: server,
        timestamp: timestamp + version,
        changeset: ChangesetCodec.encode(instructions)
      )
    }
    let last = entries.last?.clientVersion ?? version
    (other ?? channel).put(
      .upload(
        UploadMessage(
          session: 1,
          progress: UploadCursor(clientVersion: last, serverVersion: server),
          lockedServerVersion: server,
          entries: entries
        )
      )
    )
  }
}
