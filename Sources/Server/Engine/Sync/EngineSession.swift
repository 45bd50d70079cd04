// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The connection of a session, as the engine sees it.
protocol EngineSessionPeer: AnyObject {
  /// Tells the protocol's state machine what the engine has done.
  func post(_ event: ServerConnection.Event)
  /// Ends the whole connection without a word, so that the client connects again.
  func drop()
  /// Stops reading the connection until a session is released, or has ended.
  func hold(_ session: SessionKey)
  func release(_ session: SessionKey)
  /// Whether little enough is waiting to be sent.
  var isWritable: Bool { get }
}

/// One session of a connection: what has been delivered of its file's stream.
final class EngineSession {
  let key: SessionKey
  let userID: String
  let isClientReset: Bool
  /// Whether the client takes bootstraps that it has not asked for (protocol §4.9).
  let takesServerBootstraps: Bool
  private(set) weak var peer: (any EngineSessionPeer)?
  /// Whether the session has failed in the transaction that is under way: nothing of it goes in any more.
  private(set) var isEnding = false

  /// The file, from IDENT on.
  var file: LiveFile?
  /// What has been delivered.
  var cursor = DownloadCursor.start
  /// How far the client has come in catching up with its stream.
  var catchUp = CatchUpProgress()
  /// The latest server version that the client knew of when it came. What it is told must not be older.
  var presentedVersion: ServerVersion = 0
  /// The query set in force at that point of the stream.
  var queryVersion: QueryVersion = 0
  /// Whether the state machine waits to hear that everything is delivered.
  var wantsCatchUp = false
  /// How many bootstraps may wait for being delivered: each reads from a snapshot of its own.
  static let maximumPreparedBootstraps = 32
  /// The content of bootstraps that are placed and not delivered yet, by their version: pinned when they were placed.
  var preparedBootstraps: [ServerVersion: BootstrapReader] = [:]
  /// The bootstrap that is being delivered.
  var bootstrap: BootstrapTransmission?

  init(
    key: SessionKey,
    userID: String,
    isClientReset: Bool,
    takesServerBootstraps: Bool = true,
    peer: any EngineSessionPeer
  ) {
    self.key = key
    self.userID = userID
    self.isClientReset = isClientReset
    self.takesServerBootstraps = takesServerBootstraps
    self.peer = peer
  }

  /// Takes nothing more of the session. What it is due is still told.
  func beginEnding() { isEnding = true }

  /// Cuts the session off: nothing goes in or out any more.
  func detach() {
    peer = nil
    bootstrap = nil
    preparedBootstraps = [:]
  }

  var isAttached: Bool { peer != nil && !isEnding }

  /// Whether it reads from a snapshot of the store, or is about to.
  var holdsSnapshot: Bool { bootstrap != nil || !preparedBootstraps.isEmpty }
}

/// How much a client has been sent of what there was for it when it began to catch up, and of what has come since.
struct CatchUpProgress {
  private var start: ServerVersion = 0
  private var end: ServerVersion = 0
  /// The estimate in the newest DOWNLOAD, 0…1.
  private(set) var estimate = 1.0

  /// Whether the client waits for more, as far as it was told.
  var isUnfinished: Bool { estimate < 1 }

  mutating func advance(from old: ServerVersion, to new: ServerVersion, of head: ServerVersion) {
    if old >= end { start = old }
    end = head
    estimate = new >= head ? 1 : Double(new - start) / Double(head - start)
  }
}

/// A bootstrap under way.
struct BootstrapTransmission {
  let version: ServerVersion
  let base: ClientVersion
  let timestamp: UInt64
  let originFileIdent: FileIdent
  let queryVersion: QueryVersion
  let reader: BootstrapReader
}
