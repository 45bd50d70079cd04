// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore
import FlexSyncWire
import Testing

@testable import FlexSyncEngine

@Suite("Rejections in the server's file")
struct RejectionTests {
  private let path = "/data/app/data.sqlite"

  @Test("The text that earlier versions have stored is read, and is still written")
  func storedText() throws {
    let rejection = Rejection(
      clientVersion: 7,
      updates: [
        RejectedUpdate(
          className: "Task",
          key: .int(5),
          reason: "write not allowed",
          detail: "no role applies"
        ),
        RejectedUpdate(className: "Team", key: .string("a"), reason: "not in a view"),
      ]
    )
    let text =
      #"{"clientVersion":7,"updates":[{"table":"Task","pk":"AQU=","reason":"write not allowed","#
      + #""detail":"no role applies"},{"table":"Team","pk":"AwFh","reason":"not in a view"}]}"#
    #expect(rejection.text == text)
    #expect(try Rejection(text: text, storedIn: path) == rejection)
  }

  @Test(
    "A text that is damaged is an error of the file",
    arguments: [
      "", "{", "{}", #"{"clientVersion":7}"#, #"{"updates":[]}"#, #"{"clientVersion":-1,"updates":[]}"#,
      #"{"clientVersion":7,"updates":[{}]}"#,
      #"{"clientVersion":7,"updates":[{"table":"Task","pk":"?","reason":"not allowed"}]}"#,
    ]
  )
  func damagedText(text: String) {
    let error = #expect(throws: StorageError.self) { try Rejection(text: text, storedIn: path) }
    #expect(error?.kind == .corrupt && error?.message.contains(path) == true)
  }
}
