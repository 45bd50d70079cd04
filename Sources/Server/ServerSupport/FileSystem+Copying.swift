// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Copying of files for backups.
extension FileSystem {
  private static let chunkByteCount = 1 << 20

  /// Copies a file that must not shrink during the call. The copy is durable and readable only by its owner.
  ///
  /// - Returns: The number of bytes; nil if the file no longer exists.
  package static func copy(_ source: String, to path: String) throws(FileError) -> Int64? {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else {
      if errno == ENOENT { return nil }
      throw FileError(operation: "read", path: source)
    }
    defer { close(input) }
    let output = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard output >= 0 else { throw FileError(operation: "create", path: path) }
    defer { close(output) }
    var buffer = [UInt8](repeating: 0, count: chunkByteCount)
    var total: Int64 = 0
    while true {
      let count = read(input, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw FileError(operation: "read", path: source) }
      guard count > 0 else { break }
      try writeAll(Array(buffer[..<count]), to: output, path: path)
      total += Int64(count)
    }
    guard fsync(output) == 0 else { throw FileError(operation: "write", path: path) }
    return total
  }

  /// Passes the content of a file to `body`, piece by piece.
  package static func readPieces(of path: String, _ body: (ArraySlice<UInt8>) -> Void) throws(FileError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(operation: "read", path: path) }
    defer { close(descriptor) }
    try readPieces(from: descriptor, of: path, body)
  }

  /// Passes what is left of an open file to `body`, piece by piece.
  package static func readPieces(
    from descriptor: Int32,
    of path: String,
    _ body: (ArraySlice<UInt8>) -> Void
  ) throws(FileError) {
    var buffer = [UInt8](repeating: 0, count: chunkByteCount)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw FileError(operation: "read", path: path) }
      guard count > 0 else { return }
      body(buffer[..<count])
    }
  }

  /// Syncs a file's content and name to disk.
  ///
  /// - Returns: The number of bytes.
  package static func sync(_ path: String) throws(FileError) -> Int64 {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(operation: "read", path: path) }
    defer { close(descriptor) }
    var status = stat()
    guard fsync(descriptor) == 0, fstat(descriptor, &status) == 0 else {
      throw FileError(operation: "write", path: path)
    }
    try syncDirectory(of: path)
    return Int64(status.st_size)
  }

  /// Makes a file readable only by its owner.
  package static func restrict(_ path: String) throws(FileError) {
    guard chmod(path, 0o600) == 0 else { throw FileError(operation: "write", path: path) }
  }

  /// Returns the size of a file in bytes; nil if it does not exist.
  package static func byteCount(of path: String) -> Int64? {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
  }

  /// Returns the path with links and dots resolved; nil if it does not exist.
  package static func resolved(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  /// Returns the closest folder above a path, or at it, that exists, with links and dots resolved.
  package static func resolvedExisting(_ path: String) -> String? {
    if let found = resolved(path) { return found }
    guard let slash = path.lastIndex(of: "/") else { return resolved(".") }
    return slash == path.startIndex ? "/" : resolvedExisting(String(path[..<slash]))
  }

  /// The folder that some file systems have at their root, and that only root may read.
  package static let lostAndFound = "lost+found"

  private static let presentNames: Set<String> = [".", "..", lostAndFound]

  /// Returns whether a path is free for a new folder: it does not exist, or is a folder that is empty but for what a new
  /// file system has.
  package static func isVacant(_ path: String) -> Bool {
    guard exists(path) else { return true }
    guard let directory = opendir(path) else { return false }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      guard presentNames.contains(name(of: entry)) else { return false }
    }
    return true
  }

  /// Creates an empty file that only its owner may read.
  ///
  /// - Returns: Whether there was none yet.
  package static func createNew(_ path: String) throws(FileError) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      if errno == EEXIST { return false }
      throw FileError(operation: "create", path: path)
    }
    close(descriptor)
    return true
  }

  /// Removes a file.
  package static func removeFile(_ path: String) throws(FileError) {
    guard unlink(path) == 0 else { throw FileError(operation: "remove", path: path) }
    try syncDirectory(of: path)
  }

  /// Removes everything in a folder, hidden files as well, but neither the folder nor `lost+found`.
  package static func removeContents(of folder: String) throws(FileError) {
    guard let directory = opendir(folder) else { throw FileError(operation: "list", path: folder) }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = name(of: entry)
      if presentNames.contains(name) { continue }
      let path = "\(folder)/\(name)"
      var status = stat()
      if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        try removeContents(of: path)
        guard rmdir(path) == 0 else { throw FileError(operation: "remove", path: path) }
      } else if unlink(path) != 0 {
        throw FileError(operation: "remove", path: path)
      }
    }
  }

  /// Removes a folder if there is nothing in it.
  package static func removeEmptyDirectory(_ path: String) { rmdir(path) }

  /// Renames a file or a folder. Replaces an empty folder.
  package static func moveFolder(_ path: String, to name: String) throws(FileError) {
    guard rename(path, name) == 0 else { throw FileError(operation: "create", path: name) }
    try syncDirectory(of: name)
  }

  /// Returns the files in a folder and its subfolders, as sorted relative paths, without `lost+found`.
  package static func files(below folder: String) throws(FileError) -> [String] {
    var files: [String] = []
    for name in try entries(of: folder) where name != lostAndFound {
      if isDirectory("\(folder)/\(name)") {
        for file in try Self.files(below: "\(folder)/\(name)") { files.append("\(name)/\(file)") }
      } else if isFile("\(folder)/\(name)") {
        files.append(name)
      }
    }
    return files
  }
}
