// SPDX-License-Identifier: Apache-2.0

/// A clock with timers and the turns of an event loop. The sync engines of both sides use `EventLoop` only through this
/// protocol, so that the simulator can replace it and decide how time passes.
///
/// All calls are made on the scheduler's thread, and so are all actions.
public protocol Scheduler: AnyObject, Sendable {
  /// Whether the scheduler is stopping; nothing new may start then.
  var isStopping: Bool { get }
  /// Milliseconds since some moment in the past; never goes back.
  var monotonicMilliseconds: UInt64 { get }
  /// Stops a debug build if the caller is not on the scheduler's thread.
  func assertInLoop()
  /// Runs `action` once at the end of this turn, after all input that was ready has been read.
  func atEndOfTurn(_ action: @escaping () -> Void)
  /// Runs `action` once after `milliseconds`, unless the timer is cancelled before.
  func startTimer(afterMilliseconds milliseconds: UInt64, _ action: @escaping () -> Void)
    -> any ScheduledTimer
  /// Runs `action` every `milliseconds` (at least 1) until the timer is cancelled.
  func startTimer(everyMilliseconds milliseconds: UInt64, _ action: @escaping () -> Void)
    -> any ScheduledTimer
}

/// A timer that a scheduler owns: releasing the reference does not cancel it.
public protocol ScheduledTimer: AnyObject {
  /// Cancels the timer and forgets its action.
  func cancel()
}
