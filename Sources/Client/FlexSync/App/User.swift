// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// A user of an app.
public final class User: Sendable {
  nonisolated(unsafe) let pointer: OpaquePointer
  public let app: App

  /// Takes ownership of the caller's reference to `pointer`.
  init(takingOver pointer: OpaquePointer, _ app: App) {
    self.pointer = pointer
    self.app = app
  }

  deinit { flx_user_release(pointer) }

  /// Whether the user can sync.
  public enum State: Sendable {
    case loggedOut
    case loggedIn
    case removed
  }

  /// The user's id on the server.
  public var id: String { String(flx_user_id(pointer)) }

  public var state: State {
    switch flx_user_get_state(pointer) {
    case .FLX_USER_LOGGED_IN: .loggedIn
    case .FLX_USER_REMOVED: .removed
    default: .loggedOut
    }
  }

  public var isLoggedIn: Bool { state == .loggedIn }

  /// The provider of the identity used at the last login, such as "anon-user" or "local-userpass".
  public var providerType: String { String(flx_user_provider(pointer)) }

  public var accessToken: String? { String(takingOver: flx_user_access_token_copy(pointer)) }

  public var refreshToken: String? { String(takingOver: flx_user_refresh_token_copy(pointer)) }

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
