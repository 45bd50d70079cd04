// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

extension Realm {
  /// Describes where a realm is stored and for which user it syncs.
  public struct Configuration: Sendable {
    /// The file. If nil, it is the user's default file for a synced realm, and `default.realm` in the current folder
    /// for a local one. Setting it clears `inMemoryIdentifier`.
    public var fileURL: URL? {
      didSet { if fileURL != nil { inMemoryIdentifier = nil } }
    }
    /// The name under which to keep the realm in memory; nil for a realm in a file. Setting it clears `fileURL`.
    public var inMemoryIdentifier: String? {
      didSet { if inMemoryIdentifier != nil { fileURL = nil } }
    }
    /// The configuration for sync; nil for a local realm.
    public var syncConfiguration: SyncConfiguration?
    /// The classes of the realm. If nil, they are those that the program uses with it: a class becomes part of the
    /// realm when it is first used there.
    public var objectTypes: [ObjectBase.Type]?

    /// If there is an `inMemoryIdentifier`, `fileURL` is not used.
    public init(
      fileURL: URL? = nil,
      inMemoryIdentifier: String? = nil,
      syncConfiguration: SyncConfiguration? = nil,
      objectTypes: [ObjectBase.Type]? = nil
    ) {
      self.fileURL = inMemoryIdentifier == nil ? fileURL : nil
      self.inMemoryIdentifier = inMemoryIdentifier
      self.syncConfiguration = syncConfiguration
      self.objectTypes = objectTypes
    }

    private static let sharedDefault = Mutex(Configuration())

    /// The configuration used by `Realm()`: a local realm in `default.realm` in the current folder, unless set
    /// otherwise.
    public static var defaultConfiguration: Configuration {
      get { sharedDefault.withLock { $0 } }
      set { sharedDefault.withLock { $0 = newValue } }
    }
  }

  /// Determines when an asynchronous open waits for the server.
  public enum OpenBehavior: Sendable {
    /// Do not wait.
    case never
    /// Wait for the first download and the initial subscriptions if the file is new.
    case once
    /// Wait for a download every time.
    case always
  }
}

/// The part of a configuration that makes a realm synced, created by `User.flexibleSyncConfiguration`.
public struct SyncConfiguration: Sendable {
  /// The user whose data the realm holds.
  public let user: User
  /// The partition of a realm with partition-based sync, which cannot be opened; nil for Flexible Sync.
  public internal(set) var partitionValue: AnyBSON?
  /// The way in which a client reset is handled.
  public var clientResetMode = ClientResetMode.recoverUnsyncedChanges()
  /// Whether opening asynchronously fails with the first error of the session that does not end it.
  public internal(set) var cancelAsyncOpenOnNonFatalErrors = false
  /// Fills the first subscription set.
  public internal(set) var initialSubscriptions: InitialSubscriptionsConfiguration?
  /// Whether to open without connecting until `SyncSession.resume`.
  public var startsSuspended = false
  /// Whether `Realm.write` throws a `SyncError` with the code `writeRejected` if an object that was created or
  /// changed is in none of the subscriptions that are in force or await the server's answer, since the server would
  /// revert it. A change that moves an object out of them is allowed. Permissions are left to the server and are not
  /// checked.
  public var refusesUnsubscribedObjects = false
  /// The maximum number of rejected writes that the file keeps; the oldest are dropped first. See
  /// `Realm.rejectedWrites`.
  public var rejectedWriteLimit = 1000
}

/// The initial subscriptions of a realm.
public struct InitialSubscriptionsConfiguration: Sendable {
  /// Adds subscriptions to the set of a new file.
  public let callback: @Sendable (SyncSubscriptionSet) -> Void
  /// Whether the callback also runs at the first open of each process.
  public let rerunOnOpen: Bool

  public init(callback: @escaping @Sendable (SyncSubscriptionSet) -> Void, rerunOnOpen: Bool = false) {
    self.callback = callback
    self.rerunOnOpen = rerunOnOpen
  }
}

extension Realm.Configuration {
  /// - Throws: `SyncError` with the code `clientSessionError` for a configuration of partition-based sync.
  func requireFlexibleSync() throws {
    guard syncConfiguration?.partitionValue != nil else { return }
    throw SyncError(
      partitionBased: "the configuration is for partition-based sync, and the app uses Flexible Sync; "
        + "open the realm with User.flexibleSyncConfiguration"
    )
  }

  /// The path of the file; empty for the user's default file and for realms in memory.
  var path: String {
    if let fileURL { return fileURL.path }
    let isLocalFile = syncConfiguration == nil && inMemoryIdentifier == nil
    return isLocalFile ? URL(fileURLWithPath: "default.realm", isDirectory: false).path : ""
  }
}
