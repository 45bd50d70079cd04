// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// The loop of one simulated process. After the process has died, nothing more runs on it.
final class SimulatedScheduler: Scheduler, @unchecked Sendable {
  private let time: SimulatedTime
  private let shortestTimer: UInt64
  private let isDead: () -> Bool
  private var hasStopped = false
  private var turnActions: [() -> Void] = []
  private var isInTurn = false
  /// Called after each turn.
  var onTurnEnd: (() -> Void)?

  /// - Parameters:
  ///   - shortestTimer: The milliseconds below which a timer that fires once is due immediately.
  ///   - isDead: Whether the process has been ended in the middle of an operation. Anything it still does has no
  ///     effect.
  init(_ time: SimulatedTime, shortestTimer: UInt64 = 0, isDead: @escaping () -> Bool) {
    self.time = time
    self.shortestTimer = shortestTimer
    self.isDead = isDead
  }

  var isStopping: Bool { hasStopped || isDead() }

  var monotonicMilliseconds: UInt64 { time.now }

  func assertInLoop() {}

  func atEndOfTurn(_ action: @escaping () -> Void) {
    turnActions.append(action)
    // Work requested outside a turn gets a turn of its own.
    if !isInTurn { post {} }
  }

  /// Runs `action` in a turn of its own, at the current time but not within this call.
  func post(_ action: @escaping () -> Void) { post(after: 0, action) }

  /// Runs `action` in a turn of its own after `milliseconds`.
  func post(after milliseconds: UInt64, _ action: @escaping () -> Void) {
    time.schedule(after: milliseconds) { [weak self] in self?.turn(action) }
  }

  /// Runs one turn: an action, followed by the work deferred to the end of the turn.
  func turn(_ action: () -> Void) {
    guard !isStopping else { return }
    guard !isInTurn else { return action() }
    isInTurn = true
    action()
    while !isStopping, !turnActions.isEmpty {
      let actions = turnActions
      turnActions = []
      for action in actions where !isStopping { action() }
    }
    isInTurn = false
    turnActions = []
    if !hasStopped { onTurnEnd?() }
  }

  func startTimer(afterMilliseconds milliseconds: UInt64, _ action: @escaping () -> Void)
    -> any ScheduledTimer
  {
    let timer = SimulatedTimer(action)
    post(after: milliseconds < shortestTimer ? 0 : milliseconds) { timer.fire() }
    return timer
  }

  func startTimer(everyMilliseconds milliseconds: UInt64, _ action: @escaping () -> Void)
    -> any ScheduledTimer
  {
    let timer = SimulatedTimer(action)
    fire(timer, every: max(milliseconds, 1))
    return timer
  }

  private func fire(_ timer: SimulatedTimer, every milliseconds: UInt64) {
    post(after: milliseconds) { [weak self] in
      guard !timer.isCancelled else { return }
      timer.fire()
      self?.fire(timer, every: milliseconds)
    }
  }

  /// Ends the process.
  func stop() {
    hasStopped = true
    turnActions = []
    onTurnEnd = nil
  }
}

private final class SimulatedTimer: ScheduledTimer {
  private var action: (() -> Void)?

  init(_ action: @escaping () -> Void) { self.action = action }

  var isCancelled: Bool { action == nil }

  func cancel() { action = nil }

  func fire() { action?() }
}
