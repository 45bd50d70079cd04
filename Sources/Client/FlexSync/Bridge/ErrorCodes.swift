// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

extension Realm.Error.Code {
  /// Creates the code for a status of the C interface. A status without a case of its own becomes a general failure.
  init(_ status: flx_status_t) { self = Self.byStatus[status] ?? .fail }

  private static let byStatus: [flx_status_t: Self] = [
    .FLX_STATUS_IO: .fileAccess,
    .FLX_STATUS_PERMISSION_DENIED: .filePermissionDenied,
    .FLX_STATUS_DISK_FULL: .outOfDiskSpace,
    .FLX_STATUS_FILE_EXISTS: .fileExists,
    .FLX_STATUS_SCHEMA_MISMATCH: .schemaMismatch,
    .FLX_STATUS_ALREADY_OPEN: .alreadyOpen,
    .FLX_STATUS_INVALID_ARGUMENT: .invalidInput,
    .FLX_STATUS_TYPE_MISMATCH: .invalidInput,
    .FLX_STATUS_NULL_NOT_ALLOWED: .invalidInput,
    .FLX_STATUS_MULTIPLE_SYNC_AGENTS: .multipleSyncAgents,
    .FLX_STATUS_SUBSCRIPTION_FAILED: .subscriptionFailed,
    .FLX_STATUS_NOT_A_DATABASE: .invalidDatabase,
    .FLX_STATUS_CORRUPT: .invalidDatabase,
    .FLX_STATUS_INCOMPATIBLE_FILE: .invalidDatabase,
    .FLX_STATUS_NO_SUBSCRIPTION_FOR_WRITE: .noSubscriptionForWrite,
    .FLX_STATUS_DUPLICATE_PRIMARY_KEY: .duplicatePrimaryKey,
    .FLX_STATUS_QUERY_SYNTAX: .invalidQuery,
    .FLX_STATUS_QUERY_INVALID: .invalidQuery,
    .FLX_STATUS_QUERY_ARGUMENT: .invalidQuery,
    .FLX_STATUS_OBJECT_INVALIDATED: .objectInvalidated,
    .FLX_STATUS_SESSION_INACTIVE: .sessionInactive,
  ]
}

extension AppError.Code {
  /// Creates the code for a status that concerns the server of an app; nil for any other status.
  init?(_ status: flx_status_t) {
    guard let code = Self.byStatus[status] else { return nil }
    self = code
  }

  private static let byStatus: [flx_status_t: Self] = [
    .FLX_STATUS_CONNECTION_FAILED: .connectionFailed,
    .FLX_STATUS_TLS_FAILED: .tlsFailed,
    .FLX_STATUS_BAD_RESPONSE: .badResponse,
    .FLX_STATUS_SERVICE_ERROR: .unknown,
    .FLX_STATUS_INVALID_PASSWORD: .invalidPassword,
    .FLX_STATUS_ACCOUNT_NAME_IN_USE: .accountNameInUse,
    .FLX_STATUS_USER_NOT_FOUND: .userNotFound,
    .FLX_STATUS_INVALID_SESSION: .invalidSession,
    .FLX_STATUS_USER_LOGGED_OUT: .userLoggedOut,
    .FLX_STATUS_APP_NOT_FOUND: .appNotFound,
    .FLX_STATUS_AUTH_PROVIDER_NOT_FOUND: .authProviderNotFound,
    .FLX_STATUS_USER_DISABLED: .userDisabled,
    .FLX_STATUS_USER_ALREADY_CONFIRMED: .userAlreadyConfirmed,
    .FLX_STATUS_API_KEY_NOT_FOUND: .apiKeyNotFound,
    .FLX_STATUS_API_KEY_EXISTS: .apiKeyAlreadyExists,
  ]
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
    guard let code = Self.byStatus[status] else { return nil }
    self = code
  }

  private static let byStatus: [flx_status_t: Self] = [
    .FLX_STATUS_WRITE_REJECTED: .writeRejected,
    .FLX_STATUS_SESSION_FAILED: .clientSessionError,
    .FLX_STATUS_CLIENT_RESET: .clientResetError,
    .FLX_STATUS_CLIENT_RESET_FAILED: .clientResetError,
    .FLX_STATUS_SERVER_WARNING: .serverWarning,
    .FLX_STATUS_PROTOCOL_ERROR: .clientInternalError,
    .FLX_STATUS_CONNECTION_FAILED: .connectionFailed,
    .FLX_STATUS_TIMED_OUT: .connectionFailed,
    .FLX_STATUS_TLS_FAILED: .tlsHandshakeFailed,
    .FLX_STATUS_INVALID_SESSION: .clientUserError,
    .FLX_STATUS_USER_LOGGED_OUT: .clientUserError,
  ]
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
      fileURL: nil,
      resetInfo: nil
    )
  }

  /// Copies an error that is borrowed for a callback.
  init(_ error: flx_sync_error_t, _ session: SyncSession) {
    let logURL = String(error.server_log_url)
    let recoveryPath = String(error.recovery_path)
    let isReset = error.status == .FLX_STATUS_CLIENT_RESET || error.status == .FLX_STATUS_CLIENT_RESET_FAILED
    let writes = UnsafeBufferPointer(start: error.compensating_writes, count: error.compensating_write_count)
    self.init(
      code: Code(error),
      message: String(error.message),
      isFatal: error.is_fatal,
      serverLogURL: logURL.isEmpty ? nil : URL(string: logURL),
      compensatingWriteInfo: writes.isEmpty ? nil : writes.map(CompensatingWriteInfo.init),
      fileURL: isReset || recoveryPath.isEmpty ? nil : URL(fileURLWithPath: recoveryPath, isDirectory: false),
      resetInfo: isReset && !recoveryPath.isEmpty ? (recoveryPath, ActionToken(session: session)) : nil
    )
  }
}
