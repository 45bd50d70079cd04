// SPDX-License-Identifier: Apache-2.0

import CSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Operations on the files of closed databases, as seen by SQLite's file system.
public enum DatabaseFiles {
  /// `SQLITE_IOERR_DELETE_NOENT`, a macro that Swift cannot import.
  private static let alreadyGone: Int32 = SQLITE_IOERR | 23 << 8

  /// Whether the file exists.
  public static func exist(at path: String) -> Bool {
    guard let fileSystem = sqlite3_vfs_find(nil) else { return false }
    var isThere: Int32 = 0
    let resultCode = fileSystem.pointee.xAccess(fileSystem, path, SQLITE_ACCESS_EXISTS, &isThere)
    return resultCode == SQLITE_OK && isThere != 0
  }

  /// Checks that a file is a FlexSync database of the expected kind, or an empty file, which becomes one when it is
  /// opened.
  ///
  /// Only the first bytes are examined. A database with damaged contents still passes.
  /// - Throws: `StorageError` of kind `notADatabase`, `foreignFile`, `permissionDenied` or `inputOutput`.
  public static func requireOurs(at path: String, _ application: DatabaseConfiguration.Application) throws {
    let header = try firstBytes(of: path, count: 100)
    guard !header.isEmpty else { return }
    guard header.count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      if isOfRealm(header) { throw ofRealm(path) }
      throw StorageError(
        kind: .notADatabase,
        message: "'\(path)' is not a FlexSync database. Check the path."
      )
    }
    let identifier = header[68..<72].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    guard identifier == UInt32(bitPattern: application.identifier) else {
      throw StorageError(
        kind: .foreignFile,
        message: "'\(path)' is a SQLite database, but not a \(application.name). Check the path."
      )
    }
  }

  /// Returns a better error than SQLite's for a file that is no database.
  static func explain(_ error: StorageError, at path: String) -> StorageError {
    guard error.kind == .notADatabase, let header = try? firstBytes(of: path, count: 24), isOfRealm(header)
    else {
      return error
    }
    return ofRealm(path)
  }

  /// Whether a file begins like one of the Realm SDKs: two 64-bit numbers and "T-DB".
  private static func isOfRealm(_ header: [UInt8]) -> Bool {
    header.count >= 24 && header[16..<20].elementsEqual("T-DB".utf8)
  }

  private static func ofRealm(_ path: String) -> StorageError {
    StorageError(
      kind: .notADatabase,
      message:
        "'\(path)' is a file of a Realm SDK, which FlexSync cannot read. Choose another file name, to which the data "
        + "are downloaded from the server. Only that SDK can upload what is not yet there, or copy local objects."
    )
  }

  private static func firstBytes(of path: String, count: Int) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let isDenied = errno == EACCES || errno == EPERM
      throw StorageError(
        kind: isDenied ? .permissionDenied : .inputOutput,
        message: "'\(path)' cannot be read: \(String(cString: strerror(errno))).",
      )
    }
    defer { close(descriptor) }
    return try [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
      size = read(descriptor, buffer.baseAddress, count)
      guard size >= 0 else {
        let reason = String(cString: strerror(errno))
        size = 0
        throw StorageError(kind: .inputOutput, message: "'\(path)' cannot be read: \(reason).")
      }
    }
  }

  /// Deletes a database and the files that SQLite keeps next to it. The database itself is deleted last, so that if
  /// this is interrupted, the next call finds and deletes the remaining files.
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

  /// Writes a compact copy of a database to another path, replacing any existing database.
  ///
  /// - Throws: `StorageError`.
  public static func copy(_ database: Database, to path: String) throws {
    try delete(at: path)
    try database.run("VACUUM INTO ?1", [path])
  }
}
