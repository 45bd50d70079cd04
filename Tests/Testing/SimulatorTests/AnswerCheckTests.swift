// SPDX-License-Identifier: Apache-2.0

import FlexSyncSimulator
import FlexSyncWire
import Testing

@Suite("Whether clients of a simulation wait for ever")
struct AnswerCheckTests {
  private var check = AnswerCheck(clientCount: 2)

  private func overdueAnswer(after start: UInt64) -> String? {
    check.overdueAnswer(to: 1, now: start + AnswerCheck.patience + 1)
  }

  @Test("A MARK that nobody answers is noticed, and only when a long time has passed")
  mutating func mark() {
    check.sent(.mark(session: 3, request: 7), by: 1, now: 500)
    #expect(check.overdueAnswer(to: 1, now: 500 + AnswerCheck.patience) == nil)
    #expect(overdueAnswer(after: 500)?.contains("MARK 7") == true)
    check.received(.mark(session: 3, request: 6), by: 1)
    #expect(overdueAnswer(after: 500) != nil)
    check.received(.mark(session: 3, request: 7), by: 1)
    #expect(overdueAnswer(after: 500) == nil)
  }

  @Test("An error ends the waiting of its session, and so does a connection that is lost")
  mutating func errors() {
    check.sent(.mark(session: 3, request: 1), by: 1, now: 0)
    check.sent(.mark(session: 4, request: 1), by: 1, now: 0)
    let info = ErrorInfo(message: "", action: .transient, tryAgain: true)
    check.received(.error(ErrorMessage(code: .otherSessionError, session: 3, info: info)), by: 1)
    #expect(overdueAnswer(after: 0)?.contains("session 4") == true)
    check.forget(1)
    #expect(overdueAnswer(after: 0) == nil)
  }

  @Test("Time in which nothing happens anywhere does not count")
  mutating func skippedTime() {
    check.sent(.mark(session: 3, request: 7), by: 1, now: 500)
    check.skip(milliseconds: 1_000_000_000)
    #expect(overdueAnswer(after: 1_000_000_000) == nil)
    #expect(overdueAnswer(after: 1_000_000_500) != nil)
  }

  @Test("A file ident has to be allocated")
  mutating func fileIdent() {
    let bind = BindMessage(session: 3, options: BindOptions(), needsFileIdent: true)
    check.sent(.bind(bind), by: 1, now: 0)
    #expect(overdueAnswer(after: 0)?.contains("file ident") == true)
    let file = SaltedFileIdent(ident: 2, salt: 5)
    check.received(.ident(session: 3, file: file), by: 1)
    #expect(overdueAnswer(after: 0) == nil)
  }
}
