// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Synchronization

/// The users of an app on this device, in memory and in the file `<storage>/<app id>/users.json`. Any thread.
///
/// Several processes may share the file, so each change is applied to what the file contains at that moment.
final class CredentialsFile: Sendable {
  let path: String
  private let users: Mutex<KnownUsers>

  /// Reads the file if there is one.
  /// - Parameter folder: created if missing.
  /// - Throws: `CoreError` IO, PERMISSION_DENIED, CORRUPT.
  init(folder: String) throws {
    try FileSystem.makeFolder(folder)
    path = "\(folder)/users.json"
    users = Mutex(try Self.read(path))
  }

  /// The users as this process last read or wrote them.
  var current: KnownUsers { users.withLock { $0 } }

  /// Changes the file, then the copy in memory.
  /// - Throws: `CoreError` IO, PERMISSION_DENIED, DISK_FULL, CORRUPT, in which case nothing has changed.
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
        .corrupt,
        "the credentials file '\(path)' is damaged; delete it and log all users in again"
      )
    }
    return users
  }
}
