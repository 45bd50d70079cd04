// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncCore

@Suite struct WriteLogTests {
  @Test func canceledTransactionsAreRememberedForLongButNotForEver() {
    let log = WriteLog(nil)
    for _ in 0..<20_000 {
      log.begin()
      log.noteCreated(1, row: 7)
      log.cancel()
    }
    #expect(log.isCanceled(log.number, 1, row: 7))
    #expect(log.isCanceled(log.number - 2_000, 1, row: 8))
    #expect(!log.isCanceled(log.number, 1, row: 6))
    #expect(!log.isCanceled(log.number, 2, row: 7))
    #expect(!log.isCanceled(1, 1, row: 7))
  }
}
