// SPDX-License-Identifier: Apache-2.0

/// The options for opening a database.
public struct DatabaseConfiguration: Sendable {
  /// The location of the data.
  public enum Location: Hashable, Sendable {
    /// A file, which is created if it does not exist.
    case file(String)
    /// Memory of this database only, released when it closes.
    case memory
  }

  /// The point at which a commit is safe from a loss of power. Killing the process loses nothing at any level.
  public enum Synchronous: String, Hashable, Sendable {
    /// A commit is flushed to the device before it returns. For servers, which acknowledge commits to others.
    case full = "FULL"
    /// The last commits may be lost, but the file stays intact. For clients: changes that have not been uploaded
    /// would be lost with the device anyway.
    case normal = "NORMAL"
    /// A loss of power may destroy the file. For temporary files only.
    case off = "OFF"
  }

  /// The kind of FlexSync file, stored as SQLite's `application_id` so that one kind is never mistaken for another.
  public struct Application: Sendable {
    /// The stored number: four ASCII letters, the first one most significant.
    public let identifier: Int32
    /// The name of such a file in messages.
    public let name: String
    /// Brings such files to the format that this version reads and writes.
    public let migrator: Migrator
    /// The advice that error messages give about such a file.
    public let advice: FileAdvice

    /// Creates a description of a kind of file.
    ///
    /// - Parameter migrations: Everything that turns an empty file into the latest format, oldest first.
    public init(identifier: Int32, name: String, migrations: [Migration], advice: FileAdvice = .device) {
      self.identifier = identifier
      self.name = name
      migrator = Migrator(migrations: migrations)
      self.advice = advice
    }
  }

  /// The location of the data.
  public var location: Location
  /// The expected kind of file.
  public var application: Application
  /// The point at which a commit is safe from a loss of power.
  public var synchronous = Synchronous.normal
  /// The maximum time to wait for another writer, in milliseconds.
  public var busyTimeoutMilliseconds: Int32
  /// Whether an existing file is opened for reading only. A file of an older format then keeps it.
  public var isReadOnly = false
  /// The size of the page cache in KiB.
  public var cacheKibibytes: Int32 = 16_384
  /// Whether a new file keeps the map that is required to return free pages to the file system later.
  public var canShrink = false

  /// Creates a configuration. The defaults are those of a client.
  public init(location: Location, application: Application, busyTimeoutMilliseconds: Int32 = 30_000) {
    self.location = location
    self.application = application
    self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
  }
}
