// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// The snapshots of a file that frozen realms show or may yet be asked to show.
///
/// SQLite can only begin to read the newest version of a file. Whoever commits while a handle still shows the version
/// before therefore has another connection begin to read that one, in case the handle is frozen. A value of the
/// coordinator's state, under its lock.
struct KeptSnapshots: Sendable {
  private struct Connection: @unchecked Sendable {
    let database: Database
  }

  /// Sendable because threads wait for each other in the calls on a frozen realm.
  struct Frozen: @unchecked Sendable {
    let realm: Realm
  }

  /// A connection in a read transaction for each version that is not the newest one.
  private var outdated: [UInt64: Connection] = [:]
  /// A connection without a transaction, for the next version.
  private var idle: Connection?
  /// The frozen realm of a version, so that freezing many objects of the same version takes one connection.
  private var frozen: [UInt64: Frozen] = [:]

  /// Keeps the version that is about to be outdated.
  ///
  /// - Parameter isOfVersion: whether the snapshot that a connection has begun is that of the version.
  /// - Returns: the result of `isOfVersion`; the version is not kept if it is false.
  /// - Throws: `StorageError` if the file cannot be read.
  @discardableResult
  mutating func keep(
    _ version: UInt64,
    _ open: () throws -> Database,
    if isOfVersion: (Database) throws -> Bool = { _ in true }
  ) throws -> Bool {
    guard outdated[version] == nil, frozen[version] == nil else { return true }
    let connection = try takeIdle(open)
    try connection.beginRead()
    guard try isOfVersion(connection) else {
      stopReading(Connection(database: connection))
      return false
    }
    outdated[version] = Connection(database: connection)
    return true
  }

  private mutating func takeIdle(_ open: () throws -> Database) throws -> Database {
    guard let connection = idle else { return try open() }
    idle = nil
    return connection.database
  }

  /// Returns the frozen realm of a version.
  ///
  /// - Parameters:
  ///   - isNewest: whether the version is the newest one of the file.
  ///   - open: opens a connection.
  ///   - freeze: makes a realm of a connection that reads the version.
  /// - Returns: nil if the version was not kept.
  mutating func frozenRealm(
    _ version: UInt64,
    isNewest: Bool,
    _ open: () throws -> Database,
    _ freeze: (Database) throws -> Realm
  ) throws -> Frozen? {
    if let known = frozen[version] { return known }
    if isNewest { try keep(version, open) }
    guard let connection = outdated.removeValue(forKey: version) else { return nil }
    let new = Frozen(realm: try freeze(connection.database))
    frozen[version] = new
    return new
  }

  /// Forgets one version, for which another connection would show other data.
  mutating func forget(_ version: UInt64) {
    frozen[version] = nil
    outdated[version] = nil
  }

  /// Forgets the versions that no handle shows any more.
  mutating func forget(except seen: @autoclosure () -> Set<UInt64>) {
    guard !outdated.isEmpty || !frozen.isEmpty else { return }
    let seen = seen()
    if frozen.keys.contains(where: { !seen.contains($0) }) {
      frozen = frozen.filter { seen.contains($0.key) }
    }
    for (version, connection) in outdated where !seen.contains(version) {
      outdated[version] = nil
      stopReading(connection)
    }
  }

  private mutating func stopReading(_ connection: Connection) {
    do {
      try connection.database.endRead()
      idle = connection
    } catch {
      // It closes without being used again, which is all that matters.
      Log.write(.debug, "the snapshot of an old version could not be ended: \(error)")
    }
  }
}
