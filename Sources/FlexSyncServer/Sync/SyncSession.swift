// SPDX-License-Identifier: Apache-2.0

import FlexSyncProtocol
import FlexSyncStorage

/// Where a session's messages go.
protocol SyncSessionPeer: AnyObject {
  /// Sends a message of the session.
  func send(_ message: ServerMessage, for session: SyncSession)
  /// Ends the session with an error; nothing is sent for it any more.
  func fail(_ session: SyncSession, _ failure: SessionFailure)
  /// Ends the whole connection without a word, so that the client connects again.
  func drop()
  /// Whether little enough is waiting to be sent.
  var isWritable: Bool { get }
}

/// One session of a connection, from BIND on: what has been sent of its file's stream.
final class SyncSession {
  let ident: SessionIdent
  let userID: String
  let isClientReset: Bool
  private(set) weak var peer: (any SyncSessionPeer)?

  /// The file, from IDENT on.
  var file: LiveFile?
  /// What the client has been sent.
  var cursor = DownloadCursor.start
  /// What the last message has told about the upload cursor.
  var needsAcknowledgement = false
  var hasSentDownload = false
  /// MARKs that wait until everything is sent.
  var pendingMarks: [MarkIdent] = []
  /// The content of bootstraps that are placed and not sent yet, by their version: pinned when they were placed.
  var preparedBootstraps: [ServerVersion: BootstrapReader] = [:]
  /// The bootstrap that is being sent.
  var bootstrap: BootstrapTransmission?

  init(ident: SessionIdent, userID: String, isClientReset: Bool, peer: any SyncSessionPeer) {
    self.ident = ident
    self.userID = userID
    self.isClientReset = isClientReset
    self.peer = peer
  }

  /// Cuts the session off: nothing goes in or out any more.
  func detach() {
    peer = nil
    bootstrap = nil
    preparedBootstraps = [:]
  }

  var isAttached: Bool { peer != nil }
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
