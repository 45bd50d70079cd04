// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncJSON
import FlexSyncServerSupport

/// The list of the files in a backup. It is written last: a folder without it is not a complete backup.
struct BackupManifest: Hashable {
  struct File: Hashable {
    /// The path relative to the folder.
    var path: String
    var byteCount: Int64
  }

  static let fileName = "backup.json"
  private static let format: Int64 = 1

  /// Milliseconds since 1970.
  var time: Int64
  var files: [File]

  var apps: [String] { files.map(\.path).compactMap(BackupManifest.app) }

  /// Returns the app whose store the file at `path` is; nil for other files.
  static func app(_ path: String) -> String? {
    let parts = path.split(separator: "/")
    return parts.count == 2 && parts[1] == DataFolder.storeName ? String(parts[0]) : nil
  }

  func write(to folder: String) throws {
    let json: JSON = [
      "format": .integer(BackupManifest.format), "time": .string(UTCTime.text(milliseconds: time)),
      "files": .array(files.map { ["path": .string($0.path), "bytes": .integer($0.byteCount)] }),
    ]
    try FileSystem.writePrivately(
      Array("\(json.serialized)\n".utf8),
      to: "\(folder)/\(BackupManifest.fileName)"
    )
  }

  /// - Throws: `ServerError` if the folder is not a complete backup.
  static func read(_ folder: String) throws -> BackupManifest {
    let path = "\(folder)/\(fileName)"
    guard FileSystem.isFile(path) else {
      throw ServerError(
        "\(folder) is not a complete backup: it has no \(fileName), which flexsyncd backup writes last"
      )
    }
    let json = try JSON.parse(try FileSystem.contents(of: path))
    guard let format = json["format"]?.integerValue, let files = json["files"]?.arrayValue,
      let time = json["time"]?.stringValue.flatMap(UTCTime.milliseconds)
    else { throw ServerError("\(path) is damaged; use another backup") }
    guard format <= BackupManifest.format else {
      throw ServerError("\(folder) was made by a newer flexsyncd; restore it with that version")
    }
    let list = files.compactMap { file -> File? in
      guard let path = file["path"]?.stringValue, let count = file["bytes"]?.integerValue else { return nil }
      // Reject paths that lead out of the folder.
      guard
        path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy({
          FileName.isPlain(String($0))
        })
      else { return nil }
      return File(path: path, byteCount: count)
    }
    guard list.count == files.count else { throw ServerError("\(path) is damaged; use another backup") }
    return BackupManifest(time: time, files: list)
  }
}
