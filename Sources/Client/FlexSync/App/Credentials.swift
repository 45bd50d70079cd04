// SPDX-License-Identifier: Apache-2.0

/// Proof of a user's identity. The server refuses kinds that its app does not allow, with an `AppError` of code
/// `authProviderNotFound`.
public enum Credentials: Sendable {
  /// The anonymous user who is logged in, or else a new one.
  case anonymous
  case emailPassword(email: String, password: String)
  /// A key that a user created with `APIKeyAuth`.
  case userAPIKey(String)
  /// A key that the server's administrator created.
  case serverAPIKey(String)
  case jwt(token: String)
  /// A document that is passed to a function of the app.
  case function(payload: Document)
  case google(serverAuthCode: String)
  case googleId(token: String)
  case apple(idToken: String)
  case facebook(accessToken: String)
}
