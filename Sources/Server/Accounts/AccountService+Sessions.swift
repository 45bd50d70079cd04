// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncServerStore

/// Logging in and out, once it is known who somebody is.
extension AccountService {
  /// What a successful log-in gives.
  package struct LoginAnswer {
    package let userID: String
    package let deviceID: String
    package let accessToken: String
    package let refreshToken: String
  }

  /// Who asks for a log-in, from where.
  package struct LoginRequest {
    /// See `ClientAddress`.
    var address: String
    var deviceID: String?
    /// The token of the user whom the credentials are to be linked with.
    package var linking: TokenClaims?
    /// Tells when the client has gone.
    var cancellation: RequestCancellation

    package init(
      address: String,
      deviceID: String? = nil,
      linking: TokenClaims? = nil,
      cancellation: RequestCancellation = RequestCancellation()
    ) {
      self.address = address
      self.deviceID = deviceID
      self.linking = linking
      self.cancellation = cancellation
    }
  }

  /// Logs in with an identity that has been proved; at its first log-in it becomes a user.
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

  /// - Parameter apiKeyID: the key that logs in; nil for other credentials.
  func logIn(_ user: UserRecord, deviceID: String?, apiKeyID: String? = nil) throws -> LoginAnswer {
    guard !user.isDisabled else { throw AccountError.userDisabled }
    let now = clock.seconds
    let login = LoginRecord(
      id: Identifiers.make(),
      userID: user.id,
      deviceID: deviceID ?? Identifiers.make(),
      expires: now + policy.sessionSeconds,
      apiKeyID: apiKeyID
    )
    try store.write {
      // Another process may have disabled the user or the key meanwhile, and would not know of this log-in.
      guard try store.user(id: user.id)?.isDisabled == false else { throw AccountError.userDisabled }
      if let apiKeyID, try store.apiKey(id: apiKeyID)?.isDisabled != false {
        throw AccountError.invalidAPIKey
      }
      try store.insert(login, now: now)
      try store.noteLogin(userID: user.id, time: now)
    }
    return try answer(login, now: now)
  }

  /// Stores an identity, new or changed. Inside a write.
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

  /// A new access token for the bearer of a refresh token.
  package func refresh(_ claims: TokenClaims) throws -> String {
    let (login, _) = try activeLogin(claims)
    return try accessToken(login, now: clock.seconds)
  }

  /// Revokes the log-in that a token comes from.
  package func logOut(_ claims: TokenClaims) throws {
    try store.deleteLogin(id: claims.sessionID)
    onLoginsRevoked?(claims.userID)
  }

  /// The user of a token, unless logged out, disabled or deleted.
  package func user(_ claims: TokenClaims) throws -> UserRecord { try activeLogin(claims).1 }

  /// Whether nobody has revoked the log-in that a token comes from.
  package func isLoggedIn(_ claims: TokenClaims) throws -> Bool {
    guard let login = try store.login(id: claims.sessionID) else { return false }
    return login.userID == claims.userID && login.expires > clock.seconds
  }

  /// Deletes the user of a token.
  package func deleteUser(_ claims: TokenClaims) throws {
    let id = try user(claims).id
    // The connections first: they use the files that go with the user.
    onUserEnded?(id, AccountError.userNotFound.message)
    try change(id) { try store.deleteUser(id: id) }
  }

  /// The bearer of a token of this server may know why it is worth nothing any more.
  private func activeLogin(_ claims: TokenClaims) throws -> (LoginRecord, UserRecord) {
    guard let user = try store.user(id: claims.userID) else { throw AccountError.userDeleted }
    guard !user.isDisabled else { throw AccountError.userDisabled }
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
      try limiter.begin(.anonymousUser(address: request.address), limit: limit, now: clock.seconds)
    }
    let id = Identifiers.make()
    let identity = IdentityRecord(
      provider: Provider.anonymous,
      subject: id,
      id: id,
      userID: nil,
      created: clock.seconds
    )
    return try logIn(identity, request)
  }

  // MARK: Linking

  /// Gives the user of a token one more identity.
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

  /// Whether a user was anonymous at another server and came back by a key: then a key is all that there is to link with.
  private static func hasNothingButKeys(_ user: UserRecord, _ identities: [IdentityRecord]) -> Bool {
    !user.isServer && identities.contains { $0.provider == Provider.anonymous }
      && identities.allSatisfy { $0.provider == Provider.anonymous || $0.provider == Provider.apiKey }
  }

  /// - Throws: `AccountError` if the app has no such provider, or it is off.
  package func require(_ provider: String) throws(AccountError) {
    let isThere =
      switch provider {
      case Provider.anonymous: app.providers.allowsAnonymous
      case Provider.emailPassword: app.providers.emailPassword != nil
      case Provider.apiKey: app.providers.allowsAPIKeys
      case Provider.customToken: app.providers.customToken != nil
      default: false
      }
    guard isThere else { throw providerNotFound(provider) }
  }

  /// Why a provider cannot be used.
  func providerNotFound(_ provider: String) -> AccountError {
    app.providers.notCarriedOver.contains(provider)
      ? .providerNotCarriedOver(name: provider) : .providerNotFound(name: provider)
  }
}
