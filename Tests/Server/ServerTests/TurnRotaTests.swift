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
    let busy = TurnRota.Member(appID: "busy") { [scheduler] in
      scheduler.time += 10
      parts.append("busy")
      return true
    }
    let quick = TurnRota.Member(appID: "quick") {
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
      TurnRota.Member(appID: "app \(number)") { [scheduler] in
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
    member = TurnRota.Member(appID: "app") {
      count += 1
      if let member { rota.request(member) }
      return false
    }
    if let member { rota.request(member) }
    for _ in 0..<3 { scheduler.turn() }
    #expect(count == 1)
  }

  final class Somebody {
    let name: String
    init(_ name: String) { self.name = name }
  }

  private func order(_ queue: inout FairQueue<Somebody>) -> [String] {
    var order: [String] = []
    while let member = queue.next() { order.append(member.name) }
    #expect(queue.isEmpty)
    return order
  }

  @Test("Some who are new go before each one that begins, and some of these before each one that goes on")
  func stages() {
    var queue = FairQueue<Somebody>()
    let ongoing = (1...2).map { Somebody("ongoing \($0)") }
    let beginning = (1...5).map { Somebody("beginning \($0)") }
    let new = (1...6).map { Somebody("new \($0)") }
    for member in ongoing { queue.add(member, of: member.name, .ongoing) }
    for member in beginning { queue.add(member, of: member.name, .beginning) }
    for member in new + beginning + ongoing + new { queue.add(member, of: member.name, .new) }
    let expected = [
      "new 1", "new 2", "new 3", "new 4", "beginning 1", "new 5", "new 6", "beginning 2", "beginning 3",
      "beginning 4", "ongoing 1", "beginning 5", "ongoing 2",
    ]
    #expect(order(&queue) == expected)
  }

  @Test("Members of one owner that keep coming leave the others half of the turns")
  func oneBusyOwner() {
    var queue = FairQueue<Somebody>()
    let ongoing = (1...10).map { Somebody("ongoing \($0)") }
    for member in ongoing { queue.add(member, of: member.name, .ongoing) }
    let busy = (1...10).map { Somebody("busy \($0)") }
    for member in busy { queue.add(member, of: "busy", .new) }
    let first = (0..<20).compactMap { _ in
      let next = queue.next()
      if let next, next.name.hasPrefix("busy") { queue.add(next, of: "busy", .new) }
      return next?.name
    }
    #expect(first.filter { $0.hasPrefix("ongoing") }.count >= 8, "\(first)")
  }

  @Test(
    "Owners take turns, however many of their members wait",
    arguments: FairQueue<Somebody>.Stage.allCases
  )
  func owners(stage: FairQueue<Somebody>.Stage) {
    var queue = FairQueue<Somebody>()
    let members = ["a 1", "a 2", "a 3", "b 1", "c 1", "b 2"].map(Somebody.init)
    for member in members { queue.add(member, of: String(member.name.prefix(1)), stage) }
    #expect(order(&queue) == ["a 1", "b 1", "c 1", "a 2", "b 2", "a 3"])
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
