// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncServerStore
import FlexSyncServerSupport
import FlexSyncStore

/// A copy of a data folder: the store of each app as of one point in time, the keys, the records and all other files.
/// A server may be running on the folder, however busy: the copy is read from a snapshot, which commits do not
/// disturb.
public struct DataBackup {
  /// A summary of the contents of a backup.
  public struct Summary: Sendable {
    public var apps: [String]
    public var fileCount: Int
    public var byteCount: Int64
  }

  /// Suffixes of files that belong to a running process.
  private static let passingSuffixes = ["-wal", "-shm", "-journal", ".new", "server.lock"]

  private let source: String
  private let target: String

  /// Copies a data folder.
  ///
  /// - Parameter target: The folder for the backup, which must be empty or not exist.
  /// - Throws: `ServerError`, `FileError`, `StorageError`. The folder for the backup is then as it was before.
  public static func run(dataFolder: String, to target: String, clock: WallClock = .system) throws -> Summary
  {
    try DataFolder.checkExists(dataFolder)
    try DataFolder.checkIsNoBackup(dataFolder)
    try checkVacant(target)
    try DataFolder.checkStores(in: dataFolder)
    let isNew = !FileSystem.isDirectory(target)
    try FileSystem.createDirectory(target)
    do {
      if let outer = FileSystem.resolved(dataFolder), let inner = FileSystem.resolved(target),
        "\(inner)/".hasPrefix("\(outer)/")
      {
        throw ServerError("\(target) is inside the data folder; choose a folder outside it")
      }
      guard try FileSystem.createNew("\(target)/\(unfinishedName)") else { throw occupied(target) }
    } catch {
      if isNew { FileSystem.removeEmptyDirectory(target) }
      throw error
    }
    do {
      let summary = try DataBackup(source: dataFolder, target: target).copy(clock)
      try FileSystem.removeFile("\(target)/\(unfinishedName)")
      return summary
    } catch {
      // The files would be in the way of the next attempt. They are not put into a neighbouring folder that
      // is renamed at the end, because the target may be a volume of its own.
      try? FileSystem.removeContents(of: target)
      if isNew { FileSystem.removeEmptyDirectory(target) }
      throw error
    }
  }

  /// The file that a folder has while a backup is written to it, and for good if the process is killed meanwhile.
  static let unfinishedName = "unfinished"

  private static func checkVacant(_ target: String) throws(ServerError) {
    guard !FileSystem.isVacant(target) else { return }
    throw occupied(target)
  }

  private static func occupied(_ target: String) -> ServerError {
    guard FileSystem.exists("\(target)/\(unfinishedName)") else {
      return ServerError("\(target) already exists and is not empty; a backup needs its own folder")
    }
    return ServerError(
      "\(target) has a backup that another flexsyncd is writing, or that was interrupted; if none is running, remove "
        + "the folder"
    )
  }

  private func copy(_ clock: WallClock) throws -> Summary {
    var manifest = BackupManifest(time: clock.milliseconds(), files: [])
    for path in try FileSystem.files(below: source) where DataBackup.isKept(path) {
      if let slash = path.lastIndex(of: "/") { try FileSystem.createDirectory("\(target)/\(path[..<slash])") }
      if BackupManifest.app(path) != nil {
        try copyStore(path)
      } else if try FileSystem.copy("\(source)/\(path)", to: "\(target)/\(path)") == nil {
        continue  // Old records may have been removed since the files were listed.
      }
      manifest.files.append(try BackupManifest.File(path, in: target))
    }
    guard !manifest.apps.isEmpty else { throw ServerError("the data folder \(source) has no apps") }
    try manifest.write(to: target)
    return Summary(
      apps: manifest.apps,
      fileCount: manifest.files.count,
      byteCount: manifest.files.reduce(0) { $0 + $1.byteCount }
    )
  }

  private static func isKept(_ path: String) -> Bool {
    path != BackupManifest.fileName && !passingSuffixes.contains(where: path.hasSuffix)
  }

  private func copyStore(_ path: String) throws {
    try DatabaseFiles.copy(try StoreFile.open("\(source)/\(path)"), to: "\(target)/\(path)")
    try FileSystem.restrict("\(target)/\(path)")
    _ = try FileSystem.sync("\(target)/\(path)")
    let problems = try StoreFile.problems("\(target)/\(path)")
    guard problems.isEmpty else {
      throw ServerError(
        "\(source)/\(path), or its copy, is damaged: \(problems.joined(separator: "; ")). Check the disks, and back "
          + "up again. If the error comes again, stop the server and restore the last good backup"
      )
    }
  }
}

/// Opens the file of a store read-only.
enum StoreFile {
  static func open(_ path: String) throws -> Database {
    var configuration = DatabaseConfiguration(location: .file(path), application: .server)
    configuration.isReadOnly = true
    return try Database.open(configuration)
  }

  /// Checks the integrity of a store file.
  ///
  /// - Returns: What is wrong with it; empty if nothing is.
  static func problems(_ path: String) throws -> [String] { try open(path).integrityProblems() }
}
