// SPDX-License-Identifier: Apache-2.0

/// How to open a database.
public struct DatabaseConfiguration: Hashable, Sendable {
  /// Where the data live.
  public enum Location: Hashable, Sendable {
    /// A file, created if absent.
    case file(String)
    /// Memory of this database alone, gone when it closes.
    case memory
  }

  /// When a commit is safe from a loss of power. A killed process loses nothing at any level.
  public enum Synchronous: String, Hashable, Sendable {
    /// Commits are written to the device before they return. For servers, which acknowledge them to others.
    case full = "FULL"
    /// The last commits may be lost, the file stays sound. For clients: what they have not uploaded yet is as
    /// mortal as the device.
    case normal = "NORMAL"
    /// A loss of power may destroy the file. For temporary files only.
    case off = "OFF"
  }

  /// Which of FlexSync's files it is, stored as SQLite's `application_id` so that one kind is never taken for
  /// another.
  public struct Application: Hashable, Sendable {
    /// The stored number: four letters, the first most significant.
    public let identifier: Int32
    /// The newest format that this code reads and writes, stored as SQLite's `user_version`.
    public let formatVersion: Int32
    /// What to call such a file in messages.
    public let name: String

    /// Describes a kind of file.
    public init(identifier: Int32, formatVersion: Int32, name: String) {
      self.identifier = identifier
      self.formatVersion = formatVersion
      self.name = name
    }

    /// A client's realm file, "FLXC".
    public static let realm = Application(identifier: 0x464C_5843, formatVersion: 1, name: "FlexSync realm")
    /// A server's store, "FLXS".
    public static let server = Application(
      identifier: 0x464C_5853,
      formatVersion: 1,
      name: "FlexSync server store"
    )
  }

  /// Where the data live.
  public var location: Location
  /// Which kind of file is expected.
  public var application: Application
  /// When a commit is safe from a loss of power.
  public var synchronous: Synchronous
  /// How long to wait for another writer, in milliseconds.
  public var busyTimeoutMilliseconds: Int32
  /// Opens an existing file without the ability to change it.
  public var isReadOnly: Bool
  /// The size of the page cache in KiB.
  public var cacheKibibytes: Int32
  /// Whether a new file keeps the map that it takes to give free pages back to the file system later.
  public var canShrink: Bool

  /// Describes how to open a database; the defaults are those of a client.
  public init(
    location: Location,
    application: Application,
    synchronous: Synchronous = .normal,
    busyTimeoutMilliseconds: Int32 = 30_000,
    isReadOnly: Bool = false,
    cacheKibibytes: Int32 = 16_384,
    canShrink: Bool = false
  ) {
    self.location = location
    self.application = application
    self.synchronous = synchronous
    self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
    self.isReadOnly = isReadOnly
    self.cacheKibibytes = cacheKibibytes
    self.canShrink = canShrink
  }
}
