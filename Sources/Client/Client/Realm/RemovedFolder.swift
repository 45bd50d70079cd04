// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder that is removed with everything in it, kept in memory if the system provides for that.
///
/// Realms "in memory" are files in such a folder, so that handles on several threads follow the same rules as for
/// realms on disk.
final class RemovedFolder: Sendable {
  let path: String

  /// - Throws: `CoreError` IO.
  init() throws {
    let parents = ["/dev/shm", getenv("TMPDIR").map { String(cString: $0) }, "/tmp"].compactMap { $0 }
    let made = parents.lazy.compactMap { Self.make(in: $0) }.first
    guard let made else {
      throw CoreError(
        .io,
        "Cannot create a temporary folder in \(parents.joined(separator: ", "))."
      )
    }
    path = made
  }

  /// Takes over an existing folder.
  init(adopting path: String) { self.path = path }

  deinit {
    do {
      try FileSystem.remove(path)
    } catch {
      Log.write(.warn, "cannot delete a folder that is no longer needed: \(error)")
    }
  }

  private static func make(in parent: String) -> String? {
    var template = Array("\(parent)/flexsync-XXXXXX".utf8CString)
    return template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
  }
}
