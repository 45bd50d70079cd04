// SPDX-License-Identifier: Apache-2.0

/// The time of a simulated world. It stands still during an event and jumps to the next one.
final class SimulatedTime {
  private struct Event {
    let time: UInt64
    let number: UInt64
    let action: () -> Void
  }

  /// Milliseconds since the world began.
  private(set) var now: UInt64 = 0
  /// The number of events so far.
  private(set) var eventCount = 0
  /// The pending events, the next one last.
  private var events: [Event] = []
  private var nextNumber: UInt64 = 0

  /// Runs `action` after `milliseconds`. Actions due at the same time run in the order in which they were scheduled.
  func schedule(after milliseconds: UInt64, _ action: @escaping () -> Void) {
    let (time, overflow) = now.addingReportingOverflow(milliseconds)
    guard !overflow else { return }
    nextNumber += 1
    let event = Event(time: time, number: nextNumber, action: action)
    events.insert(event, at: place(of: event))
  }

  private func place(of event: Event) -> Int {
    var (low, high) = (0, events.count)
    while low < high {
      let middle = (low + high) / 2
      let other = events[middle]
      let isLater = (other.time, other.number) > (event.time, event.number)
      if isLater { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Runs events that are due until `time` or until `isOver` returns true. Unless that happens, the time is then
  /// `time`.
  func run(until time: UInt64, isOver: () -> Bool = { false }) {
    while let event = events.last, event.time <= time {
      if isOver() { return }
      events.removeLast()
      now = max(now, event.time)
      eventCount += 1
      event.action()
    }
    now = max(now, time)
  }

  /// Cancels all pending events.
  func end() { events = [] }

  /// Advances the time without running any events. Those that have become due run late, as when a device sleeps.
  func jump(milliseconds: UInt64) { now += milliseconds }
}
