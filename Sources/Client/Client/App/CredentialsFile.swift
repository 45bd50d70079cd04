// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Synchronization

/// The users of an app on the device, in memory and in the file `<storage>/<app id>/users.json`. Any thread.
///
/// Several processes may share the file: each change is made to what the file holds at that moment.
final class CredentialsFile: Sendable {
  let path: String
  private let users: Mutex<KnownUsers>

  /// Reads the file if there is one.
  /// - Parameter folder: made if missing.
  /// - Throws: `CoreError` IO, PERMISSION_DENIED, CORRUPT.
  init(folder: String) throws {
    try FileSystem.makeFolder(folder)
    path = "\(folder)/users.json"
    users = Mutex(try Self.read(path))
  }

  /// What was known at the last change.
  var current: KnownUsers { users.withLock { $0 } }

  /// Changes the file, and then what is in memory.
  /// - Throws: `CoreError` IO, PERMISSION_DENIED, DISK_FULL, CORRUPT: then nothing has changed.
  func update(_ change: (inout KnownUsers) throws -> Void) throws {
    try users.withLock { users in
      try FileSystem.withLock(path + ".lock") {
        var changed = try Self.read(path)
        try change(&changed)
        try FileSystem.replace(path, with: Array(changed.json.serialized.utf8))
        users = changed
      }
    }
  }

  private static func read(_ path: String) throws -> KnownUsers {
    guard let content = try FileSystem.read(path) else { return KnownUsers() }
    guard let json = try? JSON.parse(content), let users = KnownUsers(json) else {
      throw CoreError(
        .FLX_STATUS_CORRUPT,
        "the credentials file '\(path)' is damaged; remove it, and the users have to log in again"
      )
    }
    return users
  }
}
