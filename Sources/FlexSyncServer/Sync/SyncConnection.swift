// SPDX-License-Identifier: Apache-2.0

import FlexSyncProtocol
import FlexSyncTransport
import Logging

/// One WebSocket connection of a client: hands messages to the engine and back, and watches over their order
/// (protocol §3.4).
final class SyncConnection: SyncSessionPeer {
  /// What a session number of this connection stands for.
  private enum Slot {
    /// BIND has come, IDENT has not.
    case bound(SyncSession)
    case active(SyncSession)
    /// The server has sent an error: everything is swallowed until the client unbinds.
    case failed
  }

  private let socket: WebSocket
  private let version: SyncProtocolVersion
  private let userID: String
  private let engine: SyncEngine
  private let logger: Logger
  private var slots: [SessionIdent: Slot] = [:]
  /// Called once when the connection has ended.
  var onEnd: (() -> Void)?

  init(
    socket: WebSocket,
    version: SyncProtocolVersion,
    userID: String,
    engine: SyncEngine,
    logger: Logger
  ) {
    self.socket = socket
    self.version = version
    self.userID = userID
    self.engine = engine
    self.logger = logger
    socket.onMessage = { [weak self] in self?.receive($0) }
    socket.onWritable = { [weak self] in self?.resume() }
    socket.onClose = { [weak self] _ in self?.ended() }
  }

  // MARK: SyncSessionPeer

  var isWritable: Bool { socket.isOpen && socket.isWritable }

  func send(_ message: ServerMessage, for session: SyncSession) { send(message) }

  func fail(_ session: SyncSession, _ failure: SessionFailure) {
    slots[session.ident] = .failed
    send(.error(ErrorMessage(code: failure.code, session: session.ident, info: failure.info)))
  }

  func drop() {
    socket.drop()
    ended()
  }

  private func send(_ message: ServerMessage) {
    guard socket.isOpen else { return }
    socket.send(message.encode(version: version))
  }

  // MARK: Events of the socket

  private func resume() {
    for case .active(let session) in slots.values { engine.resume(session) }
  }

  private func ended() {
    let sessions = slots.values
    slots = [:]
    for slot in sessions {
      switch slot {
      case .bound(let session), .active(let session): engine.close(session)
      case .failed: break
      }
    }
    let onEnd = onEnd
    self.onEnd = nil
    onEnd?()
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    do throws(ProtocolError) {
      try handle(try ClientMessage.decode(Array(bytes)))
    } catch {
      logger.warning("connection failed", metadata: ["user": "\(userID)", "error": "\(error)"])
      let info = ErrorInfo(message: error.message, action: .protocolViolation, tryAgain: false)
      send(.error(ErrorMessage(code: error.code, session: 0, info: info)))
      drop()
    }
  }

  // MARK: Messages

  private func handle(_ message: ClientMessage) throws(ProtocolError) {
    switch message {
    case .ping(let ping): send(.pong(ping.timestamp))
    case .bind(let bind): try handle(bind)
    case .unbind(let ident): try unbind(ident)
    default: try handleInSession(message)
    }
  }

  private func handle(_ message: BindMessage) throws(ProtocolError) {
    guard slots[message.session] == nil else {
      throw ProtocolError(.reuseOfSessionIdent, "session \(message.session) is bound already (BIND)")
    }
    let options = try message.options(version: version)
    let session = SyncSession(
      ident: message.session,
      userID: userID,
      isClientReset: options.sessionReason == .clientReset,
      peer: self
    )
    slots[message.session] = .bound(session)
    guard engine.app.sync.isEnabled else { return fail(session, .syncDisabled) }
    if message.needsFileIdent { engine.submit(.allocateFile, from: session) }
  }

  private func unbind(_ ident: SessionIdent) throws(ProtocolError) {
    guard let slot = slots.removeValue(forKey: ident) else { throw unknownSession(ident) }
    switch slot {
    case .failed: break
    case .bound(let session), .active(let session):
      engine.close(session)
      send(.unbound(ident))
    }
  }

  private func handleInSession(_ message: ClientMessage) throws(ProtocolError) {
    guard let ident = message.session, let slot = slots[ident] else {
      throw unknownSession(message.session ?? 0)
    }
    switch (slot, message) {
    case (.failed, _): break
    case (.bound(let session), .ident(let ident)):
      slots[session.ident] = .active(session)
      engine.submit(.ident(ident), from: session)
    case (.active(let session), .query(let query)): engine.submit(.query(query), from: session)
    case (.active(let session), .upload(let upload)): engine.submit(.upload(upload), from: session)
    case (.active(let session), .mark(let mark)): engine.submit(.mark(mark), from: session)
    case (.active(let session), .error(let error)): clientFailed(session, error)
    case (_, .testCommand(let command)):
      send(.testCommand(TestCommandMessage(session: ident, request: command.request, body: "{}")))
    default: throw ProtocolError(.badMessageOrder, "message out of order in session \(ident)")
    }
  }

  /// The client could not take in what it was sent, and is stuck until the session ends with an error
  /// (protocol §3.5, "Client-side integration errors").
  private func clientFailed(_ session: SyncSession, _ error: ClientErrorMessage) {
    logger.error(
      "a client could not integrate a download",
      metadata: ["user": "\(userID)", "code": "\(error.code)", "error": "\(error.message)"]
    )
    engine.close(session)
    fail(session, .reset(.badClientFile, "The client could not integrate a download: \(error.message)"))
  }

  private func unknownSession(_ ident: SessionIdent) -> ProtocolError {
    ProtocolError(.badSessionIdent, "session \(ident) is not bound")
  }
}

extension SessionFailure {
  /// Features row 179.
  fileprivate static let syncDisabled = SessionFailure(
    code: .otherSessionError,
    action: .warning,
    message: "Sync is not enabled for this app"
  )
}
