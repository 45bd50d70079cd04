// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncRules
import FlexSyncServerStore
import FlexSyncWire

/// Resumes the stream of a client file where the client left off (protocol §3.4, §5.3). Must be used inside a write.
struct StreamResumption {
  let writer: StreamWriter
  let salt: StreamSalt
  /// See `HistoryFloor`.
  let historyFloor: UInt64
  /// The user's current permissions.
  let permissions: Permissions
  /// Files last seen before this time have expired; in seconds since 1970.
  let oldestLastSeen: Int64
  /// Returns a file by its ident, if a session is bound to it.
  let liveFile: (UInt64) -> LiveFile?
  /// Whether work can continue with what it has placed beyond the end of a stream.
  let canResume: (LiveFile) -> Bool
  /// Drops what such work has placed.
  let cancelWork: (LiveFile) throws -> Void

  /// The number of query sets beyond which a client that keeps batches of them has to start over.
  static let maximumKeptSetCount = 32

  private var store: ServerStore { writer.store }
  private var schema: AppSchema { writer.schema }

  /// Opens a file, with its stream at the point that the client has reached. The caller must still change the view
  /// from what the user could see when the client was last connected to what the user may see now (`ViewChangeWork`),
  /// and the query set that the stream follows to the one that the client has (`LiveFile.view`).
  ///
  /// - Throws: `SessionFailure` if the session cannot continue.
  func open(_ message: IdentMessage, session: EngineSession) throws -> LiveFile {
    guard let record = try store.file(ident: message.file.ident) else { throw unknownFile(message) }
    let file = LiveFile(
      record: record,
      view: try view(record.query, record.permissions),
      permissions: permissions
    )
    // Each client numbers its subscription sets itself. After a client reset, it presents the file that a fresh copy
    // was downloaded with, where the same set had another number.
    file.record.queryVersion = message.queryVersion
    // Clients that take bootstraps from the server drop batches when the purge comes. The others do not ask again for
    // sets that are older than the active one.
    if session.takesServerBootstraps {
      try store.forgetKeptBatches(file: file.ident)
    } else {
      try store.forgetKeptBatches(file: file.ident, through: message.queryVersion)
    }
    if message.download.serverVersion == 0 {
      try startOver(file)
    } else {
      let delivered = message.download.serverVersion
      if let (version, record) = try store.firstBootstrap(file: file.ident, after: delivered) {
        var bootstrap = record
        if !session.takesServerBootstraps, bootstrap.queryVersion != message.queryVersion {
          try noteKeptBatches(&bootstrap, version, file)
        }
        try noteUnfinished(bootstrap, version, after: delivered, file)
      }
      if !canResume(file) { try cancelWork(file) }
    }
    return file
  }

  /// Notes a bootstrap that the client does not have in full. When the session's view changes, the bootstrap is
  /// rolled back or replaced.
  private func noteUnfinished(
    _ record: BootstrapRecord,
    _ version: UInt64,
    after delivered: UInt64,
    _ file: LiveFile
  ) throws {
    guard record.neededVersion >= historyFloor, !showsOthersPart(record, after: delivered, file) else {
      throw SessionFailure.historyIsGone
    }
    let isKept = record.queryVersion == file.record.queryVersion || record.begun != BegunViews.noText
    do {
      let bootstrap = try UnfinishedBootstrap(version: version, record: record, isKept: isKept)
      guard !bootstrap.isTooLarge else { throw SessionFailure.historyIsGone }
      _ = try schema.held(after: bootstrap)
      file.unfinished = bootstrap
    } catch let refusal as QuerySetRefusal {
      throw try schema.failure(of: refusal, body: record.oldQuery)
    }
  }

  /// Notes what the client may have kept of the bootstrap of a set that it asked for. What it had kept before is then
  /// no longer a matter of this bootstrap: until the client asks again, it has the view from before.
  ///
  /// - Throws: `SessionFailure` if the client has to start over, because too much was noted.
  private func noteKeptBatches(_ record: inout BootstrapRecord, _ version: UInt64, _ file: LiveFile) throws {
    let bootstrap = try UnfinishedBootstrap(version: version, record: record, isKept: true)
    guard !bootstrap.isTooLarge else { throw SessionFailure.historyIsGone }
    let isKnown = try store.keptBatches(file: file.ident, queryVersion: record.queryVersion) != nil
    guard try isKnown || store.keptBatchesCount(file: file.ident) < StreamResumption.maximumKeptSetCount
    else { throw SessionFailure.historyIsGone }
    try store.noteKeptBatches(of: record, begun: bootstrap.begun.text, file: file.ident)
    record.begun = BegunViews.noText
    record.neededVersion = record.placedVersion
  }

  /// Whether a bootstrap starts from the view of another user, whose file the client has copied. Such a bootstrap
  /// spared the objects that had never been sent when it was placed, and it is no longer known which those were.
  private func showsOthersPart(_ bootstrap: BootstrapRecord, after version: UInt64, _ file: LiveFile) -> Bool
  {
    guard file.record.sourceSalt != nil, version == file.record.trimmedVersion else { return false }
    let own = ViewPermissions(permissions, of: file.view.queriedClassNames).text
    return ![own, bootstrap.permissions].contains { UTF8Order.areEqual($0, bootstrap.oldPermissions) }
  }

  private func view(_ query: String, _ permissions: String) throws -> View {
    do throws(QuerySetRefusal) {
      return try schema.view(body: query, permissions: permissions)
    } catch {
      throw try schema.failure(of: error, body: query)
    }
  }

  /// Checks the client's identity and cursors.
  ///
  /// - Parameter record: the current record of the file, if it is live.
  /// - Throws: `SessionFailure` if the client has to start over with a new file.
  func check(_ message: IdentMessage, userID: String, record: ClientFileRecord?) throws {
    guard var record = try record ?? store.file(ident: message.file.ident) else { throw unknownFile(message) }
    guard record.salt == message.file.salt else {
      throw SessionFailure.reset(
        .badClientFileIdent,
        "Bad client file identifier (IDENT): the salt of file \(message.file.ident) differs"
      )
    }
    guard record.userID == userID else {
      throw SessionFailure.reset(
        .userMismatch,
        "User mismatch (IDENT): file \(record.ident) belongs to another user"
      )
    }
    guard record.lastSeen >= oldestLastSeen else {
      throw SessionFailure.reset(
        .clientFileExpired,
        "Client file expired (IDENT): file \(record.ident) has not connected for too long"
      )
    }
    if record.streamHead == 0, message.download.serverVersion > 0 { try adopt(message, &record) }
    try checkCursors(message, record)
    guard record.placedVersion >= historyFloor || record.query == View.emptyBody else {
      throw SessionFailure.historyIsGone
    }
  }

  /// Makes a new file continue from the file whose state the client has copied. Realm files that are copied to other
  /// devices request an ident of their own and keep their cursors; for years, clients also did so after a reset.
  ///
  /// The original must not have uploaded any changes: those made after the copy was taken would be missing from it,
  /// and it cannot be determined which they are. Entries placed for another user must not be delivered to this one.
  private func adopt(_ message: IdentMessage, _ record: inout ClientFileRecord) throws {
    guard let sourceSalt = salt.fileSalt(of: message.latest), let source = try store.file(salt: sourceSalt)
    else { throw cannotGoOn(message) }
    var origin = source
    if let live = liveFile(source.ident) {
      origin = live.record
      origin.placedVersion = writer.views.placedVersion(of: live)
    }
    let version = message.download.serverVersion
    guard !origin.hasWritten, version >= origin.trimmedVersion, version <= origin.streamHead,
      version == origin.streamHead || origin.userID == record.userID
    else { throw cannotGoOn(message) }
    try store.copyStream(of: origin.ident, after: version, through: origin.streamHead, to: record.ident)
    record.streamHead = origin.streamHead
    record.trimmedVersion = version
    record.placedVersion = origin.placedVersion
    record.declarationCount = origin.declarationCount
    record.query = origin.query
    record.permissions = origin.permissions
    record.passedPermissions =
      try origin.userID == record.userID ? origin.passedPermissions : nothingSeen(since: origin)
    record.sourceSalt = sourceSalt
    try store.update(record)
  }

  /// Returns passed permissions under which nothing has been visible since the end of the original's stream. What
  /// follows that end must not be sent to another user, whatever that user was allowed to see at the time.
  private func nothingSeen(since origin: ClientFileRecord) throws -> String {
    let view = try writer.schema.view(body: origin.query, permissions: origin.permissions)
    let nothing = ViewPermissions(Permissions(classes: [:]), of: view.queriedClassNames).text
    var passed = try PassedPermissions(text: PassedPermissions.noText)
    passed.note(nothing, since: origin.placedVersion, after: origin.permissions, nothing: nothing)
    return passed.text
  }

  private func cannotGoOn(_ message: IdentMessage) -> SessionFailure {
    .reset(
      .badServerVersion,
      "Bad server version (IDENT): file \(message.file.ident) is new, and its version "
        + "\(message.download.serverVersion) belongs to another file, which this server cannot continue"
    )
  }

  /// Whether a client may know of a version that was sent before the salt of this server's data was changed.
  private func wasKnown(_ latest: LatestServerVersion, to record: ClientFileRecord) throws -> Bool {
    try store.formerSalts(file: record.ident, version: latest.serverVersion).contains {
      StreamSalt(serverSalt: $0).isKnown(latest, to: record)
    }
  }

  /// Checks that the client does not know more than the server. Otherwise, it was served by a later state of the
  /// server, before a backup was restored. Continuing would silently lose what happened in between.
  private func checkCursors(_ message: IdentMessage, _ record: ClientFileRecord) throws {
    let latest = message.latest
    guard try latest.serverVersion == 0 || salt.isKnown(latest, to: record) || wasKnown(latest, to: record)
    else {
      throw SessionFailure.reset(
        .divergingHistories,
        "Diverging histories (IDENT): the salt of server version \(latest.serverVersion) belongs to another server"
      )
    }
    guard latest.serverVersion <= record.streamHead else {
      throw SessionFailure.reset(
        .badServerVersion,
        "Bad server version (IDENT): \(latest.serverVersion) is behind the newest, \(record.streamHead)"
      )
    }
    let version = message.download.serverVersion
    guard version <= record.streamHead, version >= record.trimmedVersion else {
      throw SessionFailure.reset(
        .badServerVersion,
        "Bad server version (IDENT): \(version) is not between \(record.trimmedVersion) and \(record.streamHead)"
      )
    }
    guard message.download.clientVersion <= record.uploadClientVersion else {
      throw SessionFailure.reset(
        .badClientVersion,
        "Bad client version (IDENT): \(message.download.clientVersion) has not been integrated"
      )
    }
  }

  private func unknownFile(_ message: IdentMessage) -> SessionFailure {
    .reset(
      .badClientFileIdent,
      "Bad client file identifier (IDENT): this server has no file \(message.file.ident)"
    )
  }

  /// Starts the stream over. A client that has seen nothing receives the bootstrap of the empty set, a second time if
  /// necessary.
  private func startOver(_ file: LiveFile) throws {
    try store.dropStream(file: file.ident, from: 0)
    file.record.declarationCount = 0
    file.record.passedPermissions = PassedPermissions.noText
    file.follow(try view(View.emptyBody, ViewPermissions.unrestrictedText))
    try writer.placeInitialBootstrap(in: file)
  }
}
