// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// How a user proves an identity.
public enum Credentials: Sendable {
  case anonymous
  case emailPassword(email: String, password: String)
  case userAPIKey(String)
  case serverAPIKey(String)
  case jwt(token: String)

  func withFlex(_ body: (UnsafePointer<flx_credentials_t>) -> Void) {
    let arena = TextArena()
    var credentials = flx_credentials_t()
    switch self {
    case .anonymous: credentials.kind = .FLX_CREDENTIALS_ANONYMOUS
    case .emailPassword(let email, let password):
      credentials.kind = .FLX_CREDENTIALS_EMAIL_PASSWORD
      credentials.name = arena.text(email)
      credentials.secret = arena.text(password)
    case .userAPIKey(let key), .serverAPIKey(let key):
      credentials.kind = .FLX_CREDENTIALS_API_KEY
      credentials.secret = arena.text(key)
    case .jwt(let token):
      credentials.kind = .FLX_CREDENTIALS_JWT
      credentials.secret = arena.text(token)
    }
    withExtendedLifetime(arena) { body(&credentials) }
  }
}
