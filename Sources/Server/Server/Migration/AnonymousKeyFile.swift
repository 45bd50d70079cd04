// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The file with a key for each formerly anonymous user, readable only by its owner. A key is on disk before it
/// becomes valid, because it cannot be retrieved later.
final class AnonymousKeyFile {
  private let path: String
  private var descriptor: Int32 = -1

  /// - Throws: `ServerError` if the file already exists.
  init(path: String) throws(ServerError) {
    guard !FileSystem.exists(path) else {
      throw ServerError(
        "the file \(path) already exists, and its keys may be in use; choose another file for --anonymous-keys"
      )
    }
    self.path = path
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Appends keys durably.
  func append(_ keys: [(userID: String, key: String)]) throws(FileError) {
    guard !keys.isEmpty else { return }
    var text = keys.map { "\($0.userID),\($0.key)\n" }.joined()
    if descriptor < 0 {
      descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw FileError(operation: "create", path: path) }
      text = "user_id,key\n\(text)"
    }
    try FileSystem.writeAll(Array(text.utf8), to: descriptor, path: path)
    guard fsync(descriptor) == 0 else { throw FileError(operation: "write", path: path) }
  }
}
