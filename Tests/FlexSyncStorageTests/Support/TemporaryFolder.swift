// SPDX-License-Identifier: Apache-2.0

import FlexSyncStorage
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A folder that is gone with this object.
final class TemporaryFolder {
  let path: String

  init() {
    var template = Array("\(FileManager.default.temporaryDirectory.path)/flexsync-storage-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      String(cString: mkdtemp(buffer.baseAddress!))
    }
  }

  deinit {
    guard let directory = opendir(path) else { return }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { remove(file(name)) }
    }
    closedir(directory)
    remove(path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Opens a client's database in the folder.
  func open(_ name: String = "test.flexsync", busyTimeoutMilliseconds: Int32 = 200) throws -> Database {
    try Database.open(
      DatabaseConfiguration(
        location: .file(file(name)),
        application: .realm,
        busyTimeoutMilliseconds: busyTimeoutMilliseconds
      )
    )
  }

  func write(_ bytes: [UInt8], to name: String) {
    let descriptor = creat(file(name), 0o644)
    defer { close(descriptor) }
    _ = pwrite(descriptor, bytes, bytes.count, 0)
  }
}

func memoryDatabase() throws -> Database {
  try Database.open(DatabaseConfiguration(location: .memory, application: .realm))
}
