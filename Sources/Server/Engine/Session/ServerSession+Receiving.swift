// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerSupport
import FlexSyncWire

/// Processing of client messages. A thrown error ends the connection; session errors are sent by `fail(_:_:_:)`.
extension ServerSession {
  /// Processes a message other than BIND, UNBIND and PING.
  mutating func receive(_ message: ClientMessage) throws(ProtocolError) {
    if state == .errored { return }
    if state == .identifying {
      inbox.append(message)
      return
    }
    switch message {
    case .ident(let ident): try receive(ident)
    case .query(_, let version, let body): try receiveQuery(version, body)
    case .upload(let upload): try receive(upload)
    case .mark(_, let request): try receiveMark(request)
    case .error(_, let code, let message): try receiveError(code, message)
    case .testCommand(_, let request, _):
      effects.append(.send(.testCommand(session: session, request: request, body: "{}")))
    case .bind, .unbind, .ping: break
    }
  }

  private mutating func receive(_ message: IdentMessage) throws(ProtocolError) {
    guard case .bound(let allocated) = state else { throw badOrder("IDENT") }
    guard message.file.ident != 0 else {
      return fail(.badClientFileIdent, .reset("IDENT with file ident 0"))
    }
    if let allocated, allocated != message.file {
      return fail(.badClientFileIdent, .reset("IDENT names another file than the one allocated"))
    }
    if let refusal = refusal(ofQuerySize: message.queryBody.count) {
      return fail(.badQuery, .bug("Bad query in IDENT: \(refusal)"))
    }
    let queries: QuerySet
    do throws(QuerySetError) {
      queries = try QuerySet(body: message.queryBody)
    } catch {
      return fail(.badQuery, .bug("Bad query in IDENT: \(error)"))
    }
    state = .identifying
    fileIdent = message.file.ident
    sent = SyncProgress(download: message.download, upload: .start, latest: message.latest)
    newestQuery = message.queryVersion
    currentQuery = message.queryVersion
    effects.append(.identify(key, message, options, queries))
  }

  private mutating func receiveQuery(_ version: QueryVersion, _ body: [UInt8]) throws(ProtocolError) {
    guard state == .active else { throw badOrder("QUERY") }
    guard version > newestQuery else {
      let reason = "QUERY \(version) in session \(session) is not newer than \(newestQuery)"
      throw ProtocolError(.badMessageOrder, reason)
    }
    newestQuery = version
    if let refusal = refusal(ofQuerySize: body.count) {
      let answer = queryError(version, .limitsExceeded, "LimitsExceeded: \(refusal)")
      return effects.append(.send(answer))
    }
    do throws(QuerySetError) {
      let queries = try QuerySet(body: body)
      outstandingQueries.append(version)
      effects.append(.changeQuery(key, version, queries))
    } catch {
      effects.append(.send(queryError(version, .badQuery, "\(error)")))
    }
  }

  private mutating func receive(_ message: UploadMessage) throws(ProtocolError) {
    guard state == .active else { throw badOrder("UPLOAD") }
    if let failure = uploadFailure(message) { return fail(failure.code, .reset(failure.message)) }
    uploadProgress = message.progress
    lockedServerVersion = message.lockedServerVersion
    // After a lost connection, the client sends changesets again that are already integrated (protocol §3.4).
    var remaining = message
    remaining.entries.removeAll { $0.clientVersion <= integrated.clientVersion }
    // An upload without changesets need not advance the client version.
    let hasEntries = !message.entries.isEmpty
    let version = hasEntries ? message.progress.clientVersion : outstandingUploads.last?.clientVersion ?? 0
    outstandingUploads.append((clientVersion: version, hasEntries: hasEntries))
    effects.append(.integrateUpload(key, remaining))
  }

  private mutating func receiveMark(_ request: MarkIdent) throws(ProtocolError) {
    guard state == .active else { throw badOrder("MARK") }
    guard request > lastMark else {
      throw ProtocolError(.badMessageOrder, "MARK \(request) in session \(session) after MARK \(lastMark)")
    }
    lastMark = request
    marks.append(
      WaitingMark(
        request: request,
        uploadClientVersion: outstandingUploads.last?.clientVersion ?? 0,
        query: newestQuery
      )
    )
    settle()
  }

  private mutating func receiveError(_ code: ErrorCode, _ message: String) throws(ProtocolError) {
    guard state == .active else { throw badOrder("JSON_ERROR") }
    state = .clientFailed
    effects.append(.clientFailed(key, code, message: message))
  }

  private func badOrder(_ name: String) -> ProtocolError {
    ProtocolError(.badMessageOrder, "\(name) at the wrong time in session \(session)")
  }

  /// Returns the refusal of subscriptions that are too long to be read; nil if they are not.
  private func refusal(ofQuerySize byteCount: Int) -> String? {
    guard byteCount > limits.queryByteCount else { return nil }
    return
      "the subscriptions have \(byteCount) bytes; the server accepts at most \(limits.queryByteCount). Use fewer "
      + "or shorter subscriptions"
  }

  /// Returns the refusal of a subscription set. It can quote the client, but not at any length.
  func queryError(_ version: QueryVersion, _ code: ErrorCode, _ message: String) -> ServerMessage {
    .queryError(
      session: session,
      code: code,
      queryVersion: version,
      message: ShortenedText.cut(message)
    )
  }
}

// MARK: Checks of UPLOAD

extension ServerSession {
  private typealias UploadFailure = (code: ErrorCode, message: String)

  /// Returns the error in the cursors of an UPLOAD (protocol §3.4); nil if they are valid.
  private func uploadFailure(_ message: UploadMessage) -> UploadFailure? {
    let progress = message.progress
    if progress.clientVersion < uploadProgress.clientVersion {
      return (.badClientVersion, "Bad progress in UPLOAD: the client version decreases")
    }
    if progress.serverVersion < uploadProgress.serverVersion {
      return (.badServerVersion, "Bad progress in UPLOAD: the server version decreases")
    }
    if progress.clientVersion == 0 && progress.serverVersion > 0 {
      return (.badServerVersion, "Bad progress in UPLOAD: a server version without a client version")
    }
    if progress.serverVersion > sent.download.serverVersion {
      return (
        .badServerVersion, "Bad progress in UPLOAD: server version \(progress.serverVersion) was never sent"
      )
    }
    if message.lockedServerVersion < lockedServerVersion
      || message.lockedServerVersion > sent.download.serverVersion
    {
      return (.badServerVersion, "Bad locked server version \(message.lockedServerVersion) in UPLOAD")
    }
    return entryFailure(message)
  }

  private func entryFailure(_ message: UploadMessage) -> UploadFailure? {
    var clientVersion = uploadProgress.clientVersion
    var serverVersion: ServerVersion = 0
    for entry in message.entries {
      guard entry.clientVersion > clientVersion, entry.clientVersion <= message.progress.clientVersion else {
        return (.badClientVersion, "Client version \(entry.clientVersion) of a changeset is out of order")
      }
      guard entry.serverVersion >= serverVersion, entry.serverVersion <= message.progress.serverVersion else {
        return (.badServerVersion, "Server version \(entry.serverVersion) of a changeset is out of order")
      }
      clientVersion = entry.clientVersion
      serverVersion = entry.serverVersion
    }
    return nil
  }
}

extension ErrorInfo {
  /// An error that requires a client reset.
  static func reset(_ message: String) -> ErrorInfo {
    ErrorInfo(message: message, action: .clientReset, tryAgain: false)
  }

  /// An error that the app's developer must fix.
  static func bug(_ message: String) -> ErrorInfo {
    ErrorInfo(message: message, action: .applicationBug, tryAgain: false)
  }
}
