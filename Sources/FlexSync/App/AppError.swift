// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

/// An error of an app's server: accounts, tokens, connection.
public struct AppError: Error, Sendable {
  public enum Code: Int, Sendable {
    case connectionFailed = 1
    case tlsFailed = 2
    case badResponse = 3
    case serviceError = 4
    case invalidPassword = 5
    case accountNameInUse = 6
    case userNotFound = 7
    case invalidSession = 8
    case userLoggedOut = 9
    case appNotFound = 10
  }

  public static let errorDomain = "io.realm.app"

  public let code: Code
  /// What happened, on what, and what to do.
  public let message: String
  /// The HTTP status, or 0.
  public let httpStatusCode: Int

  init?(_ failure: StatusError) {
    switch failure.status {
    case .FLX_STATUS_CONNECTION_FAILED: code = .connectionFailed
    case .FLX_STATUS_TLS_FAILED: code = .tlsFailed
    case .FLX_STATUS_BAD_RESPONSE: code = .badResponse
    case .FLX_STATUS_SERVICE_ERROR: code = .serviceError
    case .FLX_STATUS_INVALID_PASSWORD: code = .invalidPassword
    case .FLX_STATUS_ACCOUNT_NAME_IN_USE: code = .accountNameInUse
    case .FLX_STATUS_USER_NOT_FOUND: code = .userNotFound
    case .FLX_STATUS_INVALID_SESSION: code = .invalidSession
    case .FLX_STATUS_USER_LOGGED_OUT: code = .userLoggedOut
    case .FLX_STATUS_APP_NOT_FOUND: code = .appNotFound
    default: return nil
    }
    message = failure.message
    httpStatusCode = Int(failure.code)
  }
}

extension AppError: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { message }
  public var description: String { message }
}
