// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncCrypto
import FlexSyncDocuments
import FlexSyncJSON
import FlexSyncScheduling
import FlexSyncServerStore
import FlexSyncServerSupport

/// The operator's management of an app's users, directly on the data folder. A server may be running on it; it
/// notices changes within a quarter of a second.
public struct AccountAdministration {
  let folder: DataFolder
  package let store: ServerStore
  /// The summary of the app's directory, or without one, of the directory that a server read last; nil if there is neither.
  let note: AppNote?
  public let appID: String
  let clock: WallClock
  let editor: AccountEditor

  /// Opens the users of an app.
  ///
  /// - Parameters:
  ///   - dataFolder: The data folder, as for `serve`.
  ///   - app: The app's identifier or directory; nil if the data folder has only one app.
  /// - Throws: `ServerError` if there is no data for the app, `ConfigurationError`, `StorageError`, `FileError`.
  public init(dataFolder: String, app: String?, clock: WallClock = .system) throws {
    folder = try DataFolder.existing(dataFolder)
    let configuration: AppConfiguration?
    (appID, configuration) = try folder.app(app)
    store = try folder.openExistingStore(appID: appID)
    note = try configuration.map { AppNote($0) } ?? AppNote.read(store)
    self.clock = clock
    editor = AccountEditor(store: store, clock: clock)
  }

  /// Returns what is known of the app.
  ///
  /// - Throws: `ServerError` if nothing is, because no server has served the app yet and its directory was not given.
  private func known() throws -> AppNote {
    guard let note else {
      throw ServerError(
        "no server has served \(appID) from the data folder \(folder.path) yet; give the app directory as --app DIR"
      )
    }
    return note
  }

  /// Returns a warning if the app does not enable the provider that a password or a key needs; nil if it does, or if the
  /// server has not noted its providers.
  public func warning(about means: LoginMeans) -> String? {
    guard let providers = note?.providers, !providers.contains(means.provider) else { return nil }
    return
      "the app directory of \(appID) does not enable the provider \(means.provider) (auth/providers.json), so "
      + "nobody can log in with \(means.description) yet"
  }

  /// Credentials that the operator can create.
  public enum LoginMeans {
    case password, apiKey

    var provider: String {
      switch self {
      case .password: Provider.emailPassword
      case .apiKey: Provider.apiKey
      }
    }

    var description: String {
      switch self {
      case .password: "the password"
      case .apiKey: "the key"
      }
    }
  }

  // MARK: Finding

  /// The target of a command: a user, an account that has never been logged in to, or both.
  struct Subject {
    var user: UserRecord?
    var email: String?
  }

  /// - Parameter name: The identifier of a user, or an e-mail address.
  func find(_ name: String) throws -> Subject {
    if name.contains("@") {
      let email = EmailAddress.normalized(name)
      if let identity = try store.identity(provider: Provider.emailPassword, subject: email) {
        return Subject(user: try identity.userID.flatMap { try store.user(id: $0) }, email: email)
      }
    } else if let user = try store.user(id: name) {
      let identity = try store.identities(userID: name).first { $0.provider == Provider.emailPassword }
      return Subject(user: user, email: identity?.subject)
    }
    throw ServerError("the app \(appID) has no user \"\(name)\"; see flexsyncd users list")
  }

  func user(_ name: String) throws -> UserRecord {
    guard let user = try find(name).user else {
      throw ServerError(
        "nobody has logged in as \(name) yet, so there is no user, only an account, for which there are confirm, "
          + "reset-password and delete"
      )
    }
    return user
  }

  func email(_ name: String) throws -> String {
    guard let email = try find(name).email else {
      throw ServerError("the user \(name) does not log in with an e-mail address and a password")
    }
    return email
  }

  // MARK: Accounts

  /// Creates a confirmed account.
  public func createAccount(email: String, password: String) throws -> UserSummary {
    do {
      let subject = try EmailAddress.checked(email)
      try PasswordRules.check(password)
      let user = UserRecord(id: Identifiers.make(), created: clock.seconds)
      var identity = IdentityRecord(account: subject, email: email, created: clock.seconds)
      identity.userID = user.id
      identity.passwordHash = try PasswordHash.hash(password: password)
      identity.isConfirmed = true
      try store.write {
        guard try store.insert(identity) else { throw accountExists(email) }
        try store.insert(user)
      }
      return try summary(of: user)
    } catch let error as AccountError {
      throw ServerError(error.message)
    }
  }

  private func accountExists(_ email: String) -> ServerError {
    ServerError(
      "the account \(email) already exists; flexsyncd users confirm confirms it, and reset-password gives it a password"
    )
  }

  /// Confirms an account, so that its user can log in without a confirmation mail.
  public func confirm(_ name: String) throws {
    let email = try email(name)
    try store.write { try editor.confirm(email: email) }
  }

  /// Replaces a password and revokes all log-ins of the user.
  public func setPassword(_ password: String, of name: String) throws {
    do {
      try PasswordRules.check(password)
      let email = try email(name)
      let hash = try PasswordHash.hash(password: password)
      try store.write { try editor.setPasswordHash(hash, email: email, isConfirmed: true) }
    } catch let error as AccountError {
      throw ServerError(error.message)
    }
  }

  /// Creates a token with which the user can set a new password, as in a reset mail.
  ///
  /// - Returns: The JSON that a mail command would receive.
  /// - Throws: `ServerError` if the page of the app for new passwords is not known.
  public func makeResetToken(for name: String) throws -> JSON {
    let (email, note) = (try email(name), try known())
    let (record, token) = try store.write {
      try editor.makeMailToken(.passwordReset, email: email, lifetime: AccountPolicy().mailTokenSeconds)
    }
    return AccountMail(record, token: token, appID: appID, appName: note.name, note.emailPassword).json
  }

  /// Enables a user, or disables the user and revokes all log-ins.
  public func setDisabled(_ isDisabled: Bool, _ name: String) throws {
    let user = try user(name)
    try store.write { try editor.setDisabled(isDisabled, user.id) }
  }

  /// Revokes all log-ins of a user.
  public func revokeSessions(_ name: String) throws {
    let user = try user(name)
    try store.write { try editor.revokeLogins(user.id) }
  }

  /// Deletes a user with accounts, keys and client files, or an account that has never been logged in to. The user's
  /// objects remain.
  public func delete(_ name: String) throws {
    let subject = try find(name)
    guard let user = subject.user else {
      let email = try email(name)
      return try store.write {
        try store.deleteUnusedIdentity(provider: Provider.emailPassword, subject: email)
      }
    }
    // A running server must first end the user's connections, because they use the files about to be deleted.
    if folder.isServed {
      try store.write { try editor.beginDeletion(user.id) }
      FileSystem.pause(milliseconds: AccountAdministration.noticeMilliseconds)
    }
    try store.write {
      try store.deleteUser(id: user.id)
      try store.noteAccountChange(userID: user.id, time: clock.seconds)
    }
  }

  /// Longer than a server takes to notice changes.
  private static let noticeMilliseconds: UInt32 = 750

  // MARK: Custom data

  /// Stores the custom data of a user, or removes them if `document` is nil.
  ///
  /// - Returns: A warning for the operator, if there is one.
  /// - Throws: `ServerError` if the app has no custom data, or if they are objects of a synced class, which are changed like
  ///   any other object.
  @discardableResult
  public func setCustomData(_ document: JSON?, of name: String) throws -> String? {
    let data = try known().customUserData
    guard data != nil || document == nil else {
      throw ServerError(
        "the app directory of \(appID) does not enable custom user data (auth/custom_user_data.json), so nobody would see "
          + "what is set; enable them, and let the server read the directory again"
      )
    }
    if let className = data?.className {
      throw ServerError(
        "this app stores custom user data as objects of the class \(className); change the object, or import "
          + "it with flexsyncd import --collection"
      )
    }
    if let document, document.objectValue == nil { throw ServerError("custom data must be a JSON object") }
    let user = try user(name)
    try store.write {
      try store.setCustomData(document.map { ExtendedJSON.relaxed($0).serialized }, userID: user.id)
      try store.noteAccountChange(userID: user.id, time: clock.seconds)
    }
    guard let document, !AccountService.fitsToken(ExtendedJSON.relaxed(document)) else { return nil }
    return
      "the custom data are longer than \(AccountService.maximumTokenDataByteCount / 1024) KiB, so access tokens do "
      + "not contain them; clients have them only in the profile"
  }
}
