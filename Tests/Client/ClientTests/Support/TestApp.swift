// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Foundation

/// A copy of the example app with other settings, in a folder that is removed with this object.
final class TestApp {
  private let folder = TemporaryFolder()

  var path: String { folder.path }

  init(recoveryDisabled: Bool = false, schemaVersion: Int = 0) throws {
    try FileManager.default.copyItem(atPath: PackageFolder.taskTracker, toPath: path)
    let file = "\(path)/sync/config.json"
    let text = try String(contentsOfFile: file, encoding: .utf8)
      .replacingOccurrences(
        of: "\"is_recovery_mode_disabled\": false",
        with: "\"is_recovery_mode_disabled\": \(recoveryDisabled), \"schema_version\": \(schemaVersion)"
      )
    try text.write(toFile: file, atomically: true, encoding: .utf8)
  }
}
