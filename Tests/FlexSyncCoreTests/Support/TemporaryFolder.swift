// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import FlexSyncCore

/// A folder that is removed with this object.
final class TemporaryFolder: Sendable {
  let path =
    "\(FileManager.default.temporaryDirectory.path)/flexsync-test-\(UInt64.random(in: 0...UInt64.max))"

  deinit { try? FileSystem.remove(path) }
}

extension TemporaryFolder {
  /// Writes files by their paths below a folder of that name, and returns its path.
  func write(_ files: [String: String], under name: String) throws -> String {
    let root = URL(fileURLWithPath: path).appendingPathComponent(name)
    for (file, content) in files {
      let url = root.appendingPathComponent(file)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data(content.utf8).write(to: url)
    }
    return root.path
  }
}
