// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

/// An error of a sync session.
public struct SyncError: Error, Sendable {
  /// The kind of error. Numbers are those of the Realm Swift SDK.
  public enum Code: Int, Sendable {
    case clientSessionError = 4
    case clientUserError = 5
    case clientInternalError = 6
    case clientResetError = 7
    case underlyingAuthError = 8
    case permissionDeniedError = 9
    case invalidFlexibleSyncSubscriptions = 10
    case writeRejected = 11
    case connectionFailed = 12
    case tlsHandshakeFailed = 13
    case serverWarning = 14
  }

  public static let errorDomain = "io.realm.sync"

  public let code: Code
  /// A message that says what happened, to what, and what to do about it.
  public let message: String
  /// Whether the session has ended and will not resume by itself. After `Code.clientUserError`, it
  /// resumes when the user logs in again.
  public let isFatal: Bool
  /// The URL of the server's log.
  public let serverLogURL: URL?
  /// The writes that were reverted; nil unless the code is `writeRejected`. `Realm.rejectedWrites` has their changes.
  public let compensatingWriteInfo: [CompensatingWriteInfo]?
  private let resetInfo: (path: String, token: ActionToken)?

  /// A token for `SyncSession.immediatelyHandleError`.
  public struct ActionToken: Sendable {
    let session: SyncSession
  }

  /// For a client reset that is left to the app, the path to which the file is backed up before it is deleted, and a
  /// token to do so at once. Nil unless the code is `clientResetError`.
  public func clientResetInfo() -> (String, ActionToken)? { resetInfo.map { ($0.path, $0.token) } }

  init?(_ failure: StatusError) {
    guard let code = Code(failure.status) else { return nil }
    self.init(
      code: code,
      message: failure.message,
      // A refused transaction does not end the session.
      isFatal: code != .writeRejected,
      serverLogURL: nil,
      compensatingWriteInfo: nil,
      resetInfo: nil
    )
  }

  private init(
    code: Code,
    message: String,
    isFatal: Bool,
    serverLogURL: URL?,
    compensatingWriteInfo: [CompensatingWriteInfo]?,
    resetInfo: (path: String, token: ActionToken)?
  ) {
    self.code = code
    self.message = message
    self.isFatal = isFatal
    self.serverLogURL = serverLogURL
    self.compensatingWriteInfo = compensatingWriteInfo
    self.resetInfo = resetInfo
  }

  /// Creates the error for a subscription set that the server rejected.
  init(rejectedSubscriptions message: String) {
    self.init(
      code: .invalidFlexibleSyncSubscriptions,
      message: message,
      // The previous set stays in force.
      isFatal: false,
      serverLogURL: nil,
      compensatingWriteInfo: nil,
      resetInfo: nil
    )
  }

  /// Copies an error that is borrowed for a callback.
  init(_ error: flx_sync_error_t, _ session: SyncSession) {
    let logURL = String(error.server_log_url)
    let recoveryPath = String(error.recovery_path)
    let writes = UnsafeBufferPointer(start: error.compensating_writes, count: error.compensating_write_count)
    self.init(
      code: Code(error),
      message: String(error.message),
      isFatal: error.is_fatal,
      serverLogURL: logURL.isEmpty ? nil : URL(string: logURL),
      compensatingWriteInfo: writes.isEmpty ? nil : writes.map(CompensatingWriteInfo.init),
      resetInfo: recoveryPath.isEmpty ? nil : (recoveryPath, ActionToken(session: session))
    )
  }
}

extension SyncError: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { message }
  public var description: String { message }
}

extension SyncError.Code {
  /// The protocol's error code for a user who lacks permission for what the session requests.
  private static let permissionDenied: Int32 = 206

  /// Creates the code for an error reported by a session.
  init(_ error: flx_sync_error_t) {
    let isDenied =
      error.protocol_code == Self.permissionDenied
      && (error.status == .FLX_STATUS_SESSION_FAILED || error.status == .FLX_STATUS_SERVER_WARNING)
    self = isDenied ? .permissionDeniedError : Self(error.status) ?? .clientInternalError
  }

  init?(_ status: flx_status_t) {
    switch status {
    case .FLX_STATUS_WRITE_REJECTED: self = .writeRejected
    case .FLX_STATUS_SESSION_FAILED: self = .clientSessionError
    case .FLX_STATUS_CLIENT_RESET, .FLX_STATUS_CLIENT_RESET_FAILED: self = .clientResetError
    case .FLX_STATUS_SERVER_WARNING: self = .serverWarning
    case .FLX_STATUS_PROTOCOL_ERROR: self = .clientInternalError
    case .FLX_STATUS_CONNECTION_FAILED: self = .connectionFailed
    case .FLX_STATUS_TLS_FAILED: self = .tlsHandshakeFailed
    case .FLX_STATUS_INVALID_SESSION, .FLX_STATUS_USER_LOGGED_OUT: self = .clientUserError
    default: return nil
    }
  }
}
