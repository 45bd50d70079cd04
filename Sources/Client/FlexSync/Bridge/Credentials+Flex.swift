// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension Credentials {
  /// Lends the credentials to C for the duration of `body`.
  func withFlex(_ body: (UnsafePointer<flx_credentials_t>) -> Void) {
    let arena = TextArena()
    let (kind, name, secret) = parts
    var credentials = flx_credentials_t()
    credentials.kind = kind
    credentials.name = arena.text(name)
    credentials.secret = arena.text(secret)
    withExtendedLifetime(arena) { body(&credentials) }
  }

  private var parts: (kind: flx_credentials_kind_t, name: String, secret: String) {
    switch self {
    case .anonymous: (.FLX_CREDENTIALS_ANONYMOUS, "", "")
    case .emailPassword(let email, let password): (.FLX_CREDENTIALS_EMAIL_PASSWORD, email, password)
    case .userAPIKey(let key), .serverAPIKey(let key): (.FLX_CREDENTIALS_API_KEY, "", key)
    case .jwt(let token): (.FLX_CREDENTIALS_JWT, "", token)
    case .function(let payload): (.FLX_CREDENTIALS_FUNCTION, "", ExtendedJSON.text(payload))
    case .google(let code): (.FLX_CREDENTIALS_GOOGLE_AUTH_CODE, "", code)
    case .googleId(let token): (.FLX_CREDENTIALS_GOOGLE_ID_TOKEN, "", token)
    case .apple(let token): (.FLX_CREDENTIALS_APPLE, "", token)
    case .facebook(let token): (.FLX_CREDENTIALS_FACEBOOK, "", token)
    }
  }
}
