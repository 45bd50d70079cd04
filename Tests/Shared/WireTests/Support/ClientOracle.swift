// SPDX-License-Identifier: Apache-2.0

@testable import FlexSyncWire

/// What realm-core's client would make of a server's messages: the rules of protocol §3.3, written independently of our
/// state machines.
struct ClientOracle {
  private struct Session {
    var wantsIdent: Bool
    var hasIdent: Bool
    var file: FileIdent = 0
    var hasFailed = false
    var sentUnbind = false
    var lastMarkSent: MarkIdent = 0
    var lastMarkReceived: MarkIdent = 0
    var pendingQueries: Set<QueryVersion> = []
    var activeQuery: QueryVersion = 0
    var progress = SyncProgress.start
    var hasDownload = false
    var bootstrapEntries = 0
  }

  private var sessions: [SessionIdent: Session] = [:]
  private var pings: [UInt64] = []

  mutating func clientSent(_ message: ClientMessage) {
    switch message {
    case .ping(let timestamp, _): pings.append(timestamp)
    case .bind(let bind):
      guard sessions[bind.session] == nil else { return }
      sessions[bind.session] = Session(wantsIdent: bind.needsFileIdent, hasIdent: false)
    case .ident(let ident): identify(ident)
    case .query(let session, let version, _): sessions[session]?.pendingQueries.insert(version)
    case .mark(let session, let request): sessions[session]?.lastMarkSent = request
    case .unbind(let ident):
      if sessions[ident]?.hasFailed == true {
        sessions[ident] = nil
      } else {
        sessions[ident]?.sentUnbind = true
      }
    case .upload, .error, .testCommand: break
    }
  }

  private mutating func identify(_ ident: IdentMessage) {
    guard sessions[ident.session]?.hasIdent == false else { return }
    sessions[ident.session]?.hasIdent = true
    sessions[ident.session]?.file = ident.file.ident
    sessions[ident.session]?.activeQuery = ident.queryVersion
    sessions[ident.session]?.progress.download = ident.download
    sessions[ident.session]?.progress.latest.serverVersion = ident.latest.serverVersion
  }

  /// What is wrong with the message; nil if nothing is.
  mutating func serverSent(_ message: ServerMessage) -> String? {
    guard let read = try? ServerMessage.decode(message.encode()), read == message else {
      return "does not survive the wire"
    }
    if case .pong(let timestamp) = message {
      guard let index = pings.firstIndex(of: timestamp) else { return "unsolicited" }
      pings.remove(at: index)
      return nil
    }
    if case .error(let error) = message, error.session == 0 {
      return error.code.fits(session: 0) && error.code.mayBeSentToClients
        ? nil : "an error that harms clients"
    }
    guard var session = sessions[message.session] else { return "no such session" }
    if session.hasFailed { return "the session has failed" }
    defer { if sessions[message.session] != nil { sessions[message.session] = session } }
    switch message {
    case .ident(_, let file):
      guard session.wantsIdent, !session.hasIdent, file.ident > 0, file.salt != 0 else {
        return "not asked for"
      }
      session.wantsIdent = false
    case .download(let download): return receive(download, &session)
    case .mark(_, let request):
      guard session.hasIdent, session.hasDownload else { return "before any DOWNLOAD" }
      guard request > session.lastMarkReceived, request <= session.lastMarkSent else {
        return "not asked for"
      }
      session.lastMarkReceived = request
    case .queryError(_, _, let version, _):
      guard session.pendingQueries.remove(version) != nil else { return "the set is not pending" }
    case .unbound:
      guard session.sentUnbind else { return "not asked for" }
      sessions[message.session] = nil
    case .error(let error):
      guard error.code.fits(session: error.session), error.code.mayBeSentToClients else {
        return "an error that harms clients"
      }
      session.hasFailed = error.code.endsSession
      if session.hasFailed && session.sentUnbind { sessions[message.session] = nil }
    case .log, .testCommand: break
    case .pong, .plainError: return "unexpected"
    }
    return nil
  }

  private func receive(_ message: DownloadMessage, _ session: inout Session) -> String? {
    guard session.hasIdent else { return "before IDENT" }
    let check = DownloadCheck(previous: session.progress, ownFileIdent: session.file)
    if let reason = check.violation(of: message) { return reason }
    session.progress = message.progress
    session.hasDownload = true
    guard message.batchState != .steady else {
      return session.bootstrapEntries > 0 ? "steady inside a bootstrap" : nil
    }
    let version = message.queryVersion
    guard version == session.activeQuery || session.pendingQueries.contains(version) else {
      return "a bootstrap of a set that does not exist"
    }
    session.bootstrapEntries += message.entries.count
    guard message.batchState == .last else { return nil }
    defer { session.bootstrapEntries = 0 }
    guard session.bootstrapEntries > 0 else { return "an empty bootstrap" }
    session.activeQuery = version
    session.pendingQueries = session.pendingQueries.filter { $0 > version }
    return nil
  }
}
