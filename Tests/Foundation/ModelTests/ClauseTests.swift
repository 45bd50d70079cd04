// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import Testing

@Suite struct ClauseTests {
  @Test(arguments: [
    ("The disk is full.", "The disk is full"), ("the disk is full", "the disk is full"),
    ("Full. Delete files.", "Full. Delete files"),
    ("and so on...", "and so on..."), ("Really?", "Really?"), ("", ""), (".", ""),
  ])
  func aMessageInsideOfASentenceHasNoPeriodAtItsEnd(message: String, clause: String) {
    #expect(message.clause == clause)
  }
}
