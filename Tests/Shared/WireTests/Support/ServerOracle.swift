// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// What a strict server would make of the messages of one session: the rules of protocol §3.4, written apart from our
/// machines.
struct ServerOracle {
  private enum State {
    case none
    case identWanted
    case bound
    case active
    case clientFailed
    /// The server sent an error.
    case failed
    case unbinding
  }

  private var state = State.none
  private var progress = UploadCursor.start
  private var locked: ServerVersion = 0
  private var sent: ServerVersion = 0
  private var lastMark: MarkIdent = 0
  private var lastQuery: QueryVersion = 0

  mutating func connect() { state = .none }

  mutating func serverSent(_ message: ServerMessage) {
    switch message {
    case .ident: if state == .identWanted { state = .bound }
    case .download(let download): sent = max(sent, download.download.serverVersion)
    case .error(let error) where error.code.endsSession: fail()
    case .plainError: fail()
    case .unbound: if state == .unbinding { state = .none }
    default: break
    }
  }

  private mutating func fail() {
    if state == .unbinding { state = .none } else if state != .none { state = .failed }
  }

  /// What is wrong with the message; nil if nothing is.
  mutating func clientSent(_ message: ClientMessage) -> String? {
    guard let read = try? ClientMessage.decode(message.encode()), read == message else {
      return "does not survive the wire"
    }
    if state == .failed {
      if case .unbind = message { state = .none }
      return nil
    }
    switch message {
    case .bind(let bind):
      guard state == .none else { return "bound already" }
      state = bind.needsFileIdent ? .identWanted : .bound
      (progress, locked, sent, lastMark, lastQuery) = (.start, 0, 0, 0, 0)
    case .ident(let ident):
      guard state == .bound, ident.file.ident > 0, ident.file.salt != 0 else { return "at the wrong time" }
      state = .active
      sent = ident.download.serverVersion
      lastQuery = ident.queryVersion
    case .query(_, let version, _):
      guard state == .active, version > lastQuery else { return "at the wrong time" }
      lastQuery = version
    case .mark(_, let request):
      guard state == .active, request > lastMark else { return "at the wrong time" }
      lastMark = request
    case .upload(let upload): return receive(upload)
    case .error:
      guard state == .active else { return "at the wrong time" }
      state = .clientFailed
    case .unbind:
      guard state != .none, state != .unbinding else { return "not bound" }
      state = .unbinding
    case .ping, .testCommand: return "not of a session"
    }
    return nil
  }

  private mutating func receive(_ upload: UploadMessage) -> String? {
    guard state == .active else { return "at the wrong time" }
    guard upload.progress.clientVersion >= progress.clientVersion,
      upload.progress.serverVersion >= progress.serverVersion, upload.progress.serverVersion <= sent
    else { return "bad progress \(upload.progress) after \(progress), sent \(sent)" }
    guard upload.lockedServerVersion >= locked, upload.lockedServerVersion <= sent else { return "bad lock" }
    if upload.progress == progress && upload.entries.isEmpty { return "says nothing" }
    var previous = UploadCursor(clientVersion: progress.clientVersion, serverVersion: 0)
    for entry in upload.entries {
      guard entry.clientVersion > previous.clientVersion,
        entry.clientVersion <= upload.progress.clientVersion,
        entry.serverVersion >= previous.serverVersion, entry.serverVersion <= upload.progress.serverVersion
      else { return "bad entry" }
      previous = UploadCursor(clientVersion: entry.clientVersion, serverVersion: entry.serverVersion)
    }
    progress = upload.progress
    locked = upload.lockedServerVersion
    return nil
  }
}
