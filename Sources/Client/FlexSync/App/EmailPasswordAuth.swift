// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Accounts with email and password.
///
/// Each request comes in two forms: one that awaits, and throws `AppError`, and one with a completion, which is called on a
/// background thread with nil or the error.
public struct EmailPasswordAuth: Sendable {
  public typealias Completion = @Sendable ((any Error)?) -> Void

  let app: App

  /// Registers an account; it does not log in. The error has the code `accountNameInUse` if the account exists.
  public func registerUser(email: String, password: String) async throws {
    try await send(registration(email, password))
  }

  public func registerUser(email: String, password: String, completion: @escaping Completion) {
    send(registration(email, password), completion)
  }

  /// Confirms an account with the token and the token id of the confirmation mail.
  public func confirmUser(_ token: String, tokenId: String) async throws {
    try await send(confirmation(token, tokenId))
  }

  public func confirmUser(_ token: String, tokenId: String, completion: @escaping Completion) {
    send(confirmation(token, tokenId), completion)
  }

  /// Has the confirmation mail sent again.
  public func resendConfirmationEmail(_ email: String) async throws {
    try await send(confirmationMail(email))
  }

  public func resendConfirmationEmail(_ email: String, completion: @escaping Completion) {
    send(confirmationMail(email), completion)
  }

  /// Has the confirmation function of the app called again.
  public func retryCustomConfirmation(_ email: String) async throws {
    try await send(confirmationFunction(email))
  }

  public func retryCustomConfirmation(_ email: String, completion: @escaping Completion) {
    send(confirmationFunction(email), completion)
  }

  /// Has a mail sent with which the password can be reset.
  public func sendResetPasswordEmail(_ email: String) async throws { try await send(resetMail(email)) }

  public func sendResetPasswordEmail(_ email: String, completion: @escaping Completion) {
    send(resetMail(email), completion)
  }

  /// Sets a new password with the token and the token id of a reset mail.
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

  /// Has the password reset function of the app called.
  ///
  /// - Parameter args: what else the function gets.
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

// The names with a label, as the publishers of the Realm Swift SDK have them.
extension EmailPasswordAuth {
  /// Has the confirmation mail sent again.
  public func resendConfirmationEmail(email: String) async throws { try await resendConfirmationEmail(email) }

  /// Has the confirmation function of the app called again.
  public func retryCustomConfirmation(email: String) async throws { try await retryCustomConfirmation(email) }

  /// Has a mail sent with which the password can be reset.
  public func sendResetPasswordEmail(email: String) async throws { try await sendResetPasswordEmail(email) }
}

// MARK: - Requests

extension EmailPasswordAuth {
  /// A function of the C interface and its texts.
  private struct Request {
    let texts: [String]
    let start: (OpaquePointer, [flx_string_t], UnsafeMutableRawPointer) -> Void
  }

  private func registration(_ email: String, _ password: String) -> Request {
    Request(texts: [email, password]) {
      flx_app_register_email($0, $1[0], $1[1], callCompletion, $2, freeCallbackBox)
    }
  }

  private func confirmation(_ token: String, _ tokenID: String) -> Request {
    Request(texts: [token, tokenID]) {
      flx_app_confirm_email($0, $1[0], $1[1], callCompletion, $2, freeCallbackBox)
    }
  }

  private func confirmationMail(_ email: String) -> Request {
    Request(texts: [email]) { flx_app_resend_confirmation($0, $1[0], callCompletion, $2, freeCallbackBox) }
  }

  private func confirmationFunction(_ email: String) -> Request {
    Request(texts: [email]) {
      flx_app_retry_confirmation_function($0, $1[0], callCompletion, $2, freeCallbackBox)
    }
  }

  private func resetMail(_ email: String) -> Request {
    Request(texts: [email]) { flx_app_send_password_reset($0, $1[0], callCompletion, $2, freeCallbackBox) }
  }

  private func reset(_ password: String, _ token: String, _ tokenID: String) -> Request {
    Request(texts: [password, token, tokenID]) {
      flx_app_reset_password($0, $1[0], $1[1], $1[2], callCompletion, $2, freeCallbackBox)
    }
  }

  private func resetFunction(_ email: String, _ password: String, _ arguments: [AnyBSON]) -> Request {
    Request(texts: [email, password, ExtendedJSON.text(arguments)]) {
      flx_app_call_password_reset_function($0, $1[0], $1[1], $1[2], callCompletion, $2, freeCallbackBox)
    }
  }

  private func send(_ request: Request, _ completion: @escaping Completion) {
    startOperation(completion) { start(request, $0) }
  }

  private func send(_ request: Request) async throws {
    try await awaitCompletion(isolation: nil) { start(request, $0) }
  }

  private func start(_ request: Request, _ userdata: UnsafeMutableRawPointer) {
    let arena = TextArena()
    let texts = request.texts.map(arena.text)
    withExtendedLifetime(arena) { request.start(app.pointer, texts, userdata) }
  }
}
