// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncCrypto
import FlexSyncServerStore

/// Log-ins with e-mail address and password.
extension AccountService {
  package typealias Completion = (Result<Void, any Error>) -> Void

  /// Returns the settings of the provider.
  func emailProvider() throws(AccountError) -> EmailPasswordProvider {
    guard let provider = app.providers.emailPassword else { throw providerNotFound(Provider.emailPassword) }
    return provider
  }

  /// Creates an account. It becomes a user at the first log-in.
  package func register(
    email: String,
    password: String,
    requester: Requester,
    completion: @escaping Completion
  ) throws {
    let provider = try emailProvider()
    let subject = try EmailAddress.checked(email)
    try PasswordRules.check(password)
    let attempt = AttemptLimiter.Subject.registration(address: requester.address)
    let limit = policy.registrationsPerAddress
    try limiter.expect(attempt, limit: limit, now: clock.seconds)
    try passwords.perform(for: requester) { [self] in
      try limiter.begin(attempt, limit: limit, now: clock.seconds)
      return { try PasswordHash.hash(password: password) }
    } completion: { [self] hash in
      completion(Result { try insertAccount(subject, email, try hash.get(), provider) })
    }
  }

  private func insertAccount(
    _ subject: String,
    _ email: String,
    _ passwordHash: String,
    _ provider: EmailPasswordProvider
  ) throws {
    var identity = IdentityRecord(account: subject, email: email, created: clock.seconds)
    identity.passwordHash = passwordHash
    identity.isPending = !provider.confirmsAutomatically
    guard try store.insert(identity) else { throw AccountError.nameInUse }
    if identity.isPending { mail.send(try makeMail(.confirmation, to: subject, provider)) }
  }

  /// Logs in with an e-mail address and a password.
  package func login(
    email: String,
    password: String,
    request: LoginRequest,
    completion: @escaping (Result<LoginAnswer, any Error>) -> Void
  ) throws {
    _ = try emailProvider()
    try checkPassword(email: email, password, request.requester) { [self] result in
      completion(
        Result {
          let identity = try result.get()
          guard !identity.isPending else { throw AccountError.confirmationRequired }
          return try logIn(identity, request)
        }
      )
    }
  }

  /// Finds the account for an e-mail address and password. Addresses without an account and wrong passwords take
  /// the same time, count the same and get the same answer. Waiting requests do not count as attempts, so many
  /// users behind one address can log in at once.
  private func checkPassword(
    email: String,
    _ password: String,
    _ requester: Requester,
    completion: @escaping (Result<IdentityRecord, any Error>) -> Void
  ) throws {
    let (email, address) = (EmailAddress.normalized(email), requester.address)
    guard email.utf8.count <= EmailAddress.maximumByteCount,
      password.utf8.count <= PasswordRules.maximumByteCount
    else { throw AccountError.invalidCredentials }
    let known = try store.identity(provider: Provider.emailPassword, subject: email)
    try expectAllowed(account: attempted(email, known?.passwordHash), address: address)
    try passwords.perform(for: requester) { [self] in
      let identity = try store.identity(provider: Provider.emailPassword, subject: email)
      try beginAttempt(account: attempted(email, identity?.passwordHash), address: address)
      let (secret, now) = (AccountSecret(identity?.passwordHash), clock.seconds)
      return { try secret.match(password, now: now) }
    } completion: { [self] match in
      completion(
        Result {
          // While the password was checked, it may have been replaced, or another request may have created the
          // user.
          let identity = try store.identity(provider: Provider.emailPassword, subject: email)
          guard let match = try match.get(), let identity, identity.passwordHash == match.secret else {
            let account = attempted(email, identity?.passwordHash)
            noteFailure(account: account, userID: identity?.userID, address: address)
            throw AccountError.invalidCredentials
          }
          succeeded(account: attempted(email, match.secret), address: address)
          return try keepFirstPassword(match, of: identity)
        }
      )
    }
  }

  /// Returns the name under which the limiter counts wrong passwords. It contains the hash, so that the count begins anew
  /// with a new password: a user whose account is locked can log in as soon as the password has been reset.
  private func attempted(_ email: String, _ passwordHash: String?) -> String {
    "\(Provider.emailPassword):\(email):\(passwordHash ?? "")"
  }

  // MARK: Changing passwords

  /// Replaces the password of a user who knows the current one.
  package func changePassword(
    email: String,
    password: String,
    newPassword: String,
    requester: Requester,
    completion: @escaping Completion
  ) throws {
    _ = try emailProvider()
    try PasswordRules.check(newPassword)
    try checkPassword(email: email, password, requester) { [self] result in
      do {
        let identity = try result.get()
        guard !identity.isPending else { throw AccountError.confirmationRequired }
        try hash(newPassword, requester, completion) { [self] hash in
          // The account must not have changed since the old password was checked.
          guard try store.identity(provider: Provider.emailPassword, subject: identity.subject) == identity
          else { throw AccountError.invalidCredentials }
          try editor.setPasswordHash(hash, email: identity.subject, isConfirmed: false)
        }
      } catch {
        completion(.failure(error))
      }
    }
  }

  /// Replaces the password of the account that a reset mail was sent to.
  package func resetPassword(
    _ password: String,
    token: String,
    tokenID: String,
    requester: Requester,
    completion: @escaping Completion
  ) throws {
    _ = try emailProvider()
    try PasswordRules.check(password)
    _ = try redeem(token, tokenID, for: .passwordReset, address: requester.address)
    try hash(password, requester, completion) { [self] hash in
      // The token stays valid until the password is set, and sets only one.
      let email = try self.email(token, tokenID, for: .passwordReset)
      try editor.setPasswordHash(hash, email: email, isConfirmed: true)
    }
  }

  /// Hashes and stores a new password. This revokes the user's log-ins, since someone else may know the old
  /// password.
  private func hash(
    _ password: String,
    _ requester: Requester,
    _ completion: @escaping Completion,
    store hashStore: @escaping (String) throws -> Void
  ) throws {
    try passwords.perform(for: requester) {
      { try PasswordHash.hash(password: password) }
    } completion: { [self] hash in
      completion(
        Result {
          let hash = try hash.get()
          try store.write { try hashStore(hash) }
          try noticeChanges()
        }
      )
    }
  }

  // MARK: Mails

  /// Confirms the account that a confirmation mail was sent to.
  package func confirm(token: String, tokenID: String, address: String) throws {
    _ = try emailProvider()
    let email = try redeem(token, tokenID, for: .confirmation, address: address)
    try store.write { try editor.confirm(email: email) }
  }

  /// Sends another confirmation mail if an account awaits confirmation. The answer does not reveal whether one
  /// does.
  package func resendConfirmation(email: String, address: String) throws {
    let provider = try emailProvider()
    guard !provider.confirmsAutomatically else { throw AccountError.alreadyConfirmed }
    try requestMail(.confirmation, to: email, address: address, provider) { $0.isPending }
  }

  /// Sends a reset mail if the e-mail address has an account. The answer does not reveal whether it has.
  package func requestPasswordReset(email: String, address: String) throws {
    try requestMail(.passwordReset, to: email, address: address, try emailProvider()) { _ in true }
  }

  private func requestMail(
    _ purpose: MailTokenRecord.Purpose,
    to email: String,
    address: String,
    _ provider: EmailPasswordProvider,
    if isFit: (IdentityRecord) -> Bool
  ) throws {
    let email = try EmailAddress.checked(email)
    let now = clock.seconds
    try limiter.begin(.mailRequest(address: address), limit: policy.mailsPerAddress, now: now)
    try limiter.begin(.mail(account: email), limit: policy.mailsPerAccount, now: now)
    let identity = try store.identity(provider: Provider.emailPassword, subject: email)
    // A token is created in any case, so timing reveals nothing. Without an account it is never sent.
    let mail = try makeMail(purpose, to: email, provider)
    if let identity, isFit(identity) { self.mail.send(mail) }
  }

  private func makeMail(
    _ purpose: MailTokenRecord.Purpose,
    to email: String,
    _ provider: EmailPasswordProvider
  ) throws -> AccountMail {
    // A power loss may undo this write: a user who gets no mail can ask again.
    let (record, token) = try store.writeLazily {
      try editor.makeMailToken(purpose, email: email, lifetime: policy.mailTokenSeconds)
    }
    return AccountMail(record, token: token, appID: app.appID, appName: app.name, provider)
  }

  /// Checks the token of an e-mail. A failed check counts as an attempt. The caller has to delete the token once it
  /// is used.
  ///
  /// - Returns: The e-mail address the token was sent to.
  private func redeem(
    _ token: String,
    _ tokenID: String,
    for purpose: MailTokenRecord.Purpose,
    address: String
  ) throws -> String {
    try beginAttempt(account: nil, address: address)
    let email = try self.email(token, tokenID, for: purpose)
    succeeded(account: nil, address: address)
    return email
  }

  /// Returns the e-mail address that a token was sent to.
  private func email(_ token: String, _ tokenID: String, for purpose: MailTokenRecord.Purpose) throws
    -> String
  {
    guard let record = try store.mailToken(id: tokenID), record.purpose == purpose,
      record.expires > clock.seconds,
      ConstantTime.equal(record.digest, Identifiers.digest(token))
    else { throw AccountError.invalidMailToken }
    return record.email
  }
}

/// The rules for passwords, as in App Services.
package enum PasswordRules {
  static let length = 6...128
  static let maximumByteCount = 1024

  package static func check(_ password: String) throws(AccountError) {
    guard length.contains(password.count), password.utf8.count <= maximumByteCount else {
      throw .badRequest(
        reason: "password must be between \(length.lowerBound) and \(length.upperBound) characters"
      )
    }
  }
}
