// SPDX-License-Identifier: Apache-2.0

import FlexSyncEngine
import FlexSyncServerStore
import FlexSyncServerSupport
import FlexSyncStore

/// Creates a data folder from a backup.
public struct DataRestore {
  private let source: String
  private let target: String
  private let manifest: BackupManifest

  /// Restores a backup. The data folder then contains everything, or does not exist.
  ///
  /// - Parameter dataFolder: The data folder to create, which must be empty or not exist.
  /// - Returns: The time of the backup in milliseconds since 1970, and the apps in it.
  /// - Throws: `ServerError` if the backup is incomplete or the folder is not empty; `FileError`, `StorageError`. Nothing
  ///   is then left of what was written.
  public static func run(from source: String, dataFolder: String) throws -> (time: Int64, apps: [String]) {
    guard FileSystem.isVacant(dataFolder) else {
      guard !FileSystem.isOccupied("\(dataFolder)/\(unfinishedName)") else {
        throw ServerError(
          "a restore to \(dataFolder) was interrupted, or is still running; if none is, empty it"
        )
      }
      throw ServerError(
        "\(dataFolder) already exists and is not empty; restore does not overwrite it. Move it away, or choose "
          + "another --data"
      )
    }
    var target = dataFolder
    while target.hasSuffix("/"), target.utf8.count > 1 { target.removeLast() }
    let manifest = try BackupManifest.read(source)
    if let outer = FileSystem.resolved(source), let inner = FileSystem.resolvedExisting(target),
      "\(inner)/".hasPrefix("\(outer)/")
    {
      throw ServerError("\(dataFolder) is inside the backup; choose a folder outside it")
    }
    let restore = DataRestore(source: source, target: target, manifest: manifest)
    try restore.check()
    try restore.copy()
    return (manifest.time, manifest.apps)
  }

  private func check() throws {
    for file in manifest.files {
      if let difference = try file.difference(in: source) { throw damaged(difference) }
      guard BackupManifest.app(file.path) != nil else { continue }
      let path = "\(source)/\(file.path)"
      do {
        if let problem = try StoreFile.problems(path).first { throw damaged("\(path): \(problem)") }
      } catch let error as StorageError where [.corrupt, .notADatabase].contains(error.kind) {
        // Its message advises to restore a backup.
        throw damaged("\(path) is not a whole database")
      }
    }
  }

  private func damaged(_ reason: String) -> ServerError {
    ServerError("the backup is damaged: \(reason); use another backup")
  }

  /// The folder inside a data folder that existed before, while a backup is restored to it, and for good if the process
  /// is killed meanwhile.
  static let unfinishedName = ".restoring"

  /// Writes everything to another folder first. A folder that exists already may be a volume, or belong to a user who
  /// must not write next to it, so it has that folder inside.
  private func copy() throws {
    let isInside = FileSystem.isDirectory(target)
    let unfinished = isInside ? "\(target)/\(DataRestore.unfinishedName)" : "\(target).restoring"
    guard FileSystem.isVacant(unfinished) else {
      throw ServerError("\(unfinished) already exists, probably from an interrupted restore; remove it")
    }
    do {
      try copy(to: unfinished)
    } catch {
      // On a disk that is full, others need the space.
      try? FileSystem.removeContents(of: unfinished)
      FileSystem.removeEmptyDirectory(unfinished)
      throw error
    }
    guard isInside else { return try FileSystem.moveFolder(unfinished, to: target) }
    for name in try FileSystem.entries(of: unfinished) {
      try FileSystem.moveFolder("\(unfinished)/\(name)", to: "\(target)/\(name)")
    }
    // Until then, no server starts with a part of the data.
    FileSystem.removeEmptyDirectory(unfinished)
  }

  private func copy(to unfinished: String) throws {
    for file in manifest.files {
      let path = "\(unfinished)/\(file.path)"
      try FileSystem.createDirectory(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
      guard try FileSystem.copy("\(source)/\(file.path)", to: path) == file.byteCount else {
        throw ServerError("\(source)/\(file.path) changed during the restore; use another backup")
      }
      if let app = BackupManifest.app(file.path) { try beginNewLine(path, of: app) }
      _ = try FileSystem.sync(path)
    }
  }

  /// Changes the salt of versions. The server will reuse version numbers that it assigned after the backup was made,
  /// so clients that have seen those must be distinguishable from clients that get the new ones.
  private func beginNewLine(_ path: String, of app: String) throws {
    let store = try ServerStore.open(path, appID: app, logger: .standardError)
    try store.write { try store.changeVersionSalt(to: SaltSource.system.next()) }
  }
}
