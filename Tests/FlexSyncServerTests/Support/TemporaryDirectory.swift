// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A directory that is removed when the object is.
final class TemporaryDirectory {
  let path: String

  init() {
    // Tests are no place to wait for a disk.
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/flexsync-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("cannot make a temporary directory") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { TemporaryDirectory.remove(path) }

  /// Writes a file, with the directories above it.
  func write(_ text: String, to file: String) {
    var folder = path
    for part in file.split(separator: "/").dropLast() {
      folder += "/\(part)"
      mkdir(folder, 0o700)
    }
    guard let stream = fopen("\(path)/\(file)", "w") else { fatalError("cannot write \(file)") }
    fputs(text, stream)
    fclose(stream)
  }

  private static func remove(_ path: String) {
    if let directory = opendir(path) {
      var names: [String] = []
      while let entry = readdir(directory) {
        names.append(
          withUnsafePointer(to: entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
          }
        )
      }
      closedir(directory)
      for name in names where name != "." && name != ".." { remove("\(path)/\(name)") }
      rmdir(path)
    } else {
      unlink(path)
    }
  }
}

/// Places in the package.
enum PackageFolder {
  static let root = String(#filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined())
  static let taskTracker = "\(root)/Examples/TaskTracker"
  static let sessionVectors = "\(root)/Tests/Vectors/sessions"
}
