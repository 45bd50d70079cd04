// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerSupport
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The files with the records of an app: the current file `records.jsonl`, and older ones, of which `records.jsonl.1`
/// is the newest. Can be used from any thread.
///
/// Records are kept in text files rather than a table: appending is a single system call that waits for neither the
/// disk nor a lock, a torn last line damages no other line, readers block nothing, and any tool can read them.
package final class RecordFiles: Sendable {
  /// The maximum number of files.
  static let count = 8
  static let name = "records.jsonl"

  let folder: String
  private let fileByteCount: Int
  private let descriptor = Mutex<Int32>(-1)

  /// - Parameter byteCount: The maximum total size of all files.
  package init(folder: String, byteCount: Int) {
    self.folder = folder
    fileByteCount = max(byteCount / RecordFiles.count, 1)
  }

  deinit { descriptor.withLock { if $0 >= 0 { close($0) } } }

  /// Returns the paths from the oldest file to the current one, whether or not the files exist.
  static func paths(in folder: String) -> [String] {
    (1..<count).reversed().map { "\(folder)/\(name).\($0)" } + ["\(folder)/\(name)"]
  }

  /// Appends complete lines, or nothing.
  ///
  /// - Throws: `FileError`, for example if the disk is full. The next call tries again.
  package func append(_ lines: String) throws(FileError) {
    let bytes = Array(lines.utf8)
    try descriptor.withLock { descriptor throws(FileError) in
      if descriptor < 0 { descriptor = try openNewest() }
      var size = lseek(descriptor, 0, SEEK_END)
      if size > 0, Int(size) + bytes.count > fileByteCount {
        close(descriptor)
        descriptor = -1
        rotate()
        descriptor = try openNewest()
        size = lseek(descriptor, 0, SEEK_END)
      }
      do throws(FileError) {
        try FileSystem.writeAll(bytes, to: descriptor, path: path)
      } catch {
        // Removes a partial line, so that the next line does not continue it.
        if size >= 0 { _ = ftruncate(descriptor, size) }
        close(descriptor)
        descriptor = -1
        throw error
      }
    }
  }

  private var path: String { "\(folder)/\(RecordFiles.name)" }

  private func openNewest() throws(FileError) -> Int32 {
    try FileSystem.createDirectory(folder)
    let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError(operation: "write", path: path) }
    let size = lseek(descriptor, 0, SEEK_END)
    var last = UInt8(ascii: "\n")
    // The process may have been killed in the middle of a line.
    if size > 0, pread(descriptor, &last, 1, size - 1) == 1, last != UInt8(ascii: "\n") {
      try FileSystem.writeAll([UInt8(ascii: "\n")], to: descriptor, path: path)
    }
    return descriptor
  }

  /// Makes room for a new file by deleting the oldest. If the current file cannot be renamed, it continues to grow.
  private func rotate() {
    let paths = RecordFiles.paths(in: folder)
    unlink(paths[0])
    for (older, newer) in zip(paths, paths.dropFirst()) { rename(newer, older) }
  }
}
