// SPDX-License-Identifier: Apache-2.0

import FlexSyncRules
import FlexSyncWire

/// The connection of a session, as the engine sees it.
protocol EngineSessionPeer: AnyObject {
  /// Reports to the protocol's state machine what the engine has done.
  func post(_ event: ServerConnection.Event)
  /// Drops the entire connection without a message, so that the client reconnects.
  func drop()
  /// Stops reading from the connection until a session is released or has ended.
  func hold(_ session: SessionKey)
  func release(_ session: SessionKey)
  /// Counts a query set that the client asks for by connecting with it.
  func countQuery()
  /// Whether the connection has little enough left to send.
  var isWritable: Bool { get }
}

/// A session of a connection, and how much of its file's stream has been delivered.
final class EngineSession {
  let key: SessionKey
  let userID: String
  let isClientReset: Bool
  /// Whether the client accepts bootstraps that it has not requested (protocol §4.9).
  let takesServerBootstraps: Bool
  private(set) weak var peer: (any EngineSessionPeer)?
  /// Whether the session has failed in the current transaction. It then accepts no further input.
  private(set) var isEnding = false

  /// The client file; nil until IDENT has been handled.
  var file: LiveFile?
  /// The ident in IDENT, for the log and the records; a refused session has no other.
  var presentedFile: UInt64?
  /// The point of the stream up to which everything has been delivered.
  var cursor = DownloadCursor.start
  /// The client's progress in catching up with its stream.
  var catchUp = CatchUpProgress()
  /// The latest server version that the client knew when it connected. The server must not report an older one.
  var presentedVersion: ServerVersion = 0
  /// The version of the query set in force at the point of the stream that `cursor` denotes.
  var queryVersion: QueryVersion = 0
  /// Whether the state machine waits for the confirmation that everything is delivered.
  var wantsCatchUp = false
  /// The number of bootstraps under way, each with a snapshot of its own, with which a session waits for its next.
  static let maximumSnapshotCount = 8
  /// The readers of bootstraps that are placed but not delivered yet, by stream version. Each has pinned its snapshot
  /// since its bootstrap was placed.
  var preparedBootstraps: [ServerVersion: BootstrapReader] = [:]
  /// Whether the session waits for the bootstrap of a query set that it has requested, because too many others are being
  /// read. Until then, nothing more is placed for it, and none of its requests are performed.
  var isInLine = false
  /// The session's number in the line, which it keeps until its query set is placed.
  var numberInLine: UInt64?
  /// The bootstrap that is being delivered.
  var bootstrap: BootstrapTransmission?
  /// Whether some of what was due is left since the session's last part of a turn.
  var isBehind = false
  /// The number of the last part of a turn in which the session could deliver (`SyncEngine.partCount`).
  var lastPart: UInt64 = 0
  /// The number of batches of bootstraps that have been sent.
  var batchCount = 0
  /// The refused query sets of which the client has not been told, in order.
  private(set) var refusals: [PlacedRefusal] = []

  /// The errors about rejected writes that precede the next entries, and the version up to whose entries they were
  /// taken from the stream.
  private var errors: ArraySlice<ErrorInfo> = []
  private var erroredVersion: ServerVersion = 0

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

  /// Stops accepting input from the session. It stays connected until the transaction is durable, so that the client
  /// can still receive what it is due (`SyncEngine.end`).
  func beginEnding() { isEnding = true }

  /// Cuts the session off, so that it has no further input or output.
  func detach() {
    peer = nil
    bootstrap = nil
    preparedBootstraps = [:]
    refusals = []
    errors = []
  }

  /// Notes the errors of an entry of the stream, unless that is done.
  func add(_ errors: (ServerVersion) throws -> [ErrorInfo], of version: ServerVersion) rethrows {
    guard version > erroredVersion else { return }
    self.errors += try errors(version)
    erroredVersion = version
  }

  /// Sends errors that were added, at least one, as long as the connection accepts more and the budget suffices.
  ///
  /// - Returns: Whether all are sent.
  func sendErrors(_ meter: TurnMeter) -> Bool {
    while let error = errors.popFirst() {
      peer?.post(.compensatingWrite(key, error))
      meter.count(bytes: error.rejectedUpdates.reduce(0) { $0 + $1.reason.utf8.count + $1.text.utf8.count })
      guard errors.isEmpty || (peer?.isWritable == true && !meter.isExhausted) else { return false }
    }
    return true
  }

  /// Gives the refusal of a query set its place in the stream.
  func place(_ refusal: QuerySetRefusal, of version: QueryVersion) {
    let streamVersion = file?.record.streamHead ?? 0
    refusals.append(PlacedRefusal(streamVersion: streamVersion, queryVersion: version, refusal: refusal))
  }

  /// Tells the client of the refusals that are due after what it has been sent.
  func tellDueRefusals() {
    guard let file, bootstrap == nil else { return }
    // No refusal waits for more than the stream has.
    let delivered = cursor.serverVersion >= file.record.streamHead ? .max : cursor.serverVersion
    tellRefusals { $0.streamVersion <= delivered }
  }

  /// Tells the client of all refusals, since nothing follows.
  func tellAllRefusals() { tellRefusals { _ in true } }

  private func tellRefusals(while isDue: (PlacedRefusal) -> Bool) {
    while let first = refusals.first, isDue(first) {
      refusals.removeFirst()
      let refusal = first.refusal
      peer?.post(.queryFailed(key, first.queryVersion, code: refusal.code, message: refusal.message))
    }
  }

  var isAttached: Bool { peer != nil && !isEnding }

  /// Whether the session reads from a snapshot of the store, or is about to.
  var holdsSnapshot: Bool { bootstrap != nil || !preparedBootstraps.isEmpty }

  /// The number of snapshots that it reads from: a client may ask for further sets before it has the bootstrap of the first.
  var snapshotCount: Int { preparedBootstraps.count + (bootstrap == nil ? 0 : 1) }

  /// Whether other permissions show something else of a bootstrap that is not delivered in full, or of what precedes it.
  func isInterrupted(by permissions: Permissions) -> Bool {
    if let bootstrap, bootstrap.reader.isChanged(by: permissions) { return true }
    return preparedBootstraps.values.contains { $0.isChanged(by: permissions) }
  }

  /// Releases the memory that is needed only while bootstraps are read quickly.
  func releaseCaches() {
    bootstrap?.reader.releaseCache()
    for reader in preparedBootstraps.values { reader.releaseCache() }
  }
}

/// The progress of a client that is catching up: how much it has been sent of what was pending when it began, and of
/// what has been added since.
struct CatchUpProgress {
  private var start: ServerVersion = 0
  private var end: ServerVersion = 0
  /// The estimate in the newest DOWNLOAD, 0…1.
  private(set) var estimate = 1.0

  /// Whether the client expects more, according to the last estimate sent to it.
  var isUnfinished: Bool { estimate < 1 }

  mutating func advance(from old: ServerVersion, to new: ServerVersion, of head: ServerVersion) {
    if old >= end { start = old }
    end = head
    estimate = new >= head ? 1 : Double(new - start) / Double(head - start)
  }
}

/// The refusal of a query set. The client is told of it where the set's bootstrap would have come: after everything
/// that was placed before. Otherwise, the order of the two would tell how much the server had to do.
struct PlacedRefusal {
  /// The end of the stream when the set was refused.
  let streamVersion: ServerVersion
  let queryVersion: QueryVersion
  let refusal: QuerySetRefusal
}

/// A bootstrap in progress.
struct BootstrapTransmission {
  let version: ServerVersion
  let base: ClientVersion
  let timestamp: UInt64
  let originFileIdent: FileIdent
  let queryVersion: QueryVersion
  let reader: BootstrapReader
}
