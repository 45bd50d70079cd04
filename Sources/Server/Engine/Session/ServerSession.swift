// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The server's side of one bound session: which messages are legal, and in which order answers go out
/// (protocol §3.4, §4.7).
struct ServerSession: Sendable {
  typealias Effect = ServerConnection.Effect

  enum State: Hashable, Sendable {
    /// BIND asked for a file ident.
    case identWanted
    /// IDENT is awaited; the file, if we allocated it in this binding.
    case bound(SaltedFileIdent?)
    /// The host looks at the IDENT.
    case identifying
    case active
    /// The client reported an error; it sends nothing but UNBIND any more.
    case clientFailed
    /// We sent an error: everything is swallowed until UNBIND, and nothing is sent.
    case errored
  }

  let key: SessionKey
  let options: BindOptions
  var state: State
  /// The file of the IDENT.
  var fileIdent: FileIdent?
  /// Messages that came before the host had answered IDENT.
  var inbox: [ClientMessage] = []

  // What the client said.
  var uploadProgress = UploadCursor.start
  var lockedServerVersion: ServerVersion = 0
  var lastMark: MarkIdent = 0
  var newestQuery: QueryVersion = 0

  // What we owe.
  /// Uploads that the host has not integrated: the newest version up to each that has changesets, and whether it had any.
  var outstandingUploads: [(clientVersion: ClientVersion, hasEntries: Bool)] = []
  /// Sets that are neither bootstrapped nor refused, in ascending order.
  var outstandingQueries: [QueryVersion] = []
  /// MARKs that are not answered, with the newest upload and query before each.
  var marks: [WaitingMark] = []
  var owesUploadAcknowledgement = false
  var catchUp = CatchUp.none

  // What we sent.
  var integrated = UploadCursor.start
  var sent = SyncProgress.start
  var currentQuery: QueryVersion = 0
  /// The set whose bootstrap has begun and not ended, and whether an entry was sent.
  var bootstrap: (version: QueryVersion, hasEntries: Bool)?
  var hasSentDownload = false

  enum CatchUp: Hashable, Sendable {
    case none
    /// The host was asked to deliver everything.
    case asked
    /// The host was asked, and something happened since: ask again.
    case askedWithMoreToCome
  }

  struct WaitingMark: Hashable, Sendable {
    let request: MarkIdent
    let uploadClientVersion: ClientVersion
    let query: QueryVersion
    /// Whether the catch-up that is being waited for was asked after all conditions held.
    var isCovered = false
  }

  init(key: SessionKey, options: BindOptions, needsFileIdent: Bool) {
    self.key = key
    self.options = options
    state = needsFileIdent ? .identWanted : .bound(nil)
  }

  var session: SessionIdent { key.session }

  /// Whether another session must not use the same file.
  var occupiesFile: Bool {
    switch state {
    case .identifying, .active, .clientFailed: true
    case .identWanted, .bound, .errored: false
    }
  }
}
