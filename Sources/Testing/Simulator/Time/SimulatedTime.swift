// SPDX-License-Identifier: Apache-2.0

/// The time of a simulated world: it stands still while something happens, and jumps to what happens next.
final class SimulatedTime {
  private struct Event {
    let time: UInt64
    let number: UInt64
    let action: () -> Void
  }

  /// Milliseconds since the world began.
  private(set) var now: UInt64 = 0
  /// How many events have happened.
  private(set) var eventCount = 0
  /// What is to come, the next one last.
  private var events: [Event] = []
  private var nextNumber: UInt64 = 0

  /// Runs `action` after `milliseconds`. What is due at the same moment happens in the order in which it was asked for.
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

  /// Lets happen what is due until `time`, or until `isOver`; afterwards it is that time, if it was not over before.
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

  /// The end: nothing happens any more.
  func end() { events = [] }

  /// Lets time pass without anything happening: what was due meanwhile happens late, as when a device sleeps.
  func jump(milliseconds: UInt64) { now += milliseconds }
}
