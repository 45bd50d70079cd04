// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import FlexSyncCore

/// A folder that is removed with this object.
final class TemporaryFolder: Sendable {
  let path =
    "\(FileManager.default.temporaryDirectory.path)/flexsync-test-\(UInt64.random(in: 0...UInt64.max))"

  deinit { try? FileSystem.remove(path) }
}
