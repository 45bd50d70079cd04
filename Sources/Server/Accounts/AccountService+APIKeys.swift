// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerStore

/// API keys, with which programs log in.
extension AccountService {
  /// Logs in with a key.
  package func login(apiKey: String, request: LoginRequest) throws -> LoginAnswer {
    try require(Provider.apiKey)
    guard request.linking == nil else { throw AccountError.linkingAPIKey }
    try beginAttempt(account: nil, address: request.requester.address)
    // Looked up by its digest, so the time it takes reveals nothing about existing keys.
    guard let key = try store.apiKey(digest: Identifiers.digest(apiKey)), !key.isDisabled,
      let user = try store.user(id: key.userID)
    else { throw AccountError.invalidAPIKey }
    succeeded(account: nil, address: request.requester.address)
    return try logIn(user, deviceID: request.deviceID, apiKeyID: key.id)
  }

  /// Creates a key for the user of a token.
  ///
  /// - Returns: The stored record and the key itself, which is not stored.
  package func createAPIKey(name: String, _ claims: TokenClaims) throws -> (record: APIKeyRecord, key: String)
  {
    let user = try keyOwner(claims)
    try expectNoKey(claims)
    guard APIKeyName.isValid(name) else { throw AccountError.invalidAPIKeyName }
    guard try store.apiKeys(userID: user.id).count < policy.apiKeysPerUser else {
      throw AccountError.badRequest(
        reason: "a user can have at most \(policy.apiKeysPerUser) API keys; delete one first"
      )
    }
    let key = Identifiers.makeSecret()
    let record = APIKeyRecord(key, userID: user.id, name: name, created: clock.seconds)
    guard try store.insert(record) else { throw AccountError.apiKeyExists }
    return (record, key)
  }

  /// Returns the keys of the user of a token.
  package func apiKeys(_ claims: TokenClaims) throws -> [APIKeyRecord] {
    try store.apiKeys(userID: try keyOwner(claims).id)
  }

  /// Returns one key of the user of a token.
  package func apiKey(id: String, _ claims: TokenClaims) throws -> APIKeyRecord {
    let owner = try keyOwner(claims)
    guard let key = try store.apiKey(id: id), key.userID == owner.id else {
      throw AccountError.apiKeyNotFound
    }
    return key
  }

  package func setDisabled(_ isDisabled: Bool, apiKeyID: String, _ claims: TokenClaims) throws {
    let key = try apiKey(id: apiKeyID, claims)
    if !isDisabled { try expectNoKey(claims) }
    try store.write { try editor.setDisabled(isDisabled, key) }
    try noticeChanges()
  }

  package func deleteAPIKey(id: String, _ claims: TokenClaims) throws {
    let key = try apiKey(id: id, claims)
    try store.write { try editor.delete(key) }
    try noticeChanges()
  }

  /// Refuses sessions that began with an API key: keys created by them would outlive it.
  private func expectNoKey(_ claims: TokenClaims) throws {
    guard try store.login(id: claims.sessionID)?.apiKeyID != nil else { return }
    throw AccountError.keyByKey
  }

  /// Returns the user of a token if that user may own keys: only users who can log in without them may.
  private func keyOwner(_ claims: TokenClaims) throws -> UserRecord {
    try require(Provider.apiKey)
    let user = try user(claims)
    let identities = try store.identities(userID: user.id)
    guard identities.contains(where: { $0.provider != Provider.anonymous && $0.provider != Provider.apiKey })
    else {
      throw AccountError.badRequest(
        reason:
          "only users who log in with an e-mail address or a custom token can have API keys; link such an "
          + "identity first"
      )
    }
    return user
  }
}
