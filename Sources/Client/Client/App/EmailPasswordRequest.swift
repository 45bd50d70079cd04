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
    ServiceRequest(
      method: "POST",
      route: "\(configuration.appRoute)/auth/providers/local-userpass/\(path)",
      body: body,
      action: "\(action) at \(configuration.baseURL)"
    )
  }

  private var path: String {
    switch self {
    case .register: "register"
    case .confirm: "confirm"
    case .resendConfirmation: "confirm/send"
    case .retryConfirmationFunction: "confirm/call"
    case .sendReset: "reset/send"
    case .reset: "reset"
    case .callResetFunction: "reset/call"
    }
  }

  private var body: JSON {
    switch self {
    case .register(let email, let password): ["email": .string(email), "password": .string(password)]
    case .confirm(let token, let tokenID): ["token": .string(token), "tokenId": .string(tokenID)]
    case .resendConfirmation(let email), .retryConfirmationFunction(let email), .sendReset(let email):
      ["email": .string(email)]
    case .reset(let password, let token, let tokenID):
      ["password": .string(password), "token": .string(token), "tokenId": .string(tokenID)]
    case .callResetFunction(let email, let password, let arguments):
      ["email": .string(email), "password": .string(password), "arguments": .array(arguments)]
    }
  }

  private var action: String {
    switch self {
    case .register(let email, _): "register '\(email)'"
    case .confirm: "confirm the account"
    case .resendConfirmation(let email): "resend the confirmation email to '\(email)'"
    case .retryConfirmationFunction(let email): "retry the confirmation of '\(email)'"
    case .sendReset(let email): "send a password reset email to '\(email)'"
    case .reset: "reset the password"
    case .callResetFunction(let email, _, _): "reset the password of '\(email)'"
    }
  }
}
