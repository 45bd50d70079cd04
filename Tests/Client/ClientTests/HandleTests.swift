// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncCore

@Suite("Handles")
struct HandleTests {
  private final class Target: HandleTarget {
    static var handleKind: HandleKind { .object }
  }

  @Test("A released handle is never valid again, however often its place is used")
  func reuse() {
    let target = Target()
    let released = Handle.made(target)
    Handle.release(released, as: Target.self)
    var repeated = 0
    for _ in 0..<70_000 {
      let handle = Handle.made(target)
      if handle == released { repeated += 1 }
      Handle.release(handle, as: Target.self)
    }
    #expect(repeated == 0)
  }
}
