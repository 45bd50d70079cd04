// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncConfiguration
import FlexSyncCrypto
import FlexSyncDocuments
import FlexSyncJSON
import FlexSyncScheduling
import FlexSyncServerStore
import FlexSyncServerSupport

/// What the operator does with the users of an app, on the data folder. A server may be running on it: it takes notice
/// within a quarter of a second.
public struct AccountAdministration {
  let folder: DataFolder
  package let store: ServerStore
  /// The app's configuration, if its directory is known.
  let app: AppConfiguration?
  public let appID: String
  let clock: WallClock
  let editor: AccountEditor

  /// Opens the users of an app.
  ///
  /// - Parameters:
  ///   - dataFolder: as for `serve`.
  ///   - app: the app's identifier, or its directory; nil if the data folder has one app only.
  /// - Throws: `ServerError` if there are no data of such an app, `ConfigurationError`, `StorageError`, `FileError`.
  public init(dataFolder: String, app: String?, clock: WallClock = .system) throws {
    guard FileSystem.isDirectory(dataFolder) else {
      throw ServerError("there is no data folder \(dataFolder)")
    }
    folder = try DataFolder(dataFolder)
    if let app, !AppID.isValid(app) || FileSystem.isDirectory(app) {
      let configuration = try AppDirectory.load(app)
      self.app = configuration
      appID = configuration.appID
    } else {
      self.app = nil
      appID = try app ?? AccountAdministration.onlyApp(folder)
    }
    store = try folder.openExistingStore(appID: appID)
    self.clock = clock
    editor = AccountEditor(store: store, clock: clock)
  }

  private static func onlyApp(_ folder: DataFolder) throws -> String {
    let apps = try folder.appIDs()
    guard apps.count == 1 else {
      throw ServerError(
        apps.isEmpty
          ? "the data folder \(folder.path) has no apps"
          : "the data folder \(folder.path) has several apps; say --app with one of: \(apps.joined(separator: ", "))"
      )
    }
    return apps[0]
  }

  // MARK: Finding

  /// Whom the operator means: a user, an account nobody has logged in with, or both.
  struct Subject {
    var user: UserRecord?
    var email: String?
  }

  /// - Parameter name: the identifier of a user, or an e-mail address.
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
      throw ServerError("nobody has logged in as \(name) yet, so there is no user; only the account exists")
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
      let identity = IdentityRecord(
        provider: Provider.emailPassword,
        subject: subject,
        id: Identifiers.make(),
        userID: user.id,
        passwordHash: try PasswordHash.hash(password: password),
        isConfirmed: true,
        data: EmailAddress.data(email),
        created: clock.seconds
      )
      try store.write {
        guard try store.insert(identity) else { throw ServerError("there is an account \(email) already") }
        try store.insert(user)
      }
      return try summary(of: user)
    } catch let error as AccountError {
      throw ServerError(error.message)
    }
  }

  /// Lets an account log in without a confirmation mail.
  public func confirm(_ name: String) throws {
    let email = try email(name)
    try store.write { try editor.confirm(email: email) }
  }

  /// Replaces a password, and logs the user out everywhere.
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

  /// Makes a token with which the user can set another password, as a reset mail has it.
  ///
  /// - Returns: What a mail command would get.
  public func makeResetToken(for name: String) throws -> JSON {
    let email = try email(name)
    let provider = app?.providers.emailPassword
    let (record, token) = try store.write {
      try editor.makeMailToken(.passwordReset, email: email, lifetime: AccountPolicy().mailTokenSeconds)
    }
    let mail = AccountMail(
      appID: appID,
      appName: app?.name ?? appID,
      purpose: .passwordReset,
      recipient: email,
      subject: provider?.resetSubject,
      page: provider?.resetURL,
      tokenID: record.id,
      token: token,
      expires: record.expires
    )
    return mail.json
  }

  /// Lets a user in, or logs the user out everywhere and keeps the user out.
  public func setDisabled(_ isDisabled: Bool, _ name: String) throws {
    let user = try user(name)
    try store.write { try editor.setDisabled(isDisabled, user.id) }
  }

  /// Logs a user out everywhere.
  public func revokeSessions(_ name: String) throws {
    let user = try user(name)
    try store.write { try editor.revokeLogins(user.id) }
  }

  /// Deletes a user with accounts, keys and client files, or an account that nobody has logged in with. The objects stay.
  public func delete(_ name: String) throws {
    let subject = try find(name)
    guard let user = subject.user else {
      let email = try email(name)
      return try store.write {
        try store.deleteUnusedIdentity(provider: Provider.emailPassword, subject: email)
      }
    }
    // A running server first ends the connections, which use the files that go with the user.
    if folder.isServed {
      try store.write { try editor.setDisabled(true, user.id) }
      FileSystem.pause(milliseconds: AccountAdministration.noticeMilliseconds)
    }
    try store.write {
      try store.deleteUser(id: user.id)
      try store.noteAccountChange(userID: user.id, time: clock.seconds)
    }
  }

  /// More than a server takes to notice changes.
  private static let noticeMilliseconds: UInt32 = 750

  // MARK: Custom data

  /// Stores the custom data of a user, or removes them.
  ///
  /// - Throws: `ServerError` if the app's custom data are objects of a synced class, which are changed like others.
  public func setCustomData(_ document: JSON?, of name: String) throws {
    let className = try store.textSetting(CustomUserData.classSetting) ?? ""
    guard className.isEmpty else {
      throw ServerError(
        "the custom data of this app are objects of the class \(className); change the object, or import it with "
          + "flexsyncd import --collection"
      )
    }
    if let document, document.objectValue == nil { throw ServerError("custom data must be a JSON object") }
    let user = try user(name)
    try store.write {
      try store.setCustomData(document.map { ExtendedJSON.relaxed($0).serialized }, userID: user.id)
      try store.noteAccountChange(userID: user.id, time: clock.seconds)
    }
  }
}
