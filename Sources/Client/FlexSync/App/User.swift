// SPDX-License-Identifier: Apache-2.0

/// A user of an app.
public final class User: Sendable {
  let handle: UserHandle
  public let app: App

  init(_ handle: UserHandle, _ app: App) {
    self.handle = handle
    self.app = app
  }

  /// Whether the user can sync.
  public enum State: Sendable {
    case loggedOut
    case loggedIn
    case removed
  }

  /// The user's id on the server.
  public var id: String { handle.id }

  public var state: State { handle.state }

  public var isLoggedIn: Bool { state == .loggedIn }

  /// The provider of the identity used at the last login, such as "anon-user" or "local-userpass".
  public var providerType: String { handle.provider }

  public var accessToken: String? { handle.accessToken }

  public var refreshToken: String? { handle.refreshToken }

  /// Returns the configuration of the user's realm, which syncs the data that its subscriptions ask for.
  ///
  /// - Parameters:
  ///   - clientResetMode: how to handle a client reset that the server demands.
  ///   - initialSubscriptions: adds the first subscriptions; runs when the file is new.
  ///   - rerunOnOpen: whether it also runs at the first open of each process, for queries that depend on the time.
  public func flexibleSyncConfiguration(
    clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
    initialSubscriptions: (@Sendable (SyncSubscriptionSet) -> Void)? = nil,
    rerunOnOpen: Bool = false
  ) -> Realm.Configuration {
    Realm.Configuration(
      syncConfiguration: SyncConfiguration(
        user: self,
        clientResetMode: clientResetMode,
        initialSubscriptions: initialSubscriptions,
        rerunOnOpen: rerunOnOpen
      )
    )
  }
}

/// The name in the Realm Swift SDK.
public typealias UserState = User.State

extension User: Hashable {
  public static func == (left: User, right: User) -> Bool { left.id == right.id && left.app == right.app }

  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
