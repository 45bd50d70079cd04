// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// A request to the email/password provider (RealmClients §1).
enum EmailPasswordRequest: Sendable {
  case register(email: String, password: String)
  case confirm(token: String, tokenID: String)
  case resendConfirmation(email: String)
  case retryConfirmationFunction(email: String)
  case sendReset(email: String)
  case reset(password: String, token: String, tokenID: String)
  case callResetFunction(email: String, password: String, arguments: [JSON])

  func request(_ configuration: AppConfiguration) -> ServiceRequest {
    let (path, body, action) = parts
    return ServiceRequest(
      method: "POST",
      route: "\(configuration.appRoute)/auth/providers/local-userpass/\(path)",
      body: body,
      action: "\(action) at \(configuration.baseURL)"
    )
  }

  private var parts: (path: String, body: JSON, action: String) {
    switch self {
    case .register(let email, let password):
      ("register", ["email": .string(email), "password": .string(password)], "register '\(email)'")
    case .confirm(let token, let tokenID):
      ("confirm", ["token": .string(token), "tokenId": .string(tokenID)], "confirm the account")
    case .resendConfirmation(let email):
      ("confirm/send", ["email": .string(email)], "resend the confirmation email to '\(email)'")
    case .retryConfirmationFunction(let email):
      ("confirm/call", ["email": .string(email)], "retry the confirmation of '\(email)'")
    case .sendReset(let email):
      ("reset/send", ["email": .string(email)], "send a password reset email to '\(email)'")
    case .reset(let password, let token, let tokenID):
      (
        "reset", ["password": .string(password), "token": .string(token), "tokenId": .string(tokenID)],
        "reset the password"
      )
    case .callResetFunction(let email, let password, let arguments):
      (
        "reset/call",
        ["email": .string(email), "password": .string(password), "arguments": .array(arguments)],
        "reset the password of '\(email)'"
      )
    }
  }
}
