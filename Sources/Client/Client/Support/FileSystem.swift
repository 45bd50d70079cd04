// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The few file operations that the core needs in addition to SQLite. Any thread.
enum FileSystem {
  /// Creates a folder that only its owner may enter, and its missing parents. They are durable when the call
  /// returns.
  /// - Throws: `CoreError` IO, PERMISSION_DENIED, DISK_FULL.
  static func makeFolder(_ path: String) throws {
    if mkdir(path, 0o700) == 0 { return try syncFolder(of: path) }
    guard errno != EEXIST else { return }
    let code = errno
    guard code == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
      throw failure("create the folder", path, code)
    }
    try makeFolder(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("create the folder", path, errno) }
    try syncFolder(of: path)
  }

  /// Returns the content of a file; nil if there is none.
  static func read(_ path: String) throws -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("open", path, errno)
    }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = systemRead(descriptor, &chunk, chunk.count)
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw failure("read", path, errno)
      }
      guard count > 0 else { return content }
      content += chunk[..<count]
    }
  }

  /// Atomically replaces the content of a file: after a crash it is either the old or the new one. Only the owner
  /// may read the file.
  static func replace(_ path: String, with content: [UInt8]) throws {
    let temporary = path + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("create", temporary, errno) }
    do {
      defer { close(descriptor) }
      try writeAll(content, to: descriptor, path: temporary)
      guard fsync(descriptor) == 0 else { throw failure("write", temporary, errno) }
    }
    guard rename(temporary, path) == 0 else { throw failure("replace", path, errno) }
    try syncFolder(of: path)
  }

  /// Whether there is anything at the path, be it a link to nowhere.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Gives a finished file its name. The former name disappears.
  ///
  /// - Throws: `CoreError` FILE_EXISTS, IO, PERMISSION_DENIED, DISK_FULL.
  static func publish(_ temporary: String, as path: String) throws {
    let descriptor = open(temporary, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", temporary, errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("write", temporary, errno) }
    guard link(temporary, path) == 0 else {
      throw errno == EEXIST ? CoreError.fileExists(path) : failure("create", path, errno)
    }
    try remove(temporary)
    try syncFolder(of: path)
  }

  /// Removes a file, or a folder with everything in it. Does nothing if it does not exist.
  static func remove(_ path: String) throws {
    guard systemRemove(path) != 0, errno != ENOENT else { return }
    guard errno == ENOTEMPTY || errno == EEXIST else { throw failure("remove", path, errno) }
    for name in try names(in: path) { try remove("\(path)/\(name)") }
    guard systemRemove(path) == 0 else { throw failure("remove", path, errno) }
  }

  /// Runs `body` while no other process is inside `withLock` for the same path.
  static func withLock<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("open", path, errno) }
    defer { close(descriptor) }
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw failure("lock", path, errno) }
    }
    return try body()
  }

  static func names(in folder: String) throws -> [String] {
    guard let directory = opendir(folder) else { throw failure("list", folder, errno) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func writeAll(_ content: [UInt8], to descriptor: Int32, path: String) throws {
    var remaining = content[...]
    while !remaining.isEmpty {
      let count = remaining.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("write", path, errno) }
      remaining = remaining.dropFirst(count)
    }
  }

  /// Makes a new name durable by syncing the folder that contains it.
  private static func syncFolder(of path: String) throws {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", folder, errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("write", folder, errno) }
  }

  private static func failure(_ action: String, _ path: String, _ code: Int32) -> CoreError {
    let message = "cannot \(action) '\(path)': \(String(cString: strerror(code)))"
    return switch code {
    case ENOSPC, EDQUOT: CoreError(.diskFull, message)
    case EACCES, EPERM, EROFS: CoreError(.permissionDenied, message)
    default: CoreError(.io, message)
    }
  }
}

// Global aliases, because `FileSystem` has members with these names.
#if canImport(Glibc)
private let systemRead = Glibc.read
private let systemWrite = Glibc.write
private let systemRemove = Glibc.remove
#else
private let systemRead = Darwin.read
private let systemWrite = Darwin.write
private let systemRemove = Darwin.remove
#endif
