// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A new folder that is removed with its contents when the object is deallocated.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() {
    var template = Array("\(Self.parent)/flexsync-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("cannot make a folder in \(Self.parent)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  /// Returns the path of a file in the folder.
  package func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file and creates the folders it needs.
  package func write(_ text: String, to name: String) { write(Array(text.utf8), to: name) }

  /// Writes a file and creates the folders it needs.
  package func write(_ bytes: [UInt8], to name: String) {
    var folder = path
    for part in name.split(separator: "/").dropLast() {
      folder += "/\(part)"
      mkdir(folder, 0o700)
    }
    guard let stream = fopen(file(name), "w") else { fatalError("cannot write \(name)") }
    fwrite(bytes, 1, bytes.count, stream)
    fclose(stream)
  }

  /// Writes several files, given by their relative paths, to a subfolder.
  ///
  /// - Returns: The path of the subfolder.
  package func write(_ files: [String: String], under name: String) -> String {
    for (file, text) in files { write(text, to: "\(name)/\(file)") }
    return file(name)
  }

  /// A folder in memory where the system has one, so that tests need not wait for a disk.
  private static var parent: String {
    if access("/dev/shm", W_OK) == 0 { return "/dev/shm" }
    return getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  }

  private static func remove(_ path: String) {
    guard let folder = opendir(path) else {
      unlink(path)
      return
    }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(
        withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      )
    }
    closedir(folder)
    for name in names where name != "." && name != ".." { remove("\(path)/\(name)") }
    rmdir(path)
  }
}
