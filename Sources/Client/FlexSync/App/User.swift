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

  /// The sync sessions of the user's open realms.
  public var allSessions: [SyncSession] { handle.sessions }

  /// Returns nil: with Flexible Sync, a session is not of a partition. It is for source compatibility; a realm has its
  /// session in `Realm.syncSession`.
  public func session(forPartitionValue partitionValue: some BSON) -> SyncSession? { nil }
}

// MARK: - Configurations

extension User {
  /// Returns the configuration of the user's realm, which syncs the data that its subscriptions ask for.
  ///
  /// - Parameters:
  ///   - clientResetMode: how to handle a client reset that the server demands.
  ///   - cancelAsyncOpenOnNonFatalErrors: whether opening asynchronously fails with the first error of the session, such
  ///     as a server that cannot be reached, instead of waiting until the session succeeds.
  ///   - initialSubscriptions: adds the first subscriptions; runs when the file is new.
  ///   - rerunOnOpen: whether it also runs at the first open of each process, for queries that depend on the time.
  public func flexibleSyncConfiguration(
    clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
    cancelAsyncOpenOnNonFatalErrors: Bool = false,
    initialSubscriptions: (@Sendable (SyncSubscriptionSet) -> Void)? = nil,
    rerunOnOpen: Bool = false
  ) -> Realm.Configuration {
    var sync = SyncConfiguration(user: self)
    sync.clientResetMode = clientResetMode
    sync.cancelAsyncOpenOnNonFatalErrors = cancelAsyncOpenOnNonFatalErrors
    sync.initialSubscriptions = initialSubscriptions.map {
      InitialSubscriptionsConfiguration(callback: $0, rerunOnOpen: rerunOnOpen)
    }
    return Realm.Configuration(syncConfiguration: sync)
  }

  /// Returns a configuration for partition-based sync, which exists for source compatibility: opening a realm with it
  /// fails with a `SyncError` of code `clientSessionError`, as it does in the Realm SDK for an app with Flexible Sync.
  public func configuration(
    partitionValue: AnyBSON,
    clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
    cancelAsyncOpenOnNonFatalErrors: Bool = false
  ) -> Realm.Configuration {
    var configuration = flexibleSyncConfiguration(
      clientResetMode: clientResetMode,
      cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors
    )
    configuration.syncConfiguration?.partitionValue = partitionValue
    return configuration
  }

  /// Returns a configuration for partition-based sync; see the form for `AnyBSON`.
  public func configuration<Value: BSON>(
    partitionValue: Value,
    clientResetMode: ClientResetMode = .recoverUnsyncedChanges(),
    cancelAsyncOpenOnNonFatalErrors: Bool = false
  ) -> Realm.Configuration {
    configuration(
      partitionValue: AnyBSON(partitionValue),
      clientResetMode: clientResetMode,
      cancelAsyncOpenOnNonFatalErrors: cancelAsyncOpenOnNonFatalErrors
    )
  }
}

/// The name in the Realm Swift SDK.
public typealias UserState = User.State

extension User: Hashable {
  public static func == (left: User, right: User) -> Bool { left.id == right.id && left.app == right.app }

  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
