// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A first-come, first-served queue of the writers of one file in this process.
///
/// SQLite alone would make them sleep and retry at growing intervals. A turn belongs to no thread, because a write
/// transaction may be handed from one thread to another.
final class WriterQueue: Sendable {
  /// A place in the queue.
  typealias Turn = UInt64

  private struct Turns {
    private struct Place {
      let turn: Turn
      /// Called once the turn has come; nil for a writer that waits.
      let notify: (@Sendable () -> Void)?
    }

    /// The current writer's turn, followed by the waiting ones in order.
    private var inOrder: [Place] = []
    private var last: Turn = 0

    var current: Turn? { inOrder.first?.turn }

    /// Adds a turn at the end.
    mutating func take(_ notify: (@Sendable () -> Void)? = nil) -> Turn {
      last += 1
      inOrder.append(Place(turn: last, notify: notify))
      return last
    }

    /// Removes a turn. Returns whom to notify that the turn has come.
    mutating func remove(_ turn: Turn) -> (@Sendable () -> Void)? {
      let wasCurrent = turn == current
      inOrder.removeAll { $0.turn == turn }
      return wasCurrent ? inOrder.first?.notify : nil
    }
  }

  private let turns = Monitor(Turns())

  /// Waits for a turn; returns false on timeout, which is in milliseconds.
  ///
  /// - Parameter requested: a turn that was requested before; it is lost on timeout.
  func enter(_ requested: Turn? = nil, milliseconds: UInt64) -> Bool {
    var turn = requested
    let isFirst = turns.wait(milliseconds: milliseconds) { turns in
      let own = turn ?? turns.take()
      turn = own
      return turns.current == own ? true : nil
    }
    if isFirst == true { return true }
    // The turn may have come after the timeout.
    guard let turn, turns.withLock({ $0.current != turn }) else { return true }
    withdraw(turn)
    return false
  }

  /// Takes a place in the queue without waiting.
  ///
  /// - Parameter ready: called on any thread once the turn has come, possibly before this returns.
  func request(_ ready: @escaping @Sendable () -> Void) -> Turn {
    let (turn, isCurrent) = turns.withLock { turns in
      let turn = turns.take(ready)
      return (turn, turns.current == turn)
    }
    if isCurrent { ready() }
    return turn
  }

  /// Gives up a turn, whether or not it has come.
  func withdraw(_ turn: Turn) {
    var notify: (@Sendable () -> Void)?
    turns.change { notify = $0.remove(turn) }
    notify?()
  }

  /// Ends the current turn.
  func leave() {
    guard let turn = turns.withLock({ $0.current }) else { return }
    withdraw(turn)
  }
}

/// A turn that a realm handle has requested before it begins a write transaction. Any thread.
final class RequestedTurn: Sendable {
  private let queue: WriterQueue
  private let turn: Mutex<WriterQueue.Turn?>

  /// - Parameter ready: see `WriterQueue.request`.
  init(_ queue: WriterQueue, _ ready: @escaping @Sendable () -> Void) {
    self.queue = queue
    turn = Mutex(nil)
    // Locked, because `ready` may lead another thread to the turn.
    turn.withLock { $0 = queue.request(ready) }
  }

  /// Returns the turn to the transaction that begins; nil if the request was withdrawn.
  func take() -> WriterQueue.Turn? { turn.withLock { $0.take() } }

  /// The turn, until a transaction takes it or the request is withdrawn.
  var current: WriterQueue.Turn? { turn.withLock { $0 } }

  /// Whether neither a transaction has taken the turn nor the request was withdrawn.
  var isOpen: Bool { turn.withLock { $0 != nil } }

  /// Gives up the turn unless a transaction has taken it.
  func withdraw() { if let turn = take() { queue.withdraw(turn) } }
}
