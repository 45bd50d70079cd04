// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncCrypto
import FlexSyncJSON
import FlexSyncModel
import FlexSyncServerSupport

/// The list of the files in a backup. It is written last: a folder without it is not a complete backup.
struct BackupManifest: Hashable {
  struct File: Hashable {
    /// The path relative to the folder.
    var path: String
    var byteCount: Int64
    /// The SHA-256 digest in hexadecimal digits. Nil in a backup of a version that did not note it.
    var sha256: String?

    /// Describes a file of a folder.
    init(_ path: String, in folder: String) throws {
      self.path = path
      (byteCount, sha256) = try File.measure("\(folder)/\(path)")
    }

    fileprivate init?(_ json: JSON) {
      guard let path = json["path"]?.stringValue, let count = json["bytes"]?.integerValue else { return nil }
      // Reject paths that lead out of the folder.
      let names = path.split(separator: "/", omittingEmptySubsequences: false)
      guard names.allSatisfy({ FileName.isPlain(String($0)) }) else { return nil }
      self.path = path
      byteCount = count
      guard let digest = json["sha256"] else { return }
      guard let digest = digest.stringValue else { return nil }
      sha256 = digest
    }

    fileprivate var json: JSON {
      var members = [JSON.Member("path", .string(path)), JSON.Member("bytes", .integer(byteCount))]
      if let sha256 { members.append(JSON.Member("sha256", .string(sha256))) }
      return .object(members)
    }

    /// Returns how the file of a folder differs from this description; nil if it does not.
    func difference(in folder: String) throws -> String? {
      let path = "\(folder)/\(path)"
      guard FileSystem.isFile(path) else { return "\(path) is missing" }
      let (foundByteCount, foundSHA256) = try File.measure(path)
      if foundByteCount != byteCount { return "\(path) has \(foundByteCount) bytes instead of \(byteCount)" }
      guard let sha256, sha256 != foundSHA256 else { return nil }
      return "\(path) was altered: its SHA-256 is not that in \(BackupManifest.fileName)"
    }

    private static func measure(_ path: String) throws -> (byteCount: Int64, sha256: String) {
      let digest = RunningSHA256()
      var byteCount: Int64 = 0
      try FileSystem.readPieces(of: path) {
        digest.append($0)
        byteCount += Int64($0.count)
      }
      return (byteCount, Hex.encode(digest.finish()))
    }
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
      "files": .array(files.map(\.json)),
    ]
    try FileSystem.writePrivately(
      Array("\(json.serialized)\n".utf8),
      to: "\(folder)/\(BackupManifest.fileName)"
    )
  }

  /// - Throws: `ServerError` if the folder is not a complete backup; `FileError` if it may not be read.
  static func read(_ folder: String) throws -> BackupManifest {
    switch try FileSystem.entry(at: folder) {
    case .nothing: throw ServerError("the backup \(folder) does not exist")
    case .file: throw ServerError("\(folder) is a file; a backup is a folder")
    case .folder: break
    }
    let path = "\(folder)/\(fileName)"
    guard try FileSystem.entry(at: path) == .file else {
      throw ServerError(
        "\(folder) is not a complete backup: it has no \(fileName), which flexsyncd backup writes last"
      )
    }
    let json = try json(in: path)
    guard let format = json["format"]?.integerValue, let files = json["files"]?.arrayValue,
      let time = json["time"]?.stringValue.flatMap(UTCTime.milliseconds)
    else { throw ServerError("\(path) is damaged; use another backup") }
    guard format <= BackupManifest.format else {
      throw ServerError("\(folder) was made by a newer flexsyncd; restore it with that version")
    }
    let list = files.compactMap(File.init)
    guard list.count == files.count else { throw ServerError("\(path) is damaged; use another backup") }
    return BackupManifest(time: time, files: list)
  }

  private static func json(in path: String) throws -> JSON {
    let content = try FileSystem.contents(of: path)
    do {
      return try JSON.parse(content)
    } catch {
      throw ServerError("\(path) is damaged (\(error)); use another backup")
    }
  }
}
