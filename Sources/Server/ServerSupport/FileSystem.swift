// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file operation that the operating system refused.
public struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The operation, for example "read".
  public let operation: String
  public let path: String
  /// The value of `errno`.
  public let code: Int32
  /// Advice for the operator; empty if the operating system's words say enough.
  let advice: String

  /// Creates the error of the system call that has just failed.
  package init(operation: String, path: String) {
    self.init(operation: operation, path: path, code: errno, advice: "")
  }

  init(operation: String, path: String, code: Int32, advice: String) {
    self.operation = operation
    self.path = path
    self.code = code
    self.advice = advice
  }

  public var description: String {
    "cannot \(operation) \(path): \(String(cString: strerror(code)))\(advice.isEmpty ? "" : ". \(advice)")"
  }
}

/// Access to the content of files, for command-line tools.
public enum FileContent {
  /// Returns the entire content of a file.
  public static func read(_ path: String) throws(FileError) -> [UInt8] { try FileSystem.contents(of: path) }
}

/// The few file operations that the server needs outside its databases.
package enum FileSystem {
  /// Returns the entire content of a file.
  package static func contents(of path: String) throws(FileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(operation: "read", path: path) }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return content }
      if count < 0 {
        if errno == EINTR { continue }
        throw FileError(operation: "read", path: path)
      }
      content.append(contentsOf: buffer[0..<count])
    }
  }

  /// Creates or replaces a file with the mode that the user's `umask` gives to new files.
  package static func writePublicly(_ content: [UInt8], to path: String) throws(FileError) {
    try writeDurably(content, to: path, mode: 0o666)
    try syncDirectory(of: path)
  }

  /// Creates or replaces a file that only its owner may read. After a crash, the file is either the old or the new
  /// one; once the call has returned, it is the new one.
  package static func writePrivately(_ content: [UInt8], to path: String) throws(FileError) {
    let temporary = "\(path).new"
    try writeDurably(content, to: temporary, mode: 0o600)
    guard rename(temporary, path) == 0 else { throw FileError(operation: "write", path: path) }
    try syncDirectory(of: path)
  }

  private static func writeDurably(_ content: [UInt8], to path: String, mode: mode_t) throws(FileError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw FileError(operation: "write", path: path) }
    defer { close(descriptor) }
    try writeAll(content, to: descriptor, path: path)
    guard fsync(descriptor) == 0 else { throw FileError(operation: "write", path: path) }
  }

  /// Writes all bytes to an open file, in as many calls as needed.
  ///
  /// - Parameter path: The path to name in errors.
  package static func writeAll(_ content: [UInt8], to descriptor: Int32, path: String) throws(FileError) {
    var written = 0
    while written < content.count {
      let count = content.withUnsafeBytes { bytes in
        write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw FileError(operation: "write", path: path) }
      written += count
    }
  }

  /// Creates a directory and its parents. Leaves an existing one unchanged.
  ///
  /// - Parameter isPrivate: Whether only the owner may enter a new directory. Otherwise the user's `umask` decides.
  package static func createDirectory(_ path: String, isPrivate: Bool = true) throws(FileError) {
    if isDirectory(path) { return }
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try createDirectory(String(path[..<slash]), isPrivate: isPrivate)
    }
    guard mkdir(path, isPrivate ? 0o700 : 0o777) == 0 || errno == EEXIST else {
      throw FileError(operation: "create", path: path)
    }
    try syncDirectory(of: path)
  }

  /// Syncs the directory of a file, which makes a new name durable.
  static func syncDirectory(of path: String) throws(FileError) {
    let slash = path.lastIndex(of: "/")
    let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(operation: "open", path: directory) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw FileError(operation: "write to", path: directory) }
  }

  package static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns whether users other than the owner and the group can read the file.
  package static func isReadableByAll(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
  }

  /// Creates a file that only its owner may read and write, unless it exists. Removes other users' access from an
  /// existing file that everyone can read.
  package static func keepPrivate(_ path: String) throws(FileError) {
    let descriptor = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let code = errno
      throw refusal(of: isOccupied(path) ? "open" : "create", path, code)
    }
    defer { close(descriptor) }
    guard isReadableByAll(path) else { return }
    guard fchmod(descriptor, 0o600) == 0 else { throw refusal(of: "change the mode of", path, errno) }
  }

  /// Checks that this process may read a file that exists.
  ///
  /// - Throws: `FileError`, with advice if the file belongs to another user.
  package static func checkIsReadable(_ path: String) throws(FileError) {
    guard access(path, R_OK) != 0 else { return }
    throw refusal(of: "read", path, errno)
  }

  /// Returns the error of a system call, with advice if the file belongs to another user than that of the process.
  package static func refusal(of operation: String, _ path: String, _ code: Int32) -> FileError {
    var status = stat()
    let isForeign = lstat(path, &status) == 0 && status.st_uid != geteuid()
    return FileError(
      operation: operation,
      path: path,
      code: code,
      advice: isForeign
        ? "It belongs to \(userName(status.st_uid)), and flexsyncd runs as \(userName(geteuid())). Give the server's "
          + "user all files of the data folder (chown -R), and run every subcommand as that user" : ""
    )
  }

  private static func userName(_ id: uid_t) -> String {
    getpwuid(id).map { "the user \(String(cString: $0.pointee.pw_name))" } ?? "the user with the number \(id)"
  }

  package static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns whether a file has no content.
  package static func isEmpty(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_size == 0
  }

  package static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }

  package static func isWritable(_ path: String) -> Bool { access(path, W_OK) == 0 }

  /// The kind of thing that a path leads to.
  package enum Entry: Hashable {
    case nothing
    case folder
    /// A file, a device or something else that is no folder.
    case file
  }

  /// Returns what is at a path, with links followed.
  ///
  /// - Throws: `FileError` if this process may not look there.
  package static func entry(at path: String) throws(FileError) -> Entry {
    var status = stat()
    if stat(path, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR ? .folder : .file }
    guard errno == ENOENT || errno == ENOTDIR else { throw FileError(operation: "read", path: path) }
    return .nothing
  }

  /// Returns whether anything exists at a path.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Returns whether there is anything at a path, even a link that leads nowhere.
  package static func isOccupied(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Waits, to give another process time to notice a change.
  package static func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }

  /// Returns the names in a directory, sorted and without hidden ones.
  package static func entries(of path: String) throws(FileError) -> [String] {
    guard let directory = opendir(path) else {
      throw FileError(operation: "list", path: path)
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = name(of: entry)
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    withUnsafePointer(to: entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
  }
}
