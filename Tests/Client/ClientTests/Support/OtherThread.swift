// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Foundation

@testable import FlexSyncCore

/// A thread that a test starts.
final class OtherThread<Outcome: Sendable>: Sendable {
  private let outcome = Monitor<Outcome?>(nil)

  init(_ body: @escaping @Sendable () -> Outcome) {
    Thread.detachNewThread { [outcome] in
      let result = body()
      outcome.change { $0 = result }
    }
  }

  /// Waits for the thread's end, as long as `Patience` has it.
  func join() -> Outcome? { outcome.wait(milliseconds: Patience.milliseconds) { $0 } }
}

/// What threads wait for.
final class Flag: Sendable {
  private let state = Monitor(false)

  func raise() { state.change { $0 = true } }

  var isRaised: Bool { state.withLock { $0 } }

  /// Waits until the flag is raised.
  ///
  /// - Returns: Whether it was, in time.
  @discardableResult
  func wait(milliseconds: UInt64 = Patience.milliseconds) -> Bool {
    state.wait(milliseconds: milliseconds) { $0 ? true : nil } ?? false
  }
}
