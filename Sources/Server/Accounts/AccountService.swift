// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncCrypto
import FlexSyncJSON
import FlexSyncModel
import FlexSyncScheduling
import FlexSyncServerStore
import FlexSyncServerSupport
import Logging

/// The users of one app and how they log in (Docs/Authentication.md). Confined to the loop.
package final class AccountService {
  package private(set) var app: AppConfiguration
  package let store: ServerStore
  let signer: TokenSigner
  let clock: WallClock
  let worker: any BlockingWorker
  let policy: AccountPolicy
  let limits: ServerLimits
  let passwords: PasswordQueue
  let mail: MailQueue
  let logger: Logger
  private(set) var tokenVerifier: CustomTokenVerifier?
  var limiter: AttemptLimiter
  private var seenChange: Int64
  /// Called when a user must be disconnected because the user was deleted or disabled.
  package var onUserEnded: ((_ userID: String, _ reason: String) -> Void)?
  /// Called when a log-in has been revoked.
  package var onLoginsRevoked: ((_ userID: String) -> Void)?
  /// Called when data of a user that permissions may depend on have changed.
  package var onUserChanged: ((_ userID: String) -> Void)?

  /// - Parameter passwords: The queue that hashes passwords; nil to create one.
  /// - Throws: `ServerError` if the keys of the custom token provider cannot be used, or `StorageError`.
  package init(
    app: AppConfiguration,
    store: ServerStore,
    signer: TokenSigner,
    clock: WallClock,
    worker: any BlockingWorker,
    policy: AccountPolicy,
    limits: ServerLimits = ServerLimits(),
    passwords: PasswordQueue? = nil,
    mailDelivery: MailDelivery?,
    logger: Logger
  ) throws {
    self.app = app
    self.store = store
    self.signer = signer
    self.clock = clock
    self.worker = worker
    self.policy = policy
    self.limits = limits
    self.passwords = passwords ?? PasswordQueue(worker: worker, limits: limits)
    self.logger = logger
    mail = MailQueue(delivery: mailDelivery, worker: worker, logger: logger)
    limiter = AttemptLimiter(windowSeconds: policy.attemptWindowSeconds)
    tokenVerifier = try AccountService.tokenVerifier(app)
    seenChange = try store.newestAccountChange()
    limiter.onExceeded = { subject in
      // `noteFailure` logs locked accounts, with their users.
      guard let limit = subject.addressLimit else { return }
      logger.notice(
        "requests of a network address are refused for a while, because it has reached a limit",
        metadata: ["address": "\(limit.address)", "limit": "\(limit.name)"]
      )
    }
  }

  var editor: AccountEditor { AccountEditor(store: store, clock: clock) }

  /// Switches to another configuration of the same app.
  ///
  /// - Throws: `ServerError` if the keys of the custom token provider cannot be used; the configuration is then
  ///   unchanged.
  package func use(_ app: AppConfiguration) throws {
    tokenVerifier = try AccountService.tokenVerifier(app)
    self.app = app
  }

  /// Checks that accounts of an app can be served.
  ///
  /// - Throws: The same errors as `use`.
  package static func check(_ app: AppConfiguration) throws { _ = try tokenVerifier(app) }

  private static func tokenVerifier(_ app: AppConfiguration) throws -> CustomTokenVerifier? {
    guard let provider = app.providers.customToken else { return nil }
    do {
      return try CustomTokenVerifier(provider, appID: app.appID)
    } catch {
      throw ServerError("\(app.directory)/auth/providers.json: custom-token: \(error)")
    }
  }

  /// A warning that users cannot confirm addresses or reset passwords, because the server has no way to deliver mails; nil
  /// if the app needs no mails, or the server can deliver them.
  package var mailWarning: String? {
    guard !mail.hasDelivery, let provider = app.providers.emailPassword else { return nil }
    if !provider.confirmsAutomatically {
      return
        "auth/providers.json: autoConfirm is off, but neither --mail-command nor --mail-folder is given, so nobody who "
        + "registers can log in until you run flexsyncd users confirm, and requests for new passwords are not answered"
    }
    guard provider.resetURL != nil || provider.hadResetFunction else { return nil }
    return
      "neither --mail-command nor --mail-folder is given, so users who ask for a new password get no mail; "
      + "flexsyncd users reset-password makes one for you to pass on"
  }

  // MARK: Changes

  /// Changes a user in one transaction and notifies the observers.
  func change(_ userID: String, _ body: () throws -> Void) throws {
    try store.write {
      try body()
      try store.noteAccountChange(userID: userID, time: clock.seconds)
    }
    try noticeChanges()
  }

  /// Processes changes to users made by this process or another one.
  package func noticeChanges() throws {
    let newest = try store.newestAccountChange()
    guard newest > seenChange else { return }
    let changed = try store.accountChanges(after: seenChange)
    seenChange = newest
    for userID in changed.sorted() {
      guard let user = try store.user(id: userID) else {
        onUserEnded?(userID, AccountError.userNotFound.message)
        continue
      }
      if user.isDisabled {
        onUserEnded?(userID, AccountError(refusing: user).message)
      } else {
        onLoginsRevoked?(userID)
        onUserChanged?(userID)
      }
    }
  }

  /// Deletes expired log-ins and tokens, old change records and abandoned anonymous users.
  package func forgetExpired() {
    let now = clock.seconds
    do {
      try store.writeLazily {
        try store.deleteMailTokens(expiredAt: now)
        try store.deleteAccountChanges(before: now - AccountService.changeRetentionSeconds)
        try store.deleteLogins(expiredAt: now)
        let lost = try store.lostUsers(
          provider: Provider.anonymous,
          before: now - policy.sessionSeconds,
          limit: AccountService.forgettingCount
        )
        for userID in lost { try store.deleteUser(id: userID) }
      }
    } catch {
      logger.error("could not delete expired tokens", metadata: ["error": "\(error)"])
    }
  }

  private static let changeRetentionSeconds: Int64 = 3600
  private static let forgettingCount = 1_000

  // MARK: Limits

  /// Throws if another attempt would exceed a limit, before the request waits for anything. Counts nothing.
  func expectAllowed(account: String, address: String) throws(AccountError) {
    let now = clock.seconds
    try limiter.expect(.address(address), limit: policy.failuresPerAddress, now: now)
    try limiter.expect(.account(account), limit: policy.failuresPerAccount, now: now)
  }

  /// Counts an attempt that may fail; `succeeded` undoes this.
  func beginAttempt(account: String?, address: String) throws(AccountError) {
    let now = clock.seconds
    try limiter.begin(.address(address), limit: policy.failuresPerAddress, now: now)
    guard let account else { return }
    try limiter.begin(.account(account), limit: policy.failuresPerAccount, now: now)
  }

  /// Logs that an account is locked, if it is, without its e-mail address.
  func noteFailure(account: String, userID: String?, address: String) {
    do {
      try limiter.expect(.account(account), limit: policy.failuresPerAccount, now: clock.seconds)
    } catch {
      logger.notice(
        "an account is temporarily locked after too many failed attempts",
        metadata: ["user": "\(userID ?? "none")", "address": "\(address)"]
      )
    }
  }

  func succeeded(account: String?, address: String) {
    limiter.takeBack(.address(address))
    if let account { limiter.forget(.account(account)) }
  }
}

/// The provider types that this server supports.
package enum Provider {
  package static let anonymous = "anon-user"
  package static let emailPassword = "local-userpass"
  package static let apiKey = "api-key"
  package static let customToken = "custom-token"
  package static let all = [anonymous, emailPassword, apiKey, customToken]
}

extension AuthenticationProviders {
  /// Whether users can log in with a provider.
  func isEnabled(_ provider: String) -> Bool {
    switch provider {
    case Provider.anonymous: allowsAnonymous
    case Provider.emailPassword: emailPassword != nil
    case Provider.apiKey: allowsAPIKeys
    case Provider.customToken: customToken != nil
    default: false
    }
  }
}

/// Generators for the identifiers of users, devices and log-ins, and for secrets.
package enum Identifiers {
  /// 24 random hexadecimal digits.
  package static func make() -> String { Hex.encode(RandomBytes.generate(count: ObjectId.byteCount)) }

  /// Returns an unguessable secret of URL-safe characters.
  package static func makeSecret() -> String { Base64URL.encode(RandomBytes.generate(count: 48)) }

  /// Returns the digest under which a secret is stored.
  package static func digest(_ secret: String) -> [UInt8] { Digest.sha256(Array(secret.utf8)) }
}
