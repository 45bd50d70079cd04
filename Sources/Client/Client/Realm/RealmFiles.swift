// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The files of closed realms.
enum RealmFiles {
  /// The suffixes of the realm file and of the files that SQLite and the sync lock create next to it.
  static let suffixes = ["", "-wal", "-shm", "-journal", ".lock", ProcessTable.suffix]

  /// Deletes the files of a realm.
  ///
  /// - Returns: whether there was a file.
  /// - Throws: `CoreError` ALREADY_OPEN, also if another process has the file open, IO, PERMISSION_DENIED; `StorageError`
  ///   if another process syncs the file, or if it is not a realm.
  static func delete(_ location: RealmConfiguration.Location) throws -> Bool {
    try RealmRegistry.whileClosed(location) { location in
      // A realm in memory ends with its last handle.
      guard case .file(let path) = location else { return false }
      guard isFile(path) else {
        try removeLeftovers(of: path)
        return false
      }
      try DatabaseFiles.requireOurs(at: path, .realm)
      return try whileUnused(path) {
        // Another process may have deleted it, and a third one may have made another since.
        guard isFile(path) else { return false }
        RealmRegistry.noteDeletion(of: path)
        try DatabaseFiles.delete(at: SessionFile.freshPath(of: path))
        // Without the table, another process can open a new file at once.
        for suffix in suffixes { try FileSystem.remove(path + suffix) }
        return true
      }
    }
  }

  /// Removes the logs of a file that is gone, because the process that deleted it was killed in the middle. SQLite would
  /// apply them to another file that is put in its place.
  ///
  /// - Throws: `CoreError` IO, PERMISSION_DENIED; `StorageError`.
  static func removeLeftovers(of path: String) throws {
    let logs = ["-wal", "-journal", "-shm"].map { path + $0 }
    guard !FileSystem.exists(path), logs.contains(where: FileSystem.exists) else { return }
    // If a process is in the table, it is making a new file, with logs of its own.
    _ = try ProcessTable.whileUnused(path) {
      guard !FileSystem.exists(path) else { return }
      for log in logs { try FileSystem.remove(log) }
    }
  }

  /// Runs `body` while no other process has the file open.
  private static func whileUnused<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    // Creates the lock file if necessary.
    let agentLock = try SyncAgentLock(path: path)
    let result = try withExtendedLifetime(agentLock) { try ProcessTable.whileUnused(path, body) }
    guard let result else {
      throw CoreError(.alreadyOpen, "'\(path)' is open in another process. Close it there first.")
    }
    return result
  }

  /// Backs up and deletes the files of a realm if a client reset calls for it.
  ///
  /// - Returns: whether that was due.
  /// - Throws: `CoreError` ALREADY_OPEN, IO, PERMISSION_DENIED; `StorageError`.
  static func performReset(_ location: RealmConfiguration.Location, owner: RealmOwner) throws -> Bool {
    try RealmRegistry.whileClosed(location) { location in
      guard case .file(let path) = location, isFile(path) else { return false }
      return try whileUnused(path) { try performReset(at: path, owner) }
    }
  }

  /// Does the same for a realm that is about to be opened, unless another process has it open: the session then reports
  /// that the reset is still due.
  static func performReset(_ coordinator: RealmCoordinator, owner: RealmOwner) throws {
    do {
      _ = try whileUnused(coordinator.path) { try performReset(at: coordinator.path, owner) }
    } catch let error as CoreError where error.status == .alreadyOpen {
      Log.write(.info, "the client reset has to wait: \(error)")
    } catch let error as StorageError where error.kind == .syncAgentActive {
      Log.write(.info, "the client reset has to wait: \(error)")
    }
  }

  private static func performReset(at path: String, _ owner: RealmOwner) throws -> Bool {
    let configuration = DatabaseConfiguration(location: .file(path), application: .realm)
    let isDue = try ManualReset.perform(configuration, owner: owner) { try FileSystem.makeFolder($0) }
    if isDue { RealmRegistry.noteDeletion(of: path) }
    return isDue
  }

  /// Deletes a folder and all realms in it.
  ///
  /// - Throws: `CoreError` ALREADY_OPEN, IO, PERMISSION_DENIED.
  static func deleteAll(in folder: String) throws {
    try RealmRegistry.whileAllClosed(in: folder) {
      if let path = try ProcessTable.openRealm(in: folder) {
        throw CoreError(.alreadyOpen, "'\(path)' is open in another process. Close it there first.")
      }
      try FileSystem.remove(folder)
    }
  }

  /// Refuses what is no realm and cannot become one, before anything is made next to it: a folder or a device, a file that
  /// is too small to be a database, which SQLite would overwrite, and a name without room for those of the files that belong
  /// to it.
  ///
  /// - Throws: `CoreError` IO, NOT_A_DATABASE, INVALID_ARGUMENT.
  static func requirePossibleFile(at path: String, isReadOnly: Bool = false) throws {
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT || errno == ENAMETOOLONG else { return }
      return try requireRoom(forFilesOf: path, isReadOnly: isReadOnly)
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw CoreError(.io, "'\(path)' is a folder. Give the path of a file in it.")
    default: throw CoreError(.io, "'\(path)' is a device or the like. Give the path of a file.")
    }
    let headerSize = 100
    guard status.st_size > 0, status.st_size < headerSize else { return }
    throw CoreError(
      .notADatabase,
      "Failed to open Realm file at path '\(path)': file is non-empty but too small (\(status.st_size) bytes) to be a "
        + "valid Realm."
    )
  }

  /// Refuses to make a file for which some of the others could not be made.
  private static func requireRoom(forFilesOf path: String, isReadOnly: Bool) throws {
    guard !isReadOnly else {
      throw CoreError(.io, "'\(path)' does not exist, and read-only access cannot create it.")
    }
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
    let longestSuffix = "\(SessionFile.freshPath(of: ""))-journal"
    let limit = Int(NAME_MAX) - longestSuffix.utf8.count
    guard name.count > limit else { return }
    throw CoreError.invalidArgument(
      "The name of the file has \(name.count) bytes; that of a realm may have at most \(limit), because files with longer "
        + "names belong to it: '\(path)'."
    )
  }

  /// Whether the file of a realm exists; a realm in memory has none.
  static func exist(_ location: RealmConfiguration.Location) -> Bool {
    guard case .file(let path) = location else { return false }
    return isFile(path)
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}
