// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// An error that ends one session and leaves all others alone (protocol §3.5).
struct SessionFailure: Error {
  let code: ErrorCode
  let action: ErrorAction
  let message: String
  var tryAgain = false
  /// The time that the client waits before it tries again; nil for the client's own default.
  var backoff: BackoffParameters?
  /// The cause, for the log only: clients must not learn how this server stores its data.
  var cause: String?
  /// The writes that are not stored, if the error reports any.
  var rejection: Rejection?

  var info: ErrorInfo { info(action) }

  /// - Parameter isRecoveryDisabled: whether a client that starts over must discard what it has not uploaded.
  func info(isRecoveryDisabled: Bool) -> ErrorInfo {
    info(isRecoveryDisabled && action == .clientReset ? .clientResetNoRecovery : action)
  }

  private func info(_ action: ErrorAction) -> ErrorInfo {
    var info = ErrorInfo(message: message, action: action, tryAgain: tryAgain, backoff: backoff)
    info.rejectedClientVersion = rejection?.clientVersion
    guard let rejection, let part = rejection.parts.first else { return info }
    info.rejectedUpdates = Array(part)
    let omittedCount = rejection.updates.count - part.count
    if omittedCount > 0 { info.message += " (\(omittedCount) more rejected writes are not listed)" }
    return info
  }

  static func invalidSchemaChange(_ reason: String) -> SessionFailure {
    bug(.invalidSchemaChange, "Invalid schema change (UPLOAD): \(reason)")
  }

  /// Returns the failure for something that the client's developer has to fix.
  static func bug(_ code: ErrorCode, _ message: String) -> SessionFailure {
    SessionFailure(code: code, action: .applicationBug, message: message)
  }

  /// Returns a failure after which the client tries again, at first soon and then less and less often.
  static func later(_ code: ErrorCode, _ message: String) -> SessionFailure {
    SessionFailure(
      code: code,
      action: .warning,
      message: message,
      tryAgain: true,
      backoff: BackoffParameters(initialSeconds: 10, maximumSeconds: 300)
    )
  }

  /// Returns a failure that makes the client start over with a new file; it recovers what it had not uploaded.
  static func reset(_ code: ErrorCode, _ message: String) -> SessionFailure {
    SessionFailure(code: code, action: .clientReset, message: message)
  }

  static let historyIsGone = reset(
    .clientFileExpired,
    "Client file expired (IDENT): the history since it was last connected is gone or lacks queryable fields"
  )

  /// Returns the failure for a client that asks for other subscriptions under a version that it has used before: what
  /// it has kept of their bootstraps cannot be told apart.
  static func otherQueries(_ version: UInt64) -> SessionFailure {
    reset(
      .badQuery,
      "Bad query (QUERY): version \(version) denoted other subscriptions before"
    )
  }

  /// Returns the failure for subscriptions that the app's operator no longer allows.
  static func queryNotAllowed(_ refusal: QuerySetRefusal) -> SessionFailure {
    reset(
      .badClientFile,
      "The app no longer allows the subscriptions of this file (IDENT): \(refusal.message)"
    )
  }

  /// Returns the failure for subscriptions to something that the app lacks. Starting over would fail for the same
  /// reason and destroy the client's file, whereas everything works once the operator has added what is missing. So
  /// the client tries again.
  static func queryNotServed(_ refusal: QuerySetRefusal) -> SessionFailure {
    later(
      .badQuery,
      "The server cannot serve the subscriptions of this file until the app allows them (IDENT): "
        + "\(refusal.message)"
    )
  }

  /// The failure for problems that only this server's operator can fix; the client tries again.
  static let unexpected = SessionFailure(
    code: .otherSessionError,
    action: .transient,
    message: "The server failed to process a request of this session; see the server's log",
    tryAgain: true
  )

  /// Makes the client bind the session again; it then receives an interrupted bootstrap anew.
  static let permissionsChanged = SessionFailure(
    code: .sessionClosed,
    action: .transient,
    message: "The user's permissions have changed; bind the session again",
    tryAgain: true
  )

  /// Returns the failure for a client whose schema version differs from the app's.
  static func badSchemaVersion(_ version: UInt64, _ expected: UInt64) -> SessionFailure {
    bug(
      .badSchemaVersion,
      "Client provided invalid schema version (BIND): it has version \(version), but the app has version "
        + "\(expected). Open the realm with schemaVersion \(expected), or have the app's operator change "
        + "\"schema_version\" in sync/config.json"
    )
  }

  static func badChangeset(_ reason: String) -> SessionFailure {
    bug(.badChangeset, "Bad changeset (UPLOAD): \(reason)")
  }
}
