// SPDX-License-Identifier: Apache-2.0

/// A clock, its timers and the end of a turn: all that the sync engines of both sides know of an event loop.
/// `EventLoop` is the real one; a simulation brings its own, where time passes as it likes.
///
/// Everything is confined to the thread that the scheduler turns on.
public protocol Scheduler: AnyObject, Sendable {
  /// Nothing new may start.
  var isStopping: Bool { get }
  /// Milliseconds since some moment in the past; never goes back.
  var monotonicMilliseconds: UInt64 { get }
  /// Stops a debug build if the caller is not on the scheduler's thread.
  func assertInLoop()
  /// Runs `action` once at the end of this turn, when all input that was ready is read.
  func atEndOfTurn(_ action: @escaping () -> Void)
  /// Runs `action` once after `milliseconds`, unless the timer is cancelled before.
  func startTimer(afterMilliseconds milliseconds: UInt64, _ action: @escaping () -> Void)
    -> any ScheduledTimer
  /// Runs `action` every `milliseconds` (at least 1) until the timer is cancelled.
  func startTimer(everyMilliseconds milliseconds: UInt64, _ action: @escaping () -> Void)
    -> any ScheduledTimer
}

/// A timer of a scheduler, which keeps it: to drop the reference does not cancel it.
public protocol ScheduledTimer: AnyObject {
  /// Cancels the timer and forgets its action.
  func cancel()
}
