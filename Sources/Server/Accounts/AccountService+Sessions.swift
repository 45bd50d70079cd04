// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncServerStore

/// Logging in and out, once the user has been authenticated.
extension AccountService {
  /// The result of a successful log-in.
  package struct LoginAnswer {
    package let userID: String
    package let deviceID: String
    package let accessToken: String
    package let refreshToken: String
  }

  /// The context of a log-in request.
  package struct LoginRequest {
    let requester: Requester
    let deviceID: String?
    /// The token of the user to link the credentials with.
    package var linking: TokenClaims?

    package init(of requester: Requester, deviceID: String? = nil) {
      self.requester = requester
      self.deviceID = deviceID
    }
  }

  /// Logs in with a verified identity. Creates its user at the first log-in.
  func logIn(_ identity: IdentityRecord, _ request: LoginRequest) throws -> LoginAnswer {
    if let claims = request.linking { return try link(identity, with: claims) }
    guard let userID = identity.userID, let user = try store.user(id: userID) else {
      return try store.write {
        let user = UserRecord(id: Identifiers.make(), created: clock.seconds)
        try store.insert(user)
        var identity = identity
        identity.userID = user.id
        try put(identity)
        return try logIn(user, deviceID: request.deviceID)
      }
    }
    return try logIn(user, deviceID: request.deviceID)
  }

  /// - Parameter apiKeyID: The key used to log in; nil for other credentials.
  func logIn(_ user: UserRecord, deviceID: String?, apiKeyID: String? = nil) throws -> LoginAnswer {
    guard !user.isDisabled else { throw AccountError(refusing: user) }
    let now = clock.seconds
    var login = LoginRecord(
      id: Identifiers.make(),
      userID: user.id,
      deviceID: deviceID ?? Identifiers.make(),
      expires: now + policy.sessionSeconds
    )
    login.apiKeyID = apiKeyID
    try store.write {
      // Another process may have disabled the user or the key in the meantime without knowing about this log-in.
      guard try store.user(id: user.id)?.isDisabled == false else { throw AccountError.userDisabled }
      if let apiKeyID, try store.apiKey(id: apiKeyID)?.isDisabled != false {
        throw AccountError.invalidAPIKey
      }
      try store.insert(login, now: now)
      try store.noteLogin(userID: user.id, time: now)
    }
    return try answer(login, now: now)
  }

  /// Inserts or updates an identity. Must be called inside a write.
  private func put(_ identity: IdentityRecord) throws {
    if try store.insert(identity) { return }
    try store.update(identity)
  }

  private func answer(_ login: LoginRecord, now: Int64) throws -> LoginAnswer {
    LoginAnswer(
      userID: login.userID,
      deviceID: login.deviceID,
      accessToken: try accessToken(login, now: now),
      refreshToken: signer.sign(claims(of: login, kind: .refresh, now: now))
    )
  }

  private func accessToken(_ login: LoginRecord, now: Int64) throws -> String {
    signer.sign(claims(of: login, kind: .access, now: now), userData: try tokenUserData(login.userID))
  }

  private func claims(of login: LoginRecord, kind: TokenClaims.Kind, now: Int64) -> TokenClaims {
    TokenClaims(
      kind: kind,
      appID: app.appID,
      userID: login.userID,
      deviceID: login.deviceID,
      sessionID: login.id,
      issuedAt: now,
      expiresAt: kind == .access ? min(login.expires, now + policy.accessTokenSeconds) : login.expires
    )
  }

  /// Returns a new access token for the bearer of a refresh token.
  package func refresh(_ claims: TokenClaims) throws -> String {
    let (login, _) = try activeLogin(claims)
    return try accessToken(login, now: clock.seconds)
  }

  /// Revokes the log-in that a token belongs to.
  package func logOut(_ claims: TokenClaims) throws {
    try store.deleteLogin(id: claims.sessionID)
    onLoginsRevoked?(claims.userID)
  }

  /// Returns the user of a token. Throws if the user is logged out, disabled or deleted.
  package func user(_ claims: TokenClaims) throws -> UserRecord { try activeLogin(claims).1 }

  /// Whether the log-in that a token belongs to is still valid: neither revoked nor expired.
  package func isLoggedIn(_ claims: TokenClaims) throws -> Bool {
    guard let login = try store.login(id: claims.sessionID) else { return false }
    return login.userID == claims.userID && login.expires > clock.seconds
  }

  /// Deletes the user of a token.
  package func deleteUser(_ claims: TokenClaims) throws {
    let id = try user(claims).id
    // Connections end first, because they use the files that are deleted with the user.
    onUserEnded?(id, AccountError.userNotFound.message)
    try change(id) { try store.deleteUser(id: id) }
  }

  /// Returns the valid log-in and user of a token. The bearer of a token signed by this server may learn why it is
  /// no longer valid.
  private func activeLogin(_ claims: TokenClaims) throws -> (LoginRecord, UserRecord) {
    guard let user = try store.user(id: claims.userID) else { throw AccountError.userDeleted }
    guard !user.isDisabled else { throw AccountError(refusing: user) }
    guard let login = try store.login(id: claims.sessionID), login.userID == claims.userID,
      login.expires > clock.seconds
    else { throw AccountError.invalidSession }
    return (login, user)
  }

  // MARK: Anonymous

  /// Creates a user without credentials and logs it in.
  package func loginAnonymously(_ request: LoginRequest) throws -> LoginAnswer {
    guard request.linking == nil else { throw AccountError.linkingAnonymous }
    let limit = limits.anonymousUsersPerAddress
    if limit > 0 {
      try limiter.begin(.anonymousUser(address: request.requester.address), limit: limit, now: clock.seconds)
    }
    let id = Identifiers.make()
    let identity = IdentityRecord(provider: Provider.anonymous, subject: id, id: id, created: clock.seconds)
    return try logIn(identity, request)
  }

  // MARK: Linking

  /// Adds an identity to the user of a token.
  private func link(_ identity: IdentityRecord, with claims: TokenClaims) throws -> LoginAnswer {
    let (login, user) = try activeLogin(claims)
    guard identity.userID == nil else { throw AccountError.identityInUse }
    let own = try store.identities(userID: user.id)
    if login.apiKeyID != nil, !AccountService.hasNothingButKeys(user, own) { throw AccountError.linkingByKey }
    guard !own.contains(where: { $0.provider == identity.provider }) else {
      throw AccountError.linkingSecond(provider: identity.provider)
    }
    try change(user.id) {
      var identity = identity
      identity.userID = user.id
      try put(identity)
    }
    return try answer(login, now: clock.seconds)
  }

  /// Whether the user was anonymous on another server and migrated with an API key. Such a user has only keys to
  /// link with.
  private static func hasNothingButKeys(_ user: UserRecord, _ identities: [IdentityRecord]) -> Bool {
    !user.isServer && identities.contains { $0.provider == Provider.anonymous }
      && identities.allSatisfy { $0.provider == Provider.anonymous || $0.provider == Provider.apiKey }
  }

  /// - Throws: `AccountError` if the app does not have the provider or has it turned off.
  package func require(_ provider: String) throws(AccountError) {
    guard app.providers.isEnabled(provider) else { throw providerNotFound(provider) }
  }

  /// Returns the error for a provider that cannot be used.
  func providerNotFound(_ provider: String) -> AccountError {
    app.providers.notCarriedOver.contains(provider)
      ? .providerNotCarriedOver(name: provider) : .providerNotFound(name: provider)
  }
}
