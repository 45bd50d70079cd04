// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads files of vectors.
enum VectorFile {
  /// Returns the rows of a file with one JSON value per line.
  static func rows(path: String) throws -> [JSON] {
    try contents(path: path).split(separator: UInt8(ascii: "\n")).map { line in
      do { return try JSON.parse(line) } catch { return try JSON.parse(quotingLongNumbers(line)) }
    }
  }

  /// Returns the line with unsigned 64-bit numbers quoted as strings. A few rows contain them unquoted, and our JSON
  /// numbers are signed.
  private static func quotingLongNumbers(_ line: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = line
    while let byte = rest.popFirst() {
      result.append(byte)
      guard byte == UInt8(ascii: ":") else { continue }
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      if digits.count > 18 {
        result += [UInt8(ascii: "\"")] + digits + [UInt8(ascii: "\"")]
        rest = rest.dropFirst(digits.count)
      }
    }
    return result
  }

  /// Returns the value of a file that consists of one JSON value.
  static func value(path: String) throws -> JSON { try JSON.parse(contents(path: path)) }

  /// Returns the path of a related file: for `merge.jsonl` and the suffix `_bases.json`, `merge_bases.json`.
  static func companion(of path: String, suffix: String) throws(VectorError) -> String {
    guard path.hasSuffix(".jsonl") else { throw VectorError("\(path): expected a file named *.jsonl") }
    return path.dropLast(".jsonl".count) + suffix
  }

  private static func contents(path: String) throws(VectorError) -> [UInt8] {
    guard let file = fopen(path, "rb") else { throw VectorError("cannot open \(path): \(lastSystemError())") }
    defer { fclose(file) }
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      if count == 0 { break }
      contents.append(contentsOf: chunk[..<count])
    }
    guard ferror(file) == 0 else { throw VectorError("cannot read \(path): \(lastSystemError())") }
    return contents
  }

  private static func lastSystemError() -> String { String(cString: strerror(errno)) }
}
