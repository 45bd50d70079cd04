// SPDX-License-Identifier: Apache-2.0

import CLibuv

/// A timer on an event loop. Confined to the loop's thread.
///
/// The loop retains the timer until it has fired for the last time or is cancelled. Releasing the reference does not
/// cancel it.
public final class TimerHandle: LoopResident {
  private let handle: NativeHandle
  private var action: (() -> Void)?
  private var isArmed = false
  private let isReusable: Bool

  /// - Parameter isReusable: Whether the timer can be used again after it has fired, until it is cancelled.
  init(loop: EventLoop, isReusable: Bool = false, action: @escaping () -> Void) {
    self.isReusable = isReusable
    handle = NativeHandle(loop: loop, layout: uv_timer_t.self)
    guard !loop.isStopping else { return }
    self.action = action
    uv_timer_init(loop.raw, handle.pointer())
    handle.attach(to: self)
  }

  /// Makes the timer fire `milliseconds` from now instead of at its previous time. Possible until the timer has fired
  /// (also from within its action) or was cancelled; afterwards this does nothing.
  public func reschedule(afterMilliseconds milliseconds: UInt64) {
    arm(after: milliseconds, every: 0)
  }

  /// Stops the timer until it is restarted by ``reschedule(afterMilliseconds:)``.
  func suspend() {
    guard action != nil else { return }
    isArmed = false
    uv_timer_stop(handle.pointer())
  }

  /// Cancels the timer and releases its action.
  public func cancel() {
    guard action != nil else { return }
    action = nil
    handle.close()
  }

  func arm(after milliseconds: UInt64, every period: UInt64) {
    handle.loop.assertInLoop()
    guard action != nil else { return }
    isArmed = true
    // libuv counts from the start of the turn, which may be long past.
    uv_update_time(handle.loop.raw)
    uv_timer_start(
      handle.pointer(),
      { NativeHandle.owner($0?.pointee.data, TimerHandle.self)?.fire() },
      milliseconds,
      period
    )
  }

  private func fire() {
    let repeats = uv_timer_get_repeat(handle.pointer()) != 0
    isArmed = repeats
    action?()
    if !isArmed, !isReusable { cancel() }
  }

  func loopStops() { cancel() }

  func handleClosed() {}
}

extension EventLoop {
  /// Runs `action` once after `milliseconds`. Call it on the loop's thread.
  ///
  /// On a loop that is stopping, the timer never fires.
  public func schedule(afterMilliseconds milliseconds: UInt64, _ action: @escaping () -> Void) -> TimerHandle
  {
    let timer = TimerHandle(loop: self, action: action)
    timer.arm(after: milliseconds, every: 0)
    return timer
  }

  /// Runs `action` every `milliseconds` (at least 1) until the timer is cancelled. Call it on the loop's thread.
  public func scheduleRepeatedly(everyMilliseconds milliseconds: UInt64, _ action: @escaping () -> Void)
    -> TimerHandle
  {
    let timer = TimerHandle(loop: self, action: action)
    timer.arm(after: max(milliseconds, 1), every: max(milliseconds, 1))
    return timer
  }
}
