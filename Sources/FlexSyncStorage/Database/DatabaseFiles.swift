// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The files of databases that are closed, as SQLite's file system has them.
public enum DatabaseFiles {
  /// `SQLITE_IOERR_DELETE_NOENT`, a macro that Swift does not see.
  private static let alreadyGone: Int32 = SQLITE_IOERR | 23 << 8

  /// Whether there is a file.
  public static func exist(at path: String) -> Bool {
    guard let fileSystem = sqlite3_vfs_find(nil) else { return false }
    var isThere: Int32 = 0
    let resultCode = fileSystem.pointee.xAccess(fileSystem, path, SQLITE_ACCESS_EXISTS, &isThere)
    return resultCode == SQLITE_OK && isThere != 0
  }

  /// Deletes a database with what SQLite keeps beside it. The database itself goes last: whatever interrupts this, what
  /// is left is found and deleted by the next call.
  ///
  /// - Throws: `StorageError` of kind `inputOutput`.
  public static func delete(at path: String) throws {
    guard let fileSystem = sqlite3_vfs_find(nil) else { return }
    for file in ["\(path)-journal", "\(path)-wal", "\(path)-shm", path] where exist(at: file) {
      let resultCode = fileSystem.pointee.xDelete(fileSystem, file, 1)
      guard resultCode == SQLITE_OK || resultCode == alreadyGone else {
        throw StorageError(
          kind: .inputOutput,
          message: "'\(file)' cannot be deleted. Check the permissions of its folder.",
          resultCode: resultCode
        )
      }
    }
  }

  /// Writes a compact copy of a database to another path, in the place of what is there.
  ///
  /// - Throws: `StorageError`.
  public static func copy(_ database: Database, to path: String) throws {
    try delete(at: path)
    try database.withStatement("VACUUM INTO ?1") {
      $0.bind(path, at: 1)
      try $0.run()
    }
  }
}
