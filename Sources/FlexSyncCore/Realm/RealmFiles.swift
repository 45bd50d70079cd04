// SPDX-License-Identifier: Apache-2.0

import FlexSyncStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The files of realms that are not open.
enum RealmFiles {
  /// What SQLite and the sync lock put beside the file.
  private static let suffixes = ["", "-wal", "-shm", "-journal", ".lock"]

  /// Deletes the files of a realm.
  ///
  /// - Returns: whether there was one.
  /// - Throws: `CoreError` ALREADY_OPEN, IO, PERMISSION_DENIED; `StorageError` if another process syncs the file.
  static func delete(_ location: RealmConfiguration.Location) throws -> Bool {
    try RealmRegistry.whileClosed(location) {
      // A realm in memory ends with its last handle.
      guard case .file(let path) = location, isFile(path) else { return false }
      // Its lock file is made if need be, and removed with the others.
      let agentLock = try SyncAgentLock(path: path)
      for suffix in suffixes { try FileSystem.remove(path + suffix) }
      return withExtendedLifetime(agentLock) { true }
    }
  }

  /// Deletes a folder with all realms in it.
  ///
  /// - Throws: `CoreError` ALREADY_OPEN, IO, PERMISSION_DENIED.
  static func deleteAll(in folder: String) throws {
    try RealmRegistry.whileAllClosed(in: folder) { try FileSystem.remove(folder) }
  }

  /// Whether the file of a realm is there; a realm in memory has none.
  static func exist(_ location: RealmConfiguration.Location) -> Bool {
    guard case .file(let path) = location else { return false }
    return isFile(path)
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
