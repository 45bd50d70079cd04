// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncModel
import FlexSyncStorage

/// Runs work that takes long beside the event loop.
package protocol BlockingWorker {
  /// Runs `work` on another thread and then `completion` on the loop.
  func performBlocking<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result,
    completion: @escaping (Result) -> Void
  )
}

/// The users of one app: registering, logging in and out.
final class AccountService {
  let app: AppConfiguration
  private let store: ServerStore
  private let signer: TokenSigner
  private let clock: WallClock
  private let worker: any BlockingWorker
  /// Called before a user is deleted.
  var onDeletion: ((_ userID: String) -> Void)?

  init(
    app: AppConfiguration,
    store: ServerStore,
    signer: TokenSigner,
    clock: WallClock,
    worker: any BlockingWorker
  ) {
    self.app = app
    self.store = store
    self.signer = signer
    self.clock = clock
    self.worker = worker
  }

  /// What a successful log-in gives.
  struct LoginAnswer {
    let userID: String
    let deviceID: String
    let accessToken: String
    let refreshToken: String
  }

  // MARK: E-mail and password

  /// Creates a user with an e-mail address and a password.
  func register(email: String, password: String, completion: @escaping (Result<Void, any Error>) -> Void) {
    let address = email.lowercased()
    guard app.providers.emailPassword != nil else {
      return completion(.failure(APIError.providerNotFound(Provider.emailPassword)))
    }
    guard address.utf8.count <= 320, address.contains("@") else {
      return completion(.failure(APIError.badRequest("\"\(email)\" is no e-mail address")))
    }
    guard (6...128).contains(password.count) else {
      return completion(.failure(APIError.badRequest("password must be between 6 and 128 characters")))
    }
    worker.performBlocking {
      Result { try PasswordHash.hash(password: password) }
    } completion: { [self] hash in
      completion(Result { try insertUser(email: address, passwordHash: try hash.get()) })
    }
  }

  private func insertUser(email: String, passwordHash: String) throws {
    let user = UserRecord(
      id: Identifiers.make(),
      provider: Provider.emailPassword,
      email: email,
      passwordHash: passwordHash,
      created: clock.seconds
    )
    guard try store.insert(user) else { throw APIError.nameInUse }
  }

  /// Logs in with an e-mail address and a password.
  func login(
    email: String,
    password: String,
    deviceID: String?,
    completion: @escaping (Result<LoginAnswer, any Error>) -> Void
  ) {
    guard app.providers.emailPassword != nil else {
      return completion(.failure(APIError.providerNotFound(Provider.emailPassword)))
    }
    let user: UserRecord?
    do { user = try store.user(email: email.lowercased()) } catch { return completion(.failure(error)) }
    // An unknown address costs as much time as a wrong password, so that the duration tells nothing.
    let hash = user?.passwordHash ?? AccountService.hashOfNobody
    worker.performBlocking {
      Result { try PasswordHash.verify(password: password, hash: hash) }
    } completion: { [self] verdict in
      completion(
        Result {
          guard let user, try verdict.get() else { throw APIError.invalidCredentials }
          return try logIn(user, deviceID: deviceID)
        }
      )
    }
  }

  /// A hash that no password fits, with the cost of a real one.
  private static let hashOfNobody =
    "$scrypt$ln=15,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

  // MARK: Anonymous

  /// Creates a user without credentials and logs it in.
  func loginAnonymously(deviceID: String?) throws -> LoginAnswer {
    guard app.providers.allowsAnonymous else { throw APIError.providerNotFound(Provider.anonymous) }
    let user = UserRecord(id: Identifiers.make(), provider: Provider.anonymous, created: clock.seconds)
    _ = try store.insert(user)
    return try logIn(user, deviceID: deviceID)
  }

  // MARK: Sessions

  private func logIn(_ user: UserRecord, deviceID: String?) throws -> LoginAnswer {
    guard !user.isDisabled else { throw APIError.userDisabled }
    let now = clock.seconds
    let login = LoginRecord(
      id: Identifiers.make(),
      userID: user.id,
      deviceID: deviceID ?? Identifiers.make(),
      expires: now + TokenSigner.refreshLifetime
    )
    try store.insert(login, now: now)
    return LoginAnswer(
      userID: user.id,
      deviceID: login.deviceID,
      accessToken: signer.sign(claims(of: login, kind: .access, now: now)),
      refreshToken: signer.sign(claims(of: login, kind: .refresh, now: now))
    )
  }

  private func claims(of login: LoginRecord, kind: TokenClaims.Kind, now: Int64) -> TokenClaims {
    TokenClaims(
      kind: kind,
      appID: app.appID,
      userID: login.userID,
      deviceID: login.deviceID,
      sessionID: login.id,
      issuedAt: now,
      expiresAt: kind == .access ? now + TokenSigner.accessLifetime : login.expires
    )
  }

  /// A new access token for the bearer of a refresh token.
  func refresh(_ claims: TokenClaims) throws -> String {
    let (login, _) = try activeLogin(claims)
    return signer.sign(self.claims(of: login, kind: .access, now: clock.seconds))
  }

  /// Revokes the log-in that a token comes from.
  func logOut(_ claims: TokenClaims) throws {
    try store.deleteLogin(id: claims.sessionID)
  }

  /// The user of a token, unless logged out, disabled or deleted.
  func user(_ claims: TokenClaims) throws -> UserRecord { try activeLogin(claims).1 }

  /// Deletes the user of a token.
  func deleteUser(_ claims: TokenClaims) throws {
    let id = try user(claims).id
    onDeletion?(id)
    try store.deleteUser(id: id)
  }

  private func activeLogin(_ claims: TokenClaims) throws -> (LoginRecord, UserRecord) {
    guard let login = try store.login(id: claims.sessionID), login.userID == claims.userID,
      let user = try store.user(id: claims.userID)
    else { throw APIError.invalidSession }
    guard !user.isDisabled else { throw APIError.userDisabled }
    return (login, user)
  }
}

/// The types of the providers that are served.
enum Provider {
  static let anonymous = "anon-user"
  static let emailPassword = "local-userpass"
}

/// Identifiers of users, devices and log-ins.
enum Identifiers {
  /// 24 random hexadecimal digits.
  static func make() -> String { Hex.encode(RandomBytes.generate(count: ObjectId.byteCount)) }
}
