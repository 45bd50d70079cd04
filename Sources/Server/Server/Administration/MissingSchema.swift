// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncJSON
import FlexSyncServerSupport

/// The files with the classes and properties that clients have added to the data in development mode, and that an app
/// directory lacks.
public struct MissingSchema {
  private let files: SchemaFiles

  /// Steps that the operator has to take besides adding the files.
  public var notes: [String] { files.notes }
  public var isEmpty: Bool { files.files.isEmpty }

  /// Compares an app directory with the data of its app. Changes nothing.
  ///
  /// - Throws: `ConfigurationError`, `ServerError`, `StorageError`.
  public init(appDirectory: String, dataFolder: String) throws {
    let app = try AppDirectory.load(appDirectory)
    try DataFolder.checkExists(dataFolder)
    try DataFolder.checkHasStore(in: dataFolder, appID: app.appID)
    files = SchemaFiles(
      of: try DataFolder.storedSchema(in: dataFolder, appID: app.appID),
      missingFrom: app
    )
  }

  /// The files, each after a line with its path in the app directory.
  public var text: String {
    files.files.map { "\($0.path):\n\($0.content)" }.joined(separator: "\n")
  }

  /// Writes the files below a folder, with their paths in the app directory.
  ///
  /// - Returns: The paths.
  /// - Throws: `ServerError` if the folder has something in it already; `FileError`.
  public func write(to folder: String) throws -> [String] {
    guard FileSystem.isVacant(folder) else {
      throw ServerError("\(folder) already exists and is not empty; choose another --to")
    }
    for (path, content) in files.files {
      let target = "\(folder)/\(path)"
      // Whoever runs the server must be able to read them; they hold no secrets.
      let parent = String(target[..<(target.lastIndex(of: "/") ?? target.endIndex)])
      try FileSystem.createDirectory(parent, isPrivate: false)
      try FileSystem.writePublicly(Array(content.utf8), to: target)
    }
    return files.files.map(\.path)
  }
}
