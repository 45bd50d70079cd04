// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// An error that ends one session and leaves all others alone (protocol §3.5).
struct SessionFailure: Error {
  let code: ErrorCode
  let action: ErrorAction
  let message: String
  var tryAgain = false
  /// How long the client waits before it tries again; nil for what it does by itself.
  var backoff: BackoffParameters?
  /// The cause, for the log only: clients must not learn how this server stores what it has.
  var cause: String?
  /// The writes that are not stored, if that is what the error is about.
  var rejection: Rejection?

  var info: ErrorInfo { info(action) }

  /// - Parameter isRecoveryDisabled: whether a client that starts over must drop what it has not uploaded.
  func info(isRecoveryDisabled: Bool) -> ErrorInfo {
    info(isRecoveryDisabled && action == .clientReset ? .clientResetNoRecovery : action)
  }

  private func info(_ action: ErrorAction) -> ErrorInfo {
    var info = ErrorInfo(message: message, action: action, tryAgain: tryAgain, backoff: backoff)
    info.rejectedClientVersion = rejection?.clientVersion
    info.rejectedUpdates = rejection?.updates ?? []
    return info
  }

  static func invalidSchemaChange(_ reason: String) -> SessionFailure {
    SessionFailure(
      code: .invalidSchemaChange,
      action: .applicationBug,
      message: "Invalid schema change (UPLOAD): \(reason)"
    )
  }

  /// The client has to start over with a new file; it recovers what it had not uploaded.
  static func reset(_ code: ErrorCode, _ message: String) -> SessionFailure {
    SessionFailure(code: code, action: .clientReset, message: message)
  }

  static let historyIsGone = reset(
    .clientFileExpired,
    "Client file expired (IDENT): the history since it was last connected is gone or lacks queryable fields"
  )

  /// The app's operator does not want such subscriptions any more.
  static func queryNotAllowed(_ refusal: QuerySetRefusal) -> SessionFailure {
    reset(
      .badClientFile,
      "The subscriptions of this file are not allowed any more (IDENT): \(refusal.message)"
    )
  }

  /// The app lacks what the client has subscribed to. To start over would fail for the same reason and take the client's
  /// file away, while all goes on when the operator has added what is missing; so the client tries again.
  static func queryNotServed(_ refusal: QuerySetRefusal) -> SessionFailure {
    SessionFailure(
      code: .badQuery,
      action: .warning,
      message:
        "The subscriptions of this file cannot be served until this app allows them (IDENT): \(refusal.message)",
      tryAgain: true,
      backoff: BackoffParameters(initialSeconds: 10, maximumSeconds: 300, multiplier: 2)
    )
  }

  /// For what only this server's operator can mend; the client tries again.
  static let unexpected = SessionFailure(
    code: .otherSessionError,
    action: .transient,
    message: "The server failed to do what this session asked for; its log says why",
    tryAgain: true
  )

  /// The client binds the session again, and gets a bootstrap that it was in the middle of anew.
  static let permissionsChanged = SessionFailure(
    code: .sessionClosed,
    action: .transient,
    message: "What the user may see has changed; please bind again",
    tryAgain: true
  )

  /// The client's schema is not of the version that the app has. Its developer has to change that.
  static func badSchemaVersion(_ version: UInt64, _ expected: UInt64) -> SessionFailure {
    SessionFailure(
      code: .badSchemaVersion,
      action: .applicationBug,
      message:
        "Client provided invalid schema version (BIND): it has version \(version), and the app has version "
        + "\(expected). Open the realm with schemaVersion \(expected), or set \"schema_version\" of sync/config.json"
    )
  }

  static func badChangeset(_ reason: String) -> SessionFailure {
    SessionFailure(code: .badChangeset, action: .applicationBug, message: "Bad changeset (UPLOAD): \(reason)")
  }
}
