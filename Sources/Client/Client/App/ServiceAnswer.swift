// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncJSON
import FlexSyncScheduling
import FlexSyncTransport

/// What an HTTP answer of the client API means (RealmClients §1).
enum ServiceAnswer {
  /// The JSON of a good answer; null if it has no body.
  /// - Parameter action: what was tried, as in "cannot *log in at https://…*".
  /// - Throws: `CoreError` with the HTTP status as its code.
  static func content(of response: HTTPResponse, action: String) throws -> JSON {
    // The errors of a proxy on the way may be no JSON; their status tells enough.
    let json = response.body.isEmpty ? JSON.null : try? JSON.parse(response.body)
    guard (200..<300).contains(response.status) else {
      throw failure(status: response.status, json, action: action)
    }
    guard let json else {
      throw CoreError(.FLX_STATUS_BAD_RESPONSE, "cannot \(action): the answer is not JSON")
    }
    return json
  }

  /// The text of a member that the answer must have.
  static func required(_ name: String, in answer: JSON, action: String) throws -> String {
    guard let text = answer[name]?.stringValue else {
      throw CoreError(.FLX_STATUS_BAD_RESPONSE, "cannot \(action): the answer lacks '\(name)'")
    }
    return text
  }

  /// The error for a request that had no answer.
  static func failure(_ error: TransportError, action: String) -> CoreError {
    let status = status(of: error)
    let isUnreachable = status == .FLX_STATUS_CONNECTION_FAILED || status == .FLX_STATUS_TIMED_OUT
    return CoreError(status, "cannot \(isUnreachable ? "reach the server to " : "")\(action): \(error)")
  }

  /// The status of a failure of the network.
  static func status(of error: TransportError) -> flx_status_t {
    switch error.kind {
    case .certificateRejected, .tlsFailed: .FLX_STATUS_TLS_FAILED
    case .timedOut: .FLX_STATUS_TIMED_OUT
    case .protocolViolation, .tooLarge: .FLX_STATUS_BAD_RESPONSE
    case .cancelled: .FLX_STATUS_CANCELED
    case .noResources: .FLX_STATUS_IO
    default: .FLX_STATUS_CONNECTION_FAILED
    }
  }

  private static func failure(status: Int, _ json: JSON?, action: String) -> CoreError {
    let name = json?["error_code"]?.stringValue ?? ""
    let words = json?["error"]?.stringValue ?? "HTTP status \(status)"
    var error = CoreError(
      self.status(ofServerCode: name),
      "cannot \(action): \(words)",
      code: Int32(clamping: status)
    )
    error.serverCode = name
    error.serverLogURL = json?["link"]?.stringValue ?? ""
    return error
  }

  /// The status for a name by which the server knows an error.
  private static func status(ofServerCode name: String) -> flx_status_t {
    switch name {
    case "InvalidPassword": .FLX_STATUS_INVALID_PASSWORD
    case "AccountNameInUse": .FLX_STATUS_ACCOUNT_NAME_IN_USE
    case "UserNotFound": .FLX_STATUS_USER_NOT_FOUND
    case "InvalidSession": .FLX_STATUS_INVALID_SESSION
    case "AppNotFound": .FLX_STATUS_APP_NOT_FOUND
    case "AuthProviderNotFound": .FLX_STATUS_AUTH_PROVIDER_NOT_FOUND
    case "UserDisabled": .FLX_STATUS_USER_DISABLED
    case "UserAlreadyConfirmed": .FLX_STATUS_USER_ALREADY_CONFIRMED
    case "APIKeyNotFound": .FLX_STATUS_API_KEY_NOT_FOUND
    case "APIKeyAlreadyExists": .FLX_STATUS_API_KEY_EXISTS
    default: .FLX_STATUS_SERVICE_ERROR
    }
  }
}
