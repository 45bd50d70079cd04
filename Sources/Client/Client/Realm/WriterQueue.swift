// SPDX-License-Identifier: Apache-2.0

/// A first-come, first-served queue of the writers of one file in this process.
///
/// SQLite alone would make them sleep and retry at growing intervals. A turn belongs to no thread, because a write
/// transaction may be handed from one thread to another.
final class WriterQueue: Sendable {
  private struct Turns {
    /// The current writer's turn, followed by the waiting ones in order.
    var inOrder: [UInt64] = []
    private var last: UInt64 = 0

    /// Adds a turn at the end.
    mutating func take() -> UInt64 {
      last += 1
      inOrder.append(last)
      return last
    }
  }

  private let turns = Monitor(Turns())

  /// Waits for a turn; returns false on timeout, which is in milliseconds.
  func enter(milliseconds: UInt64) -> Bool {
    var turn: UInt64?
    let isFirst = turns.wait(milliseconds: milliseconds) { turns in
      let own = turn ?? turns.take()
      turn = own
      return turns.inOrder.first == own ? true : nil
    }
    if isFirst == true { return true }
    // The turn may have come after the timeout.
    return turns.withLock { turns in
      if turns.inOrder.first == turn { return true }
      turns.inOrder.removeAll { $0 == turn }
      return false
    }
  }

  /// Ends the turn.
  func leave() { turns.change { $0.inOrder.removeFirst() } }
}
