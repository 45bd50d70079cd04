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
  /// The way in which a client reset is handled.
  public var clientResetMode: ClientResetMode
  /// Fills the first subscription set.
  public let initialSubscriptions: (@Sendable (SyncSubscriptionSet) -> Void)?
  /// Whether the initial subscriptions also run at the first open of each process.
  public let rerunOnOpen: Bool
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

extension Realm.Configuration {
  /// The path of the file; empty for the user's default file and for realms in memory.
  var path: String {
    if let fileURL { return fileURL.path }
    let isLocalFile = syncConfiguration == nil && inMemoryIdentifier == nil
    return isLocalFile ? URL(fileURLWithPath: "default.realm", isDirectory: false).path : ""
  }
}
