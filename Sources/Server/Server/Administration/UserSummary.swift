// SPDX-License-Identifier: Apache-2.0

import FlexSyncAccounts
import FlexSyncJSON
import FlexSyncServerStore

/// The operator's view of a user, or of an account that has never been logged in to.
public struct UserSummary: Sendable {
  /// The state of a user or account.
  public enum State: String, Sendable, CaseIterable {
    /// The user may log in.
    case enabled
    /// The user may not log in.
    case disabled
    /// The e-mail address has not been confirmed yet.
    case pending
    /// The account has not been logged in to yet.
    case registered
  }

  /// Nil for an account that has never been logged in to.
  public var id: String?
  /// `normal` or `server`.
  public var type: String
  public var state: State
  public var email: String?
  /// The types of the user's log-in providers.
  public var providers: [String]
  /// Seconds since 1970.
  public var created: Int64
  public var lastLogin: Int64?
  /// All details, as `show` prints them.
  public var details: [JSON.Member]

  /// The JSON that `--json` prints.
  public var json: JSON {
    .object(
      [
        JSON.Member("id", id.map(JSON.string) ?? .null), JSON.Member("type", .string(type)),
        JSON.Member("state", .string(state.rawValue)), JSON.Member("email", email.map(JSON.string) ?? .null),
        JSON.Member("providers", .array(providers.map(JSON.string))),
        JSON.Member("created", .integer(created)),
        JSON.Member("last_login", lastLogin.map(JSON.integer) ?? .null),
      ] + details
    )
  }
}

extension AccountAdministration {
  private static let pageCount = 500

  /// Returns all users, followed by the accounts that have never been logged in to.
  public func users() throws -> [UserSummary] {
    var summaries: [UserSummary] = []
    var last = ""
    while true {
      let page = try store.users(after: last, limit: AccountAdministration.pageCount)
      for user in page { summaries.append(try summary(of: user)) }
      guard page.count == AccountAdministration.pageCount, let id = page.last?.id else { break }
      last = id
    }
    let unused = try store.unusedIdentities(provider: Provider.emailPassword)
    return summaries + unused.map(summary)
  }

  /// Returns all details of a user.
  public func show(_ name: String) throws -> UserSummary {
    let subject = try find(name)
    guard let user = subject.user else {
      return summary(of: try editor.account(email: subject.email ?? name))
    }
    var summary = try summary(of: user)
    let profile = UserProfile(user: user, identities: try store.identities(userID: user.id))
    let now = clock.seconds
    let logins = try store.logins(userID: user.id).filter { $0.expires > now }
    summary.details = [
      JSON.Member("identities", .array(profile.identities.map(describe))),
      JSON.Member("data", profile.data),
      JSON.Member("custom_data", try note.map { try customData(user.id, $0) } ?? .null),
      JSON.Member("sessions", .array(logins.map(describe))),
      JSON.Member("api_keys", .array(try store.apiKeys(userID: user.id).map(\.json))),
    ]
    return summary
  }

  func summary(of user: UserRecord) throws -> UserSummary {
    let identities = try store.identities(userID: user.id)
    let email = identities.first { $0.provider == Provider.emailPassword }
    let state: UserSummary.State =
      user.isDisabled ? .disabled : email?.isPending == true ? .pending : .enabled
    return UserSummary(
      id: user.id,
      type: UserProfile(user: user, identities: []).type,
      state: state,
      email: email?.subject,
      providers: identities.map(\.provider),
      created: user.created,
      lastLogin: user.lastLogin,
      details: []
    )
  }

  private func summary(of identity: IdentityRecord) -> UserSummary {
    UserSummary(
      id: nil,
      type: "normal",
      state: identity.isPending ? .pending : .registered,
      email: identity.subject,
      providers: [identity.provider],
      created: identity.created,
      lastLogin: nil,
      details: []
    )
  }

  private func customData(_ userID: String, _ note: AppNote) throws -> JSON {
    try CustomUserData(configuration: note.customUserData, store: store).document(userID: userID) ?? .null
  }

  private func describe(_ identity: IdentityRecord) -> JSON {
    [
      "id": .string(identity.id), "provider": .string(identity.provider),
      "data": UserProfile.data(of: identity),
    ]
  }

  private func describe(_ login: LoginRecord) -> JSON {
    ["id": .string(login.id), "device_id": .string(login.deviceID), "expires": .integer(login.expires)]
  }
}
