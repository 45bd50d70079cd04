// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// An error to be reported to the app.
public struct SyncErrorReport: Error, Hashable, Sendable {
  /// The origin of an error.
  public enum Origin: Hashable, Sendable {
    /// The server reported it for the session or the connection.
    case server
    /// We received a download that cannot be integrated, and reported that to the server.
    case client
    /// The server violated the protocol; the connection was dropped.
    case protocolViolation
    /// There is no connection, because of the network, TLS, or the answer to the upgrade request.
    case connection
  }

  public var origin: Origin
  public var code: ErrorCode
  public var message: String
  /// Whether the session stays inactive until the app resumes it. Otherwise it resumes by itself.
  public var isFatal: Bool
  /// The server's payload, with the action, the log URL and the rejected updates.
  public var info: ErrorInfo?
  /// For a compensating write, the client version in which the rejected changes were reverted.
  public var revertVersion: ClientVersion?

  public init(
    origin: Origin,
    code: ErrorCode,
    message: String,
    isFatal: Bool,
    info: ErrorInfo? = nil,
    revertVersion: ClientVersion? = nil
  ) {
    self.origin = origin
    self.code = code
    self.message = message
    self.isFatal = isFatal
    self.info = info
    self.revertVersion = revertVersion
  }
}

extension SyncErrorReport {
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
public struct ClientResetDemand: Hashable, Sendable {
  public var code: ErrorCode
  public var message: String
  /// Whether changes that were not uploaded may be applied to the fresh copy.
  public var isRecoveryAllowed: Bool

  public init(code: ErrorCode, message: String, isRecoveryAllowed: Bool) {
    self.code = code
    self.message = message
    self.isRecoveryAllowed = isRecoveryAllowed
  }
}
