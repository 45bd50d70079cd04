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
    /// Must be nil, because FlexSync does not encrypt files: opening a realm with a key fails. To protect a file, put it on
    /// an encrypted file system.
    public var encryptionKey: Data?
    /// Whether the realm is opened for reading only. A local file must then exist, and is not written: it may be in a
    /// folder that cannot be written, as long as nothing else writes it. A synced realm is still synced.
    public var readOnly = false
    /// The version of the schema of a local realm. When a class or a property has changed in another way than that there
    /// is a new class or index, a higher version than that of the file migrates it.
    ///
    /// A synced realm is never migrated. Its session tells the server this version, which must be the `schema_version`
    /// of the app there, 0 unless the app's configuration says otherwise; with another one, the server ends the session
    /// with a ``SyncError``.
    public var schemaVersion: UInt64 = 0
    /// Converts the objects of a local realm when its file has a lower version. Without a block, objects keep the
    /// properties that have not changed.
    public var migrationBlock: MigrationBlock?
    /// Whether a local file loses all its objects, and gets the schema of the program, instead of being migrated. Stops
    /// the program if it is set for a synced realm.
    public var deleteRealmIfMigrationNeeded = false {
      didSet {
        Misuse.require(
          !deleteRealmIfMigrationNeeded || syncConfiguration == nil,
          "Cannot set 'deleteRealmIfMigrationNeeded' when sync is enabled ('syncConfig' is set)."
        )
      }
    }
    /// Called when a file is opened that is not open in this process: gets its size and the part of it that is in use, in
    /// bytes, and returns whether to compact it first. That does not happen if another process is using the file.
    @preconcurrency
    public var shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)?
    /// The file of which a new file becomes a copy. If the file exists, this is not used. A synced realm needs a seed that
    /// `Realm.writeCopy(configuration:)` has written for a user of the same app. Setting it clears `inMemoryIdentifier`.
    public var seedFilePath: URL? {
      didSet { if seedFilePath != nil { inMemoryIdentifier = nil } }
    }
    /// The number of versions of the data that may be in use when a write transaction begins; nil for any. Beyond it, the
    /// transaction does not begin. A realm that is not refreshed keeps a version in use, which makes the file grow.
    public var maximumNumberOfActiveVersions: UInt?
    /// The classes of the realm. If nil, they are those that the program uses with it: a class becomes part of the
    /// realm when it is first used there. Classes that the file has are compared with those of the same name in the
    /// program when it is opened.
    public var objectTypes: [ObjectBase.Type]?

    /// If there is an `inMemoryIdentifier`, `fileURL` is not used.
    @preconcurrency
    public init(
      fileURL: URL? = nil,
      inMemoryIdentifier: String? = nil,
      syncConfiguration: SyncConfiguration? = nil,
      encryptionKey: Data? = nil,
      readOnly: Bool = false,
      schemaVersion: UInt64 = 0,
      migrationBlock: MigrationBlock? = nil,
      deleteRealmIfMigrationNeeded: Bool = false,
      shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? = nil,
      objectTypes: [ObjectBase.Type]? = nil,
      seedFilePath: URL? = nil
    ) {
      self.fileURL = inMemoryIdentifier == nil ? fileURL : nil
      self.inMemoryIdentifier = inMemoryIdentifier
      self.syncConfiguration = syncConfiguration
      self.encryptionKey = encryptionKey
      self.readOnly = readOnly
      self.schemaVersion = schemaVersion
      self.migrationBlock = migrationBlock
      self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
      self.shouldCompactOnLaunch = shouldCompactOnLaunch
      self.objectTypes = objectTypes
      self.seedFilePath = seedFilePath
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

extension Realm.Configuration {
  /// - Throws: `Realm.Error` for a configuration with which no realm can be opened. Stops the program if parts of it
  ///   exclude each other.
  func requireConsistency() throws {
    Misuse.require(
      !readOnly || !deleteRealmIfMigrationNeeded,
      "Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set."
    )
    Misuse.require(
      !deleteRealmIfMigrationNeeded || syncConfiguration == nil,
      "Cannot set 'deleteRealmIfMigrationNeeded' when sync is enabled ('syncConfig' is set)."
    )
    Misuse.require(
      !readOnly || shouldCompactOnLaunch == nil,
      "Cannot set `shouldCompactOnLaunch` when `readOnly` is set."
    )
    try refuseEncryption()
    guard readOnly, seedFilePath == nil, syncConfiguration == nil, inMemoryIdentifier == nil, !fileExists
    else { return }
    throw Realm.Error(
      code: .fileNotFound,
      message: "Failed to open Realm file at path '\(path)': No such file or directory",
      fileURL: URL(fileURLWithPath: path)
    )
  }

  /// - Throws: `Realm.Error` if there is a key.
  func refuseEncryption() throws {
    guard encryptionKey != nil else { return }
    throw Realm.Error(
      code: .fail,
      message:
        "FlexSync does not encrypt files. Put the file on an encrypted file system, such as LUKS or fscrypt on "
        + "Linux or FileVault on macOS, and open it without an encryptionKey.",
      fileURL: fileURL
    )
  }

  /// - Throws: `Realm.Error` if another configuration of the same file cannot be open at the same time.
  func requireAgreement(with other: Realm.Configuration) throws {
    let difference =
      if readOnly != other.readOnly {
        "read permissions"
      } else if syncConfiguration == nil, schemaVersion != other.schemaVersion {
        "schema version"
      } else {
        nil as String?
      }
    guard let difference else { return }
    throw Realm.Error(
      code: .alreadyOpen,
      message: "Realm at path '\(path)' already opened with different \(difference).",
      fileURL: fileURL
    )
  }

  /// Opens the realm for `_RealmHandle.open`. Errors name the file.
  func openNamingFile(_ types: [ObjectBase.Type]) throws -> OpaquePointer {
    do {
      return try open(types)
    } catch let error as Realm.Error {
      throw path.isEmpty ? error : error.ofOpening(path)
    }
  }
}
