// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerStore

/// Tokens issued by another system.
extension AccountService {
  /// Logs in with a JSON Web Token. The user's data are taken from the newest token.
  package func login(token: String, request: LoginRequest) throws -> LoginAnswer {
    guard let tokenVerifier else { throw providerNotFound(Provider.customToken) }
    try beginAttempt(account: nil, address: request.requester.address)
    let proved = try tokenVerifier.verify(token, now: clock.seconds)
    succeeded(account: nil, address: request.requester.address)
    let data = proved.data.serialized
    guard var identity = try store.identity(provider: Provider.customToken, subject: proved.subject) else {
      var identity = IdentityRecord(
        provider: Provider.customToken,
        subject: proved.subject,
        id: proved.subject,
        created: clock.seconds
      )
      identity.data = data
      return try logIn(identity, request)
    }
    if identity.data != data, let userID = identity.userID, request.linking == nil {
      identity.data = data
      try change(userID) { try store.update(identity) }
    }
    return try logIn(identity, request)
  }
}
