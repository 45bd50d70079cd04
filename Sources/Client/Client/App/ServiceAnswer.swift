// SPDX-License-Identifier: Apache-2.0

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
      throw CoreError(.badResponse, "cannot \(action): the response is not JSON")
    }
    return json
  }

  /// Returns the text of a mandatory member.
  static func required(_ name: String, in answer: JSON, action: String) throws -> String {
    guard let text = answer[name]?.stringValue else {
      throw CoreError(.badResponse, "cannot \(action): the response lacks '\(name)'")
    }
    return text
  }

  /// Returns the error for a request that got no answer.
  static func failure(_ error: TransportError, action: String) -> CoreError {
    let status = status(of: error)
    let isUnreachable = status == .connectionFailed || status == .timedOut
    return CoreError(status, "cannot \(isUnreachable ? "reach the server to " : "")\(action): \(error)")
  }

  /// Returns the status for a network failure.
  static func status(of error: TransportError) -> Status {
    switch error.kind {
    case .certificateRejected, .tlsFailed: .tlsFailed
    case .timedOut: .timedOut
    case .protocolViolation, .tooLarge: .badResponse
    case .cancelled: .canceled
    case .noResources: .io
    default: .connectionFailed
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
  private static func status(ofServerCode name: String) -> Status {
    switch name {
    case "InvalidPassword": .invalidPassword
    case "AccountNameInUse": .accountNameInUse
    case "UserNotFound": .userNotFound
    case "InvalidSession": .invalidSession
    case "AppNotFound": .appNotFound
    case "AuthProviderNotFound": .authProviderNotFound
    case "UserDisabled": .userDisabled
    case "UserAlreadyConfirmed": .userAlreadyConfirmed
    case "APIKeyNotFound": .apiKeyNotFound
    case "APIKeyAlreadyExists": .apiKeyExists
    default: .serviceError
    }
  }
}
