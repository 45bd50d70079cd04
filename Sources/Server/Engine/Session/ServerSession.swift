// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The server side of one bound session: decides which messages are legal, and in which order answers are sent
/// (protocol §3.4, §4.7).
struct ServerSession: Sendable {
  typealias Effect = ServerConnection.Effect

  enum State: Hashable, Sendable {
    /// BIND requested a file ident; the host has not allocated it yet.
    case identWanted
    /// The session awaits IDENT. Holds the file if one was allocated in this binding.
    case bound(SaltedFileIdent?)
    /// The host is checking the IDENT.
    case identifying
    case active
    /// The client reported an error and will send nothing but UNBIND.
    case clientFailed
    /// The server sent an error. It ignores all messages until UNBIND and sends nothing.
    case errored
  }

  let key: SessionKey
  let options: BindOptions
  let limits: MessageLimits
  var state: State
  /// The effects of the event that is being processed, in order.
  var effects: [Effect] = []
  /// The file named in IDENT.
  var fileIdent: FileIdent?
  /// Messages that arrived before the host had answered IDENT.
  var inbox: [ClientMessage] = []

  // State reported by the client.
  var uploadProgress = UploadCursor.start
  var lockedServerVersion: ServerVersion = 0
  var lastMark: MarkIdent = 0
  var newestQuery: QueryVersion = 0

  // Answers that the server owes.
  /// Uploads that the host has not integrated yet: the newest client version up to each upload that has changesets,
  /// and whether the upload itself had any.
  var outstandingUploads: [(clientVersion: ClientVersion, hasEntries: Bool)] = []
  /// Subscription sets that are neither bootstrapped nor refused, in ascending order.
  var outstandingQueries: [QueryVersion] = []
  /// Unanswered MARKs, with the newest upload and query before each.
  var marks: [WaitingMark] = []
  var owesUploadAcknowledgement = false
  var catchUp = CatchUp.none

  // State sent to the client.
  var integrated = UploadCursor.start
  var sent = SyncProgress.start
  var currentQuery: QueryVersion = 0
  /// The subscription set whose bootstrap is in progress, and whether any of its entries has been sent.
  var bootstrap: (version: QueryVersion, hasEntries: Bool)?
  var hasSentDownload = false

  /// Whether so much waits that no more should be read: any message before the answer to IDENT, since each may be large,
  /// or more requests than an app makes.
  var isFull: Bool {
    !inbox.isEmpty || marks.count + outstandingUploads.count > ServerSession.maximumWaitingCount
  }

  private static let maximumWaitingCount = 100

  enum CatchUp: Hashable, Sendable {
    case none
    /// The host was asked to deliver everything.
    case asked
    /// The host was asked, and something has happened since; ask again.
    case askedWithMoreToCome
  }

  struct WaitingMark: Hashable, Sendable {
    let request: MarkIdent
    let uploadClientVersion: ClientVersion
    let query: QueryVersion
    /// Whether the pending catch-up was requested after all conditions of the MARK were met.
    var isCovered = false
  }

  init(key: SessionKey, options: BindOptions, needsFileIdent: Bool, limits: MessageLimits) {
    self.key = key
    self.options = options
    self.limits = limits
    state = needsFileIdent ? .identWanted : .bound(nil)
  }

  var session: SessionIdent { key.session }

  /// Whether the session prevents others on the connection from using its file.
  var occupiesFile: Bool {
    switch state {
    case .identifying, .active, .clientFailed: true
    case .identWanted, .bound, .errored: false
    }
  }
}
