// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The settings with which a realm is opened.
struct RealmConfiguration {
  /// The location of the data.
  enum Location: Hashable, Sendable {
    /// A file, by path.
    case file(String)
    /// Memory, shared within the process under a name until the last handle closes.
    case memory(String)

    // Paths are bytes, while strings are equal whose characters are composed in different ways.
    static func == (left: Location, right: Location) -> Bool {
      switch (left, right) {
      case (.file(let left), .file(let right)), (.memory(let left), .memory(let right)):
        UTF8Order.areEqual(left, right)
      default: false
      }
    }

    func hash(into hasher: inout Hasher) {
      switch self {
      case .file(let text), .memory(let text): UTF8Order.hash(text, into: &hasher)
      }
    }
  }

  /// The callback that fills the first subscription set.
  struct InitialSubscriptions {
    let fill: (Realm, SubscriptionUpdate) throws -> Void
    /// Whether it runs at the first open in every process rather than only when the file is created.
    let reruns: Bool
  }

  /// How the schema of the file and the declared one are reconciled.
  enum SchemaMode {
    /// The file gets what it lacks.
    case additive
    /// The schema has a version; other changes than new classes need a higher one.
    case versioned(UInt64)
    /// The same, but if a migration is needed, all classes of the file are removed instead.
    case versionedOrReset(UInt64)
    /// The realm has the classes of the file.
    case fromFile

    var version: UInt64? {
      switch self {
      case .versioned(let version), .versionedOrReset(let version): version
      case .additive, .fromFile: nil
      }
    }
  }

  /// Converts the objects of a file: gets a handle with the data before the migration, one with the new schema, and the
  /// old version.
  typealias Migration = (_ before: Realm, _ after: Realm, _ oldVersion: UInt64) throws -> Void

  var location: Location
  /// The user whose data are synced; nil for a local realm.
  var user: User?
  /// Whether the location is the user's default, because the program named none.
  var isDefaultLocation = false
  /// The classes in the order of their declaration.
  var classes: [DeclaredClass]
  var initialSubscriptions: InitialSubscriptions?
  /// Whether the realm opens without connecting.
  var startsSuspended = false
  var clientReset = ClientResetConfiguration()
  /// Whether commits fail if the server would revert them because no subscription covers an object.
  var refusesUnsubscribedObjects = false
  /// Whether a write transaction may continue on a thread other than the one that began it.
  var changesThreadInWrite = false
  var schemaMode = SchemaMode.additive
  /// The version of the schema that the app on the server must have.
  var syncedSchemaVersion: UInt64 = 0
  var migration: Migration?
  /// Decides whether the file is compacted when the first handle is opened; gets its size and the part in use, in bytes.
  var shouldCompact: ((UInt64, UInt64) -> Bool)?
  /// The file that a new one is copied from.
  var seedPath: String?
  /// The number of versions of the data that may be in use when a write transaction begins; nil for any.
  var maximumActiveVersions: Int?
  /// Whether the realm cannot be written through this handle; a local file is then not written at all.
  var isReadOnly = false
  /// The limits on how many rejected writes are kept.
  var rejectedWriteLimits = RejectedWriteLimits()

  /// Whether opening in the background fails with the first error that does not end the session.
  var failsOpeningAtFirstError = false
  /// Receives the progress of the download while the realm is being opened in the background.
  var openProgress: (@Sendable (TransferProgress) -> Void)?

  /// The settings on which all handles of a file that are open at the same time must agree; nil if this one only reads
  /// the classes of the file.
  var sharedSettings: SharedSettings? {
    if case .fromFile = schemaMode { return nil }
    return SharedSettings(isReadOnly: isReadOnly, schemaVersion: schemaMode.version)
  }

  /// The owner that the file must have.
  var owner: RealmOwner {
    user.map { .synced(appID: $0.app.configuration.appID, userID: $0.id) } ?? .local
  }
}
