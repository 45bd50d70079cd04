// SPDX-License-Identifier: Apache-2.0

/// A clock with timers and the turns of an event loop. The sync engines of client and server use `EventLoop` only
/// through this protocol, so that the simulator can replace it and control the passage of time.
///
/// All calls and actions take place on the scheduler's thread.
public protocol Scheduler: AnyObject, Sendable {
  /// Whether the scheduler is stopping. Nothing new may start then.
  var isStopping: Bool { get }
  /// Milliseconds since an arbitrary point in the past. Never decreases.
  var monotonicMilliseconds: UInt64 { get }
  /// Stops a debug build if the caller is not on the scheduler's thread.
  func assertInLoop()
  /// Runs `action` once at the end of this turn, after all input that was ready has been read.
  func atEndOfTurn(_ action: @escaping () -> Void)
  /// Runs `action` once after `milliseconds`, unless the timer is cancelled first.
  func startTimer(afterMilliseconds milliseconds: UInt64, _ action: @escaping () -> Void)
    -> any ScheduledTimer
  /// Runs `action` every `milliseconds` (at least 1) until the timer is cancelled.
  func startTimer(everyMilliseconds milliseconds: UInt64, _ action: @escaping () -> Void)
    -> any ScheduledTimer
}

/// A timer owned by a scheduler. Releasing the reference does not cancel it.
public protocol ScheduledTimer: AnyObject {
  /// Cancels the timer and releases its action.
  func cancel()
}
