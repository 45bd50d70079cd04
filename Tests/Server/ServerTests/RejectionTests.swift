// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
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

  @Test("Many rejected writes come as several errors, none of which is longer than a client accepts")
  func manyWrites() {
    let updates = (1...20_000).map { number in
      RejectedUpdate(
        className: "Task",
        key: .int(Int64(number)),
        reason: "write to \(number) in table \"Task\" not allowed",
        detail: String(repeating: "x", count: 200)
      )
    }
    let infos = Rejection(clientVersion: 7, updates: updates).infos(serverVersion: 9)
    #expect(infos.count > 1 && infos.flatMap(\.rejectedUpdates) == updates)
    for info in infos {
      #expect(info.rejectedClientVersion == 7 && info.compensatingWriteServerVersion == 9)
      let error = ErrorMessage(code: .compensatingWrite, session: 1, info: info)
      #expect(ServerMessage.error(error).encode().count < 16 << 20)
    }
  }

  @Test(
    "What is stored and told of many rejected writes, or of long keys, is bounded; the error counts the others"
  )
  func boundedText() throws {
    func refusals(_ count: Int, keyByteCount: Int) -> [WriteRefusal] {
      (0..<count).map { number in
        let key = "\(number)" + String(repeating: "k", count: keyByteCount)
        return WriteRefusal(.outsideView, ObjectReference(table: "Task", key: .string(key)))
      }
    }
    let many = Rejection(refusals(30, keyByteCount: 1_000_000), clientVersion: 7)
    #expect(many.text.utf8.count < 17 << 20)
    #expect(many.updates.count < 30 && many.updates.count + many.omittedCount == 30)
    #expect(try Rejection(text: many.text, storedIn: path) == many)
    let expected = "(\(many.omittedCount) more rejected writes are not listed)"
    #expect(many.infos(serverVersion: 9).allSatisfy { $0.message.hasSuffix(expected) })
    // Clients do not accept an error that names no object.
    let long = Rejection(refusals(1, keyByteCount: 15 << 20), clientVersion: 7)
    #expect(long.omittedCount == 1 && long.infos(serverVersion: 9).isEmpty)
  }

  @Test("The length of an error is that of its encoded text")
  func escapedTexts() throws {
    let updates = (1...7).map { number in
      RejectedUpdate(
        className: "Task",
        key: .int(number),
        reason: String(repeating: "\u{1}", count: 300_000)
      )
    }
    let infos = Rejection(clientVersion: 7, updates: updates).infos(serverVersion: 9)
    #expect(infos.flatMap(\.rejectedUpdates) == updates)
    for info in infos {
      let error = ErrorMessage(code: .compensatingWrite, session: 1, info: info)
      #expect(ServerMessage.error(error).encode().count < 5 << 20)
    }
  }

  @Test("The reasons have only the beginning of a long key, and the log too")
  func longKeys() {
    let key = PrimaryKey.string(String(repeating: "\u{1}", count: 900_000))
    let refusal = WriteRefusal(.outsideView, ObjectReference(table: "Task", key: key))
    let update = RejectedUpdate(refusal)
    #expect(update.key == key && update.reason.utf8.count < 1000 && update.text.utf8.count < 1000)
    #expect(update.reason.hasSuffix("not allowed; object is outside of the current query view"))
    #expect(Rejection.logText([refusal]).utf8.count < 10_000)
  }

  @Test("An error that ends the session lists as many writes as fit, and counts the others")
  func refusedIngest() {
    let updates = (1...20).map { number in
      RejectedUpdate(
        className: "Reading",
        key: .int(number),
        reason: String(repeating: "x", count: 1_000_000)
      )
    }
    let info = SessionFailure.writeNotAllowed(Rejection(clientVersion: 7, updates: updates)).info
    #expect(info.rejectedUpdates == Array(updates.prefix(4)))
    #expect(info.message.hasSuffix("(16 more rejected writes are not listed)"))
  }
}
