// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// An error to be reported to the app.
struct SyncErrorReport: Error, Hashable, Sendable {
  /// The origin of an error.
  enum Origin: Hashable, Sendable {
    /// The server reported it for the session or the connection.
    case server
    /// We received a download that cannot be integrated, and reported that to the server.
    case client
    /// The server violated the protocol; the connection was dropped.
    case protocolViolation
    /// There is no connection, because of the network, TLS, or the answer to the upgrade request.
    case connection
  }

  var origin: Origin
  var code: ErrorCode
  var message: String
  /// Whether the session stays inactive until the app resumes it. Otherwise it resumes by itself.
  var isFatal: Bool
  /// The server's payload, with the action, the log URL and the rejected updates.
  var info: ErrorInfo?
  /// For a compensating write, the client version in which the rejected changes were reverted.
  var revertVersion: ClientVersion?
}

extension SyncErrorReport {
  /// Creates the report for an error that the server sent.
  init(_ code: ErrorCode, _ info: ErrorInfo, isFatal: Bool, revertVersion: ClientVersion? = nil) {
    self.init(
      origin: .server,
      code: code,
      message: info.message,
      isFatal: isFatal,
      info: info,
      revertVersion: revertVersion
    )
  }

  /// Creates the report for a connection that ended because the server violated the protocol.
  init(violation: ProtocolError) {
    self.init(
      origin: .protocolViolation,
      code: violation.code,
      message: "The server broke the sync protocol: \(violation.message)",
      isFatal: true
    )
  }
}

/// A demand by the server that the client start over with a fresh copy (protocol §9).
struct ClientResetDemand: Hashable, Sendable {
  var code: ErrorCode
  var message: String
  /// Whether changes that were not uploaded may be applied to the fresh copy.
  var isRecoveryAllowed: Bool
}
