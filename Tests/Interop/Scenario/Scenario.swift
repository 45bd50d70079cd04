// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Foundation

/// A story that clients of all makes must tell in the same words. See "Scenarios" in ../README.md.
struct Scenario {
  let steps: [JSON]
  let transcript: [String]
  /// The device that is a FlexSync client whatever is tested, and shows what the server has.
  let observer: String

  init(path: String) throws {
    let json = try JSON.parse(try String(contentsOfFile: path, encoding: .utf8))
    guard let steps = json["steps"]?.arrayValue, let transcript = json["transcript"]?.arrayValue else {
      throw InteropError("\(path) needs 'steps' and 'transcript'")
    }
    self.steps = steps
    self.transcript = transcript.compactMap(\.stringValue)
    observer = json["observer"]?.stringValue ?? ""
  }
}
