// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

extension Realm.Error.Code {
  /// Creates the code for a status of the C interface. A status without a case of its own becomes a general failure.
  init(_ status: flx_status_t) {
    switch status {
    case .FLX_STATUS_IO: self = .fileAccess
    case .FLX_STATUS_PERMISSION_DENIED: self = .filePermissionDenied
    case .FLX_STATUS_DISK_FULL: self = .outOfDiskSpace
    case .FLX_STATUS_FILE_EXISTS: self = .fileExists
    case .FLX_STATUS_SCHEMA_MISMATCH: self = .schemaMismatch
    case .FLX_STATUS_ALREADY_OPEN: self = .alreadyOpen
    case .FLX_STATUS_INVALID_ARGUMENT, .FLX_STATUS_TYPE_MISMATCH, .FLX_STATUS_NULL_NOT_ALLOWED:
      self = .invalidInput
    case .FLX_STATUS_MULTIPLE_SYNC_AGENTS: self = .multipleSyncAgents
    case .FLX_STATUS_SUBSCRIPTION_FAILED: self = .subscriptionFailed
    case .FLX_STATUS_NOT_A_DATABASE, .FLX_STATUS_CORRUPT, .FLX_STATUS_INCOMPATIBLE_FILE:
      self = .invalidDatabase
    case .FLX_STATUS_NO_SUBSCRIPTION_FOR_WRITE: self = .noSubscriptionForWrite
    case .FLX_STATUS_DUPLICATE_PRIMARY_KEY: self = .duplicatePrimaryKey
    case .FLX_STATUS_QUERY_SYNTAX, .FLX_STATUS_QUERY_INVALID, .FLX_STATUS_QUERY_ARGUMENT: self = .invalidQuery
    case .FLX_STATUS_OBJECT_INVALIDATED: self = .objectInvalidated
    case .FLX_STATUS_SESSION_INACTIVE: self = .sessionInactive
    default: self = .fail
    }
  }
}

extension AppError.Code {
  /// Creates the code for a status that concerns the server of an app; nil for any other status.
  init?(_ status: flx_status_t) {
    switch status {
    case .FLX_STATUS_CONNECTION_FAILED: self = .connectionFailed
    case .FLX_STATUS_TLS_FAILED: self = .tlsFailed
    case .FLX_STATUS_BAD_RESPONSE: self = .badResponse
    case .FLX_STATUS_SERVICE_ERROR: self = .unknown
    case .FLX_STATUS_INVALID_PASSWORD: self = .invalidPassword
    case .FLX_STATUS_ACCOUNT_NAME_IN_USE: self = .accountNameInUse
    case .FLX_STATUS_USER_NOT_FOUND: self = .userNotFound
    case .FLX_STATUS_INVALID_SESSION: self = .invalidSession
    case .FLX_STATUS_USER_LOGGED_OUT: self = .userLoggedOut
    case .FLX_STATUS_APP_NOT_FOUND: self = .appNotFound
    case .FLX_STATUS_AUTH_PROVIDER_NOT_FOUND: self = .authProviderNotFound
    case .FLX_STATUS_USER_DISABLED: self = .userDisabled
    case .FLX_STATUS_USER_ALREADY_CONFIRMED: self = .userAlreadyConfirmed
    case .FLX_STATUS_API_KEY_NOT_FOUND: self = .apiKeyNotFound
    case .FLX_STATUS_API_KEY_EXISTS: self = .apiKeyAlreadyExists
    default: return nil
    }
  }
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
    case .FLX_STATUS_CONNECTION_FAILED, .FLX_STATUS_TIMED_OUT: self = .connectionFailed
    case .FLX_STATUS_TLS_FAILED: self = .tlsHandshakeFailed
    case .FLX_STATUS_INVALID_SESSION, .FLX_STATUS_USER_LOGGED_OUT: self = .clientUserError
    default: return nil
    }
  }
}

extension Realm.Error {
  init(_ failure: StatusError) { self.init(code: Code(failure.status), message: failure.message) }
}

extension SyncError {
  /// Creates the error for a status that concerns a sync session; nil for any other status.
  init?(_ failure: StatusError) {
    guard let code = Code(failure.status) else { return nil }
    // A refused transaction does not end the session.
    self.init(code, failure.message, isFatal: code != .writeRejected)
  }

  /// Creates the error for a subscription set that the server rejected. The previous set stays in force.
  init(rejectedSubscriptions message: String) {
    self.init(.invalidFlexibleSyncSubscriptions, message, isFatal: false)
  }

  /// Creates the error for a realm of partition-based sync.
  init(partitionBased message: String) { self.init(.clientSessionError, message, isFatal: true) }

  private init(_ code: Code, _ message: String, isFatal: Bool) {
    self.init(
      code: code,
      message: message,
      isFatal: isFatal,
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
