// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a participant was told and what it answered, for the one who looks for the cause of a failure.
final class Trace {
  private let file: FileHandle

  init(path: String) throws { file = try FileHandle(appendingTo: path) }

  func note(_ direction: String, _ line: String) {
    let time = Date().timeIntervalSince1970
    file.write(Data("\(String(format: "%.3f", time)) \(direction) \(line)\n".utf8))
  }
}
