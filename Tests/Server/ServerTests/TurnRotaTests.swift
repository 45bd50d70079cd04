// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import Testing

@testable import FlexSyncEngine
@testable import FlexSyncServer

@Suite("Apps that share a loop")
struct TurnRotaTests {
  private let scheduler = ManualScheduler()

  @Test("An app with endless work lets the loop turn, and others wait for one part of it at most")
  func endlessWork() {
    let rota = TurnRota(scheduler, budget: TurnBudget(milliseconds: 10))
    var parts: [String] = []
    let busy = TurnRota.Member { [scheduler] in
      scheduler.time += 10
      parts.append("busy")
      return true
    }
    let quick = TurnRota.Member {
      parts.append("quick")
      return false
    }
    rota.request(busy)
    for _ in 0..<5 {
      scheduler.turn()
      rota.request(quick)
    }
    scheduler.turn()
    #expect(parts.filter { $0 == "busy" }.count == 6)
    #expect(parts.filter { $0 == "quick" }.count >= 4)
  }

  @Test("Apps with endless work have their parts in turn")
  func inTurn() {
    let rota = TurnRota(scheduler, budget: TurnBudget(milliseconds: 10))
    var parts: [Int] = []
    let members = (0..<3).map { number in
      TurnRota.Member { [scheduler] in
        scheduler.time += 10
        parts.append(number)
        return true
      }
    }
    for member in members { rota.request(member) }
    for _ in 0..<30 { scheduler.turn() }
    #expect(parts.count == 30)
    #expect((0..<3).allSatisfy { number in parts.suffix(9).filter { $0 == number }.count == 3 })
  }

  @Test("Who asks during its own part gets no further one by that")
  func askingInside() {
    let rota = TurnRota(scheduler)
    var count = 0
    var member: TurnRota.Member?
    member = TurnRota.Member {
      count += 1
      if let member { rota.request(member) }
      return false
    }
    if let member { rota.request(member) }
    for _ in 0..<3 { scheduler.turn() }
    #expect(count == 1)
  }

  @Test("Some who are new go before each one that goes on")
  func alternating() {
    final class Somebody {
      let name: String
      init(_ name: String) { self.name = name }
    }
    var queue = FairQueue<Somebody>()
    let ongoing = (1...3).map { Somebody("ongoing \($0)") }
    let fresh = (1...6).map { Somebody("fresh \($0)") }
    for member in ongoing { queue.add(member, isOngoing: true) }
    for member in fresh + ongoing + fresh { queue.add(member) }
    var order: [String] = []
    while let member = queue.next() { order.append(member.name) }
    let expected = [
      "fresh 1", "fresh 2", "fresh 3", "fresh 4", "ongoing 1", "fresh 5", "fresh 6", "ongoing 2", "ongoing 3",
    ]
    #expect(order == expected)
    #expect(queue.isEmpty)
  }
}

/// A loop whose time passes when a test says so.
private final class ManualScheduler: Scheduler, @unchecked Sendable {
  private final class Timer: ScheduledTimer {
    func cancel() {}
  }

  var time: UInt64 = 0
  private var actions: [() -> Void] = []
  private var timers: [() -> Void] = []

  var isStopping: Bool { false }
  var monotonicMilliseconds: UInt64 { time }

  func assertInLoop() {}

  func atEndOfTurn(_ action: @escaping () -> Void) { actions.append(action) }

  func startTimer(afterMilliseconds milliseconds: UInt64, _ action: @escaping () -> Void)
    -> any ScheduledTimer
  {
    timers.append(action)
    return Timer()
  }

  func startTimer(everyMilliseconds milliseconds: UInt64, _ action: @escaping () -> Void)
    -> any ScheduledTimer
  {
    Timer()
  }

  /// One turn: the timers that were there at its beginning, and all that is put off to its end.
  func turn() {
    let due = timers
    timers = []
    for action in due { action() }
    while !actions.isEmpty {
      let last = actions
      actions = []
      for action in last { action() }
    }
  }
}
