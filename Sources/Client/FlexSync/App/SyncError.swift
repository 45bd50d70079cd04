// SPDX-License-Identifier: Apache-2.0

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
  /// After `Code.clientUserError` for a login that the server no longer accepts: the file of the realm. It stays, with
  /// what was not uploaded, also if the user is anonymous and so cannot log in again. A configuration with this
  /// `fileURL`, `readOnly` and no user opens it; `User.remove` deletes it.
  public let fileURL: URL?
  let resetInfo: (path: String, token: ActionToken)?

  /// A token for `SyncSession.immediatelyHandleError`.
  public struct ActionToken: Sendable {
    let session: SyncSession
  }

  /// For a client reset that is left to the app, the path to which the file is backed up before it is deleted, and a
  /// token to do so at once. Nil unless the code is `clientResetError`.
  public func clientResetInfo() -> (String, ActionToken)? { resetInfo.map { ($0.path, $0.token) } }

  /// The token of `clientResetInfo`, for code that only deletes the file.
  public func deleteRealmUserInfo() -> ActionToken? { resetInfo?.token }
}

extension SyncError.Code {
  /// Matches an error by its code, as in `catch SyncError.writeRejected`.
  public static func ~= (code: SyncError.Code, error: any Error) -> Bool {
    (error as? SyncError)?.code == code
  }
}

// For source compatibility: `SyncError.writeRejected` is the code, as in the Realm Swift SDK.
extension SyncError {
  public static let clientSessionError = Code.clientSessionError
  public static let clientUserError = Code.clientUserError
  public static let clientInternalError = Code.clientInternalError
  public static let clientResetError = Code.clientResetError
  public static let underlyingAuthError = Code.underlyingAuthError
  public static let permissionDeniedError = Code.permissionDeniedError
  public static let invalidFlexibleSyncSubscriptions = Code.invalidFlexibleSyncSubscriptions
  public static let writeRejected = Code.writeRejected
  public static let connectionFailed = Code.connectionFailed
  public static let tlsHandshakeFailed = Code.tlsHandshakeFailed
  public static let serverWarning = Code.serverWarning
}

extension SyncError: CustomNSError {
  public var errorCode: Int { code.rawValue }
}

extension SyncError: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { message }
  public var description: String { message }
}
