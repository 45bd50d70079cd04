// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncTestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The language-neutral expectations in Tests/Vectors.
enum VectorFiles {
  struct Unreadable: Error {
    let path: String
  }

  static func bytes(of name: String) throws -> [UInt8] {
    let path = "\(PackageFolder.vectors)/\(name)"
    guard let file = fopen(path, "r") else { throw Unreadable(path: path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  /// The rows of a file that holds one JSON object per line.
  static func rows(of name: String) throws -> [JSON] {
    try bytes(of: name).split(separator: UInt8(ascii: "\n")).map { try JSON.parse($0) }
  }
}
