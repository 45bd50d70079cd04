// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An error in communicating with an app's server: accounts, tokens, connection.
public struct AppError: Error, Sendable {
  /// The kind of error. Numbers below 100 are those of the Realm Swift SDK.
  public enum Code: Int, Sendable, CaseIterable {
    /// An error without a case of its own: see `serverCode` and `message`.
    case unknown = -1
    /// The server answered with an HTTP error status and nothing else.
    case httpRequestFailed = 1
    /// The server no longer accepts the login: log in again.
    case invalidSession = 2
    case badRequest = 3
    case userNotFound = 4
    case userAppDomainMismatch = 5
    case domainNotAllowed = 6
    case readSizeLimitExceeded = 7
    case invalidParameter = 8
    case missingParameter = 9
    case functionExecutionError = 10
    case internalServerError = 11
    /// The app does not allow this kind of login.
    case authProviderNotFound = 12
    case valueNotFound = 13
    case valueAlreadyExists = 14
    case valueDuplicateName = 15
    case functionNotFound = 16
    case functionSyntaxError = 17
    case functionInvalid = 18
    case apiKeyAlreadyExists = 19
    case executionTimeLimitExceeded = 20
    case notCallable = 21
    case userAlreadyConfirmed = 22
    case userDisabled = 23
    case authError = 24
    case accountNameInUse = 25
    case invalidPassword = 26
    case maintenanceInProgress = 27
    case mongoDBError = 28
    /// The server could not be reached.
    case connectionFailed = 100
    case tlsFailed = 101
    /// The server's answer was not understood.
    case badResponse = 102
    case appNotFound = 103
    /// The user is logged out on this device.
    case userLoggedOut = 104
    case apiKeyNotFound = 105
  }

  public static let errorDomain = "io.realm.app"

  public let code: Code
  /// A message that says what happened, to what, and what to do about it.
  public let message: String
  /// The HTTP status, or 0.
  public let httpStatusCode: Int
  /// The server's name for the error, such as "AuthProviderNotFound"; empty if it gave none.
  public let serverCode: String
  /// The URL of the server's log of the failed request, if it gave one.
  public let serverLogURL: URL?

  /// Creates the error for an answer that was not understood.
  init(badResponse message: String) {
    code = .badResponse
    self.message = message
    httpStatusCode = 0
    serverCode = ""
    serverLogURL = nil
  }

  /// Creates the error for a status that concerns the server of an app; nil for any other status.
  init?(_ failure: StatusError) {
    guard let known = Code(failure.status) else { return nil }
    code = Code.byServerCode[failure.serverCode] ?? known.refined(failure)
    message = failure.message
    httpStatusCode = Int(failure.code)
    serverCode = failure.serverCode
    serverLogURL = failure.serverLogURL.isEmpty ? nil : URL(string: failure.serverLogURL)
  }
}

extension AppError: CustomNSError {
  public var errorCode: Int { code.rawValue }
}

extension AppError: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { message }
  public var description: String { message }
}

extension AppError.Code {
  /// The code, or `httpRequestFailed` for an unknown error to which the server gave no name.
  fileprivate func refined(_ failure: StatusError) -> AppError.Code {
    self == .unknown && failure.serverCode.isEmpty ? .httpRequestFailed : self
  }

  /// The codes by the names that servers use.
  fileprivate static let byServerCode: [String: AppError.Code] = [
    "InvalidSession": .invalidSession, "BadRequest": .badRequest, "UserNotFound": .userNotFound,
    "UserAppDomainMismatch": .userAppDomainMismatch, "DomainNotAllowed": .domainNotAllowed,
    "ReadSizeLimitExceeded": .readSizeLimitExceeded, "InvalidParameter": .invalidParameter,
    "MissingParameter": .missingParameter, "FunctionExecutionError": .functionExecutionError,
    "InternalServerError": .internalServerError, "AuthProviderNotFound": .authProviderNotFound,
    "ValueNotFound": .valueNotFound, "ValueAlreadyExists": .valueAlreadyExists,
    "ValueDuplicateName": .valueDuplicateName, "FunctionNotFound": .functionNotFound,
    "FunctionSyntaxError": .functionSyntaxError, "FunctionInvalid": .functionInvalid,
    "APIKeyAlreadyExists": .apiKeyAlreadyExists, "ExecutionTimeLimitExceeded": .executionTimeLimitExceeded,
    "NotCallable": .notCallable, "UserAlreadyConfirmed": .userAlreadyConfirmed, "UserDisabled": .userDisabled,
    "AuthError": .authError, "AccountNameInUse": .accountNameInUse, "InvalidPassword": .invalidPassword,
    "MaintenanceInProgress": .maintenanceInProgress, "MongoDBError": .mongoDBError,
  ]

  /// Matches an error by its code, as in `catch AppError.invalidPassword`.
  public static func ~= (code: AppError.Code, error: any Error) -> Bool { (error as? AppError)?.code == code }
}

// For source compatibility: `AppError.invalidPassword` is the code, as in the Realm Swift SDK.
extension AppError {
  public static let unknown = Code.unknown
  public static let httpRequestFailed = Code.httpRequestFailed
  public static let invalidSession = Code.invalidSession
  public static let badRequest = Code.badRequest
  public static let userNotFound = Code.userNotFound
  public static let functionNotFound = Code.functionNotFound
  public static let invalidParameter = Code.invalidParameter
  public static let missingParameter = Code.missingParameter
  public static let functionExecutionError = Code.functionExecutionError
  public static let internalServerError = Code.internalServerError
  public static let authProviderNotFound = Code.authProviderNotFound
  public static let apiKeyAlreadyExists = Code.apiKeyAlreadyExists
  public static let userAlreadyConfirmed = Code.userAlreadyConfirmed
  public static let userDisabled = Code.userDisabled
  public static let authError = Code.authError
  public static let accountNameInUse = Code.accountNameInUse
  public static let invalidPassword = Code.invalidPassword
  public static let mongoDBError = Code.mongoDBError
}
