// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file operation that the operating system refused.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried, e.g. "read".
  public let operation: String
  public let path: String
  /// The value of `errno`.
  public let code: Int32

  package init(operation: String, path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  public var description: String { "cannot \(operation) \(path): \(String(cString: strerror(code)))" }
}

/// The content of files, for command-line tools.
public enum FileContent {
  /// The whole content of a file.
  public static func read(_ path: String) throws(FileError) -> [UInt8] { try FileSystem.contents(of: path) }
}

/// The few file operations that the server needs outside of its databases.
package enum FileSystem {
  /// The whole content of a file.
  package static func contents(of path: String) throws(FileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(operation: "read", path: path, code: errno) }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return content }
      if count < 0 {
        if errno == EINTR { continue }
        throw FileError(operation: "read", path: path, code: errno)
      }
      content.append(contentsOf: buffer[0..<count])
    }
  }

  /// Creates or replaces a file that only its owner may read. After a crash it is the old or the new one, and the new
  /// one when the call has returned.
  package static func writePrivately(_ content: [UInt8], to path: String) throws(FileError) {
    let temporary = "\(path).new"
    try writeDurably(content, to: temporary)
    guard rename(temporary, path) == 0 else { throw FileError(operation: "write", path: path, code: errno) }
    try syncDirectory(of: path)
  }

  private static func writeDurably(_ content: [UInt8], to path: String) throws(FileError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError(operation: "write", path: path, code: errno) }
    defer { close(descriptor) }
    try writeAll(content, to: descriptor, path: path)
    guard fsync(descriptor) == 0 else { throw FileError(operation: "write", path: path, code: errno) }
  }

  /// Writes to an open file, however many calls that takes.
  ///
  /// - Parameter path: for the error.
  package static func writeAll(_ content: [UInt8], to descriptor: Int32, path: String) throws(FileError) {
    var written = 0
    while written < content.count {
      let count = content.withUnsafeBytes { bytes in
        write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw FileError(operation: "write", path: path, code: errno) }
      written += count
    }
  }

  /// Creates a directory and those above it; one that exists is left alone.
  package static func createDirectory(_ path: String) throws(FileError) {
    if isDirectory(path) { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try createDirectory(String(path[..<slash]))
    }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw FileError(operation: "create", path: path, code: errno)
    }
    try syncDirectory(of: path)
  }

  /// Makes a new name last: it is the directory that has changed.
  static func syncDirectory(of path: String) throws(FileError) {
    let slash = path.lastIndex(of: "/")
    let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(operation: "open", path: directory, code: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw FileError(operation: "write to", path: directory, code: errno) }
  }

  package static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether users that own the file neither alone nor as a group can read it.
  package static func isReadableByAll(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
  }

  /// Creates a file that only its owner may read and write, unless it exists; one that everybody can read is closed to
  /// others.
  package static func keepPrivate(_ path: String) throws(FileError) {
    let descriptor = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError(operation: "create", path: path, code: errno) }
    defer { close(descriptor) }
    guard isReadableByAll(path) else { return }
    guard fchmod(descriptor, 0o600) == 0 else {
      throw FileError(operation: "change the mode of", path: path, code: errno)
    }
  }

  package static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether there is anything of that name.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Waits, for another process to take notice of something.
  package static func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }

  /// The names in a directory without hidden ones, sorted.
  package static func entries(of path: String) throws(FileError) -> [String] {
    guard let directory = opendir(path) else {
      throw FileError(operation: "list", path: path, code: errno)
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }
}
