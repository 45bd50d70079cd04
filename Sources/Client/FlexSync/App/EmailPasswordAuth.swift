// SPDX-License-Identifier: Apache-2.0

/// Accounts with email and password.
///
/// Each request has two forms: one is asynchronous and throws `AppError`, the other takes a completion, which is
/// called on a background thread with nil or the error.
public struct EmailPasswordAuth: Sendable {
  public typealias Completion = @Sendable ((any Error)?) -> Void

  let app: App

  /// Registers an account, without logging in. The error has the code `accountNameInUse` if the account exists.
  public func registerUser(email: String, password: String) async throws {
    try await send(registration(email, password))
  }

  public func registerUser(email: String, password: String, completion: @escaping Completion) {
    send(registration(email, password), completion)
  }

  /// Confirms an account with the token and the token id from the confirmation email.
  public func confirmUser(_ token: String, tokenId: String) async throws {
    try await send(confirmation(token, tokenId))
  }

  public func confirmUser(_ token: String, tokenId: String, completion: @escaping Completion) {
    send(confirmation(token, tokenId), completion)
  }

  /// Asks the server to send the confirmation email again.
  public func resendConfirmationEmail(_ email: String) async throws {
    try await send(confirmationMail(email))
  }

  public func resendConfirmationEmail(_ email: String, completion: @escaping Completion) {
    send(confirmationMail(email), completion)
  }

  /// Asks the server to call the app's confirmation function again.
  public func retryCustomConfirmation(_ email: String) async throws {
    try await send(confirmationFunction(email))
  }

  public func retryCustomConfirmation(_ email: String, completion: @escaping Completion) {
    send(confirmationFunction(email), completion)
  }

  /// Asks the server to send a password reset email.
  public func sendResetPasswordEmail(_ email: String) async throws { try await send(resetMail(email)) }

  public func sendResetPasswordEmail(_ email: String, completion: @escaping Completion) {
    send(resetMail(email), completion)
  }

  /// Sets a new password with the token and the token id from a password reset email.
  public func resetPassword(to password: String, token: String, tokenId: String) async throws {
    try await send(reset(password, token, tokenId))
  }

  public func resetPassword(
    to password: String,
    token: String,
    tokenId: String,
    completion: @escaping Completion
  ) {
    send(reset(password, token, tokenId), completion)
  }

  /// Asks the server to call the app's password reset function.
  ///
  /// - Parameter args: further arguments for the function.
  public func callResetPasswordFunction(email: String, password: String, args: [AnyBSON]) async throws {
    try await send(resetFunction(email, password, args))
  }

  public func callResetPasswordFunction(
    email: String,
    password: String,
    args: [AnyBSON],
    _ completion: @escaping Completion
  ) {
    send(resetFunction(email, password, args), completion)
  }
}

// The forms with a label, named like the publishers of the Realm Swift SDK.
extension EmailPasswordAuth {
  /// Asks the server to send the confirmation email again.
  public func resendConfirmationEmail(email: String) async throws { try await resendConfirmationEmail(email) }

  /// Asks the server to call the app's confirmation function again.
  public func retryCustomConfirmation(email: String) async throws { try await retryCustomConfirmation(email) }

  /// Asks the server to send a password reset email.
  public func sendResetPasswordEmail(email: String) async throws { try await sendResetPasswordEmail(email) }
}
