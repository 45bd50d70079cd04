// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncJSON
import FlexSyncScheduling
import FlexSyncTransport

/// The meaning of HTTP answers of the client API (RealmClients §1).
enum ServiceAnswer {
  /// Returns the JSON of a successful answer; null if the body is empty.
  /// - Parameter action: the attempted action, as in "cannot *log in to https://…*".
  /// - Throws: `CoreError` with the HTTP status as its code if the request failed; BAD_RESPONSE if the body is not
  ///   JSON.
  static func content(of response: HTTPResponse, action: String) throws -> JSON {
    // An error from a proxy on the way may not be JSON; the status says enough.
    let json = response.body.isEmpty ? JSON.null : try? JSON.parse(response.body)
    guard (200..<300).contains(response.status) else {
      throw failure(status: response.status, json, action: action)
    }
    guard let json else {
      throw CoreError(.FLX_STATUS_BAD_RESPONSE, "cannot \(action): the response is not JSON")
    }
    return json
  }

  /// Returns the text of a mandatory member.
  static func required(_ name: String, in answer: JSON, action: String) throws -> String {
    guard let text = answer[name]?.stringValue else {
      throw CoreError(.FLX_STATUS_BAD_RESPONSE, "cannot \(action): the response lacks '\(name)'")
    }
    return text
  }

  /// Returns the error for a request that got no answer.
  static func failure(_ error: TransportError, action: String) -> CoreError {
    let status = status(of: error)
    let isUnreachable = status == .FLX_STATUS_CONNECTION_FAILED || status == .FLX_STATUS_TIMED_OUT
    return CoreError(status, "cannot \(isUnreachable ? "reach the server to " : "")\(action): \(error)")
  }

  /// Returns the status for a network failure.
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

  /// Returns the status for the server's name of an error.
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
