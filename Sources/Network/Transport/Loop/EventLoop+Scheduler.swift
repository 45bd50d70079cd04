// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

extension TimerHandle: ScheduledTimer {}

extension EventLoop: BlockingWorker {}

extension EventLoop: Scheduler {
  /// The system's monotonic clock, in milliseconds.
  public var monotonicMilliseconds: UInt64 { Self.monotonicMilliseconds }

  /// See ``schedule(afterMilliseconds:_:)``.
  public func startTimer(afterMilliseconds milliseconds: UInt64, _ action: @escaping () -> Void)
    -> any ScheduledTimer
  {
    schedule(afterMilliseconds: milliseconds, action)
  }

  /// See ``scheduleRepeatedly(everyMilliseconds:_:)``.
  public func startTimer(everyMilliseconds milliseconds: UInt64, _ action: @escaping () -> Void)
    -> any ScheduledTimer
  {
    scheduleRepeatedly(everyMilliseconds: milliseconds, action)
  }
}
