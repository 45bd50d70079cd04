// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The server side of one connection: decides which messages are legal, how to answer them, and in which order
/// (protocol §3.4).
///
/// A value type that takes events from the transport and the host and returns effects. The host manages files,
/// streams and views. This state machine protects the client: it never sends an error code that aborts Realm's
/// client, a message for a failed session, or a MARK too early.
public struct ServerConnection: Sendable {
  public let version: SyncProtocolVersion
  private let limits: MessageLimits
  private var sessions: [SessionIdent: ServerSession] = [:]
  /// The sessions for which the host should read no more.
  private var fullSessions: Set<SessionIdent> = []
  private var bindingCount: UInt64 = 0
  private var isClosed = false
  /// The effects of the event that is being processed, in order.
  private var effects: [Effect] = []

  public init(version: SyncProtocolVersion, limits: MessageLimits = .standard) {
    self.version = version
    self.limits = limits
  }

  /// Processes an event and returns the effects to perform, in order.
  public mutating func handle(_ event: Event) -> [Effect] {
    guard !isClosed else { return [] }
    switch event {
    case .received(let bytes): receive(bytes)
    case .closed: end()
    case .failConnection(let code, let info): fail(code, info)
    case .identified(let key, let resume): resumeSession(key, resume)
    case .fileIdentAllocated(let key, let file): update(key) { $0.allocated(file) }
    case .uploadIntegrated(let key, let cursor): update(key) { $0.uploadIntegrated(cursor) }
    case .queryFailed(let key, let version, let code, let message):
      update(key) { $0.queryFailed(version, code, message) }
    case .caughtUp(let key, let download, let latest): update(key) { $0.caughtUp(download, latest) }
    case .deliver(let key, let batch): update(key) { $0.deliver(batch) }
    case .compensatingWrite(let key, let info): update(key) { $0.compensatingWrite(info) }
    case .fail(let key, let code, let info): update(key) { $0.fail(code, info) }
    }
    defer { effects = [] }
    return effects
  }

  /// Whether so much waits to be answered that the host should read no more meanwhile.
  var hasWaitingMessages: Bool { !fullSessions.isEmpty }

  /// Passes the session with the given key to `body` if the binding still exists.
  private mutating func update(_ key: SessionKey, _ body: (inout ServerSession) -> Void) {
    guard var session = sessions[key.session], session.key == key else { return }
    body(&session)
    store(&session)
  }

  /// Stores a session after an event, and takes over its effects.
  private mutating func store(_ session: inout ServerSession) {
    effects += session.effects
    session.effects = []
    sessions[session.session] = session
    if session.isFull { fullSessions.insert(session.session) } else { fullSessions.remove(session.session) }
  }

  private mutating func receive(_ bytes: [UInt8]) {
    do throws(ProtocolError) {
      try receive(try ClientMessage.decode(bytes, limits: limits))
    } catch {
      fail(error)
    }
  }

  private mutating func receive(_ message: ClientMessage) throws(ProtocolError) {
    switch message {
    case .ping(let timestamp, _): effects.append(.send(.pong(timestamp)))
    case .bind(let bind): try receive(bind)
    case .unbind(let ident): try unbind(ident)
    default:
      guard let ident = message.session, var session = sessions[ident] else {
        throw ProtocolError(
          .badSessionIdent,
          "a message for session \(message.session ?? 0), which is not bound"
        )
      }
      if case .ident(let identMessage) = message, session.state != .errored {
        try checkIsFree(identMessage.file.ident, except: ident)
      }
      try session.receive(message)
      store(&session)
    }
  }

  private mutating func receive(_ message: BindMessage) throws(ProtocolError) {
    guard sessions[message.session] == nil else {
      throw ProtocolError(.reuseOfSessionIdent, "session \(message.session) is already bound")
    }
    guard sessions.count < limits.sessionCount else {
      let reason = "more than \(limits.sessionCount) sessions are bound over one connection"
      throw ProtocolError(.otherError, reason)
    }
    let options = try message.options(version: version)
    bindingCount += 1
    let key = SessionKey(session: message.session, binding: bindingCount)
    sessions[message.session] = ServerSession(
      key: key,
      options: options,
      needsFileIdent: message.needsFileIdent,
      limits: limits
    )
    if message.needsFileIdent { effects.append(.allocateFileIdent(key, options)) }
  }

  private mutating func unbind(_ ident: SessionIdent) throws(ProtocolError) {
    guard let session = sessions.removeValue(forKey: ident) else {
      throw ProtocolError(.badSessionIdent, "UNBIND of session \(ident), which is not bound")
    }
    fullSessions.remove(ident)
    // After an error, the client does not expect an answer (protocol §3.5).
    if session.state != .errored { effects.append(.send(.unbound(ident))) }
    effects.append(.sessionEnded(session.key))
  }

  /// Throws if another session of the connection already uses the file.
  private func checkIsFree(_ file: FileIdent, except ident: SessionIdent) throws(ProtocolError) {
    for (other, session) in sessions where other != ident && session.occupiesFile {
      guard session.fileIdent != file else {
        throw ProtocolError(.boundInOtherSession, "file \(file) is already bound in session \(other)")
      }
    }
  }

  private mutating func resumeSession(_ key: SessionKey, _ resume: ResumeState) {
    var waiting: [ClientMessage] = []
    update(key) { waiting = $0.identified(resume) }
    do throws(ProtocolError) {
      for message in waiting { try receive(message) }
    } catch {
      fail(error)
    }
  }

  private mutating func fail(_ error: ProtocolError) {
    let info = ErrorInfo(message: error.message, action: .protocolViolation, tryAgain: false)
    fail(error.code, info)
  }

  /// Sends a connection-level error and closes the connection.
  private mutating func fail(_ code: ErrorCode, _ info: ErrorInfo) {
    let isAllowed = code.mayBeSentToClients && code.fits(session: 0)
    let message = ErrorMessage(code: isAllowed ? code : .otherError, session: 0, info: info)
    effects.append(.send(.error(message)))
    end()
    effects.append(.closeConnection(reason: "\(info.message) (error \(message.code))"))
  }

  private mutating func end() {
    isClosed = true
    effects += sessions.values.map(\.key).sorted { $0.binding < $1.binding }.map { .sessionEnded($0) }
    sessions = [:]
    fullSessions = []
  }
}
