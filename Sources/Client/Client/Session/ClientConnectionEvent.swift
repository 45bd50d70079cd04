// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

extension ClientConnection {
  /// What happens to a connection.
  public enum Event: Hashable, Sendable {
    /// A file is opened. The ident must be one that this connection never had.
    case addSession(ClientSessionConfiguration, StoredSessionState)
    /// A file is closed: the session is unbound, then `sessionRemoved` comes.
    case removeSession(SessionIdent)
    /// An event from the app or the file of a session. Timers and messages come by the cases below.
    case session(SessionIdent, ClientSession.Event)

    /// The upgrade succeeded; the value of `Sec-WebSocket-Protocol` in the 101.
    case opened(subprotocol: String?)
    /// No connection: name resolution, TCP, TLS, or a malformed answer.
    case connectFailed(message: String)
    /// The answer to the upgrade request has a status other than 101.
    case upgradeRefused(status: Int)
    /// A binary message.
    case received([UInt8])
    /// A close frame. The driver need not wait for the end of TCP.
    case closed(code: UInt16, reason: String)
    /// TCP ended without a close frame, or the WebSocket layer found a violation.
    case lost(message: String)

    /// Answers `refreshUser` or `refreshLocation`. After a new location the address is verified.
    case refreshed
    /// Answers `refreshUser` or `refreshLocation`. It is final if the server refused the refresh token.
    case refreshFailed(isFinal: Bool, message: String)

    case timerFired(Timer)
    /// The app or the system says that a connection may be possible now.
    case reconnectNow
  }

  /// The timers of a connection; each runs at most once at a time.
  public enum Timer: Hashable, Sendable {
    case connect
    case reconnect
    case ping
    case pong
    case linger
    case resumption(SessionIdent)
  }

  /// What the driver must do, in this order and before the next event.
  ///
  /// Effects of a session that have an answer come last among the effects of that session; the answer is given as
  /// `session(ident, answer)` before any other event of that session.
  public enum Effect: Hashable, Sendable {
    /// Connect and send the upgrade request with `SubprotocolNegotiation.clientOffer`. Answer: `opened`,
    /// `connectFailed` or `upgradeRefused`.
    case connect
    /// Drop the connection or the attempt, without a close frame. No more events of it may come.
    case disconnect
    case send(ClientMessage)
    case startTimer(Timer, milliseconds: UInt64)
    case cancelTimer(Timer)
    /// Get a new access token. Answer: `refreshed` or `refreshFailed`.
    case refreshUser
    /// Get the location, then a new access token. Answer: `refreshed` or `refreshFailed`.
    case refreshLocation
    /// The server refuses the user: log out.
    case logOutUser
    /// An effect of a session other than sending, timers and what concerns the connection.
    case session(SessionIdent, ClientSession.Effect)
    /// The session is forgotten.
    case sessionRemoved(SessionIdent)
    /// A line of the server for the log of the connection.
    case log(LogMessage)
  }
}
