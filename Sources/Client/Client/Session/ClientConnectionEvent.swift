// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

extension ClientConnection {
  /// An input of a connection.
  enum Event: Hashable, Sendable {
    /// A file is opened. The ident must never have been used on this connection.
    case addSession(ClientSessionConfiguration, StoredSessionState)
    /// A file is closed: the session is unbound, and `sessionRemoved` follows.
    case removeSession(SessionIdent)
    /// An event from the app or the file of a session. Timers and messages use the cases below.
    case session(SessionIdent, ClientSession.Event)

    /// The upgrade succeeded; the value of `Sec-WebSocket-Protocol` in the 101.
    case opened(subprotocol: String?)
    /// Connecting failed: name resolution, TCP, TLS, or a malformed answer.
    case connectFailed(message: String)
    /// The answer to the upgrade request has a status other than 101.
    case upgradeRefused(status: Int)
    /// A binary message.
    case received([UInt8])
    /// A close frame arrived. The driver need not wait for TCP to end.
    case closed(code: UInt16, reason: String)
    /// TCP ended without a close frame, or the WebSocket layer detected a violation.
    case lost(message: String)

    /// The answer to `refreshUser` or `refreshLocation`. After a new location the address counts as verified.
    case refreshed
    /// The failure of `refreshUser` or `refreshLocation`. It is final if the server refused the refresh token.
    case refreshFailed(isFinal: Bool, message: String)

    case timerFired(Timer)
    /// The app or the system indicates that a connection may be possible now.
    case reconnectNow
  }

  /// The timers of a connection. At most one of each is running.
  enum Timer: Hashable, Sendable {
    case connect
    case reconnect
    case ping
    case pong
    case linger
    case resumption(SessionIdent)
  }

  /// An action for the driver, to be carried out in order and before the next event.
  ///
  /// Effects of a session that require an answer come last among that session's effects. The answer is delivered as
  /// `session(ident, answer)` before any other event of that session.
  enum Effect: Hashable, Sendable {
    /// Connect and send the upgrade request with `SubprotocolNegotiation.clientOffer`. Answer: `opened`,
    /// `connectFailed` or `upgradeRefused`.
    case connect
    /// Drop the connection or the attempt, without a close frame. It must not produce any further events.
    case disconnect
    case send(ClientMessage)
    case startTimer(Timer, milliseconds: UInt64)
    case cancelTimer(Timer)
    /// Get a new access token. Answer: `refreshed` or `refreshFailed`.
    case refreshUser
    /// Get the location, then a new access token. Answer: `refreshed` or `refreshFailed`.
    case refreshLocation
    /// The server refuses the user: log the user out.
    case logOutUser
    /// An effect of a session, other than messages, timers and those that concern the connection.
    case session(SessionIdent, ClientSession.Effect)
    /// The session has been discarded.
    case sessionRemoved(SessionIdent)
    /// A line from the server for the log of the connection.
    case log(LogMessage)
  }
}
