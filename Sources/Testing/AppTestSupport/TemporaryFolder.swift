// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A new folder that disappears with the last reference to it.
package final class TemporaryFolder: Sendable {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "FlexSyncTests-\(UUID().uuidString)",
      isDirectory: true
    )
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    do { try FileManager.default.removeItem(at: url) } catch {
      print("could not remove \(url.path): \(error)")
    }
  }

  package func file(_ name: String) -> URL { url.appendingPathComponent(name, isDirectory: false) }
}
