// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport

/// A world of the simulator: an adversary in two worlds that differ in nothing it may see, on networks that fail at
/// the same time and in the same way in both.
package struct AdversarySimulation {
  private static let stepCount = 60
  /// The maximum time that the last answers may take, in simulated milliseconds.
  private static let patience: UInt64 = 30 * 60_000

  private let seed: UInt64
  private let keepsLog: Bool

  package init(seed: UInt64, keepsLog: Bool = false) {
    self.seed = seed
    self.keepsLog = keepsLog
  }

  /// Runs the simulation.
  package func run() -> SimulationOutcome {
    SimulatedFileSystem.use(SimulatedWorld(random: SeededGenerator(seed: seed)))
    defer { SimulatedFileSystem.use(nil) }
    var report = SimulationReport()
    do {
      var game = try AdversaryGame(seed, keepsLog: keepsLog)
      for _ in 0..<Self.stepCount { try step(&game, &report) }
      finish(game)
      return outcome(of: game, &report)
    } catch {
      return SimulationOutcome(seed: seed, failure: "adversary: \(error)", report: report, log: [])
    }
  }

  private func step(_ game: inout AdversaryGame, _ report: inout SimulationReport) throws {
    if game.dice.chance(10) {
      try game.disturb()
      report.count("faults in an adversary's worlds")
    } else {
      game.act()
    }
    let pause: UInt64 = game.dice.chance(70) ? game.dice.number(in: 0...1_500) : 0
    game.worlds.run(milliseconds: pause)
  }

  /// Ends all faults and waits for the last answers.
  private func finish(_ game: AdversaryGame) {
    for world in game.worlds.worlds { world.server.network.mend(world.attacker.number) }
    game.worlds.run(milliseconds: Self.patience)
    game.worlds.attack { $0.mark() }
    game.worlds.run(milliseconds: Self.patience)
    // The attacker does not probe its connection and may not have noticed that it is dead.
    guard !game.worlds.first.attacker.isAnswered else { return }
    game.worlds.attack { $0.reconnect() }
    game.worlds.run(milliseconds: Self.patience)
    game.worlds.attack { $0.mark() }
    game.worlds.run(milliseconds: Self.patience)
  }

  private func outcome(of game: AdversaryGame, _ report: inout SimulationReport) -> SimulationOutcome {
    let attacker = game.worlds.first.attacker
    report.count("adversaries")
    report.count("questions of adversaries", attacker.questionCount)
    report.count("answers to adversaries", attacker.messages.count)
    var failure = game.worlds.difference
    if failure == nil, !attacker.isAnswered { failure = "its last question is not answered" }
    var log: [String] = []
    if keepsLog {
      log.append("an adversary: \(game.description)")
      for (number, world) in game.worlds.worlds.enumerated() {
        log += world.server.log.lines.map { "world \(number): \($0)" }
      }
    }
    return SimulationOutcome(
      seed: seed,
      failure: failure.map { "adversary: \($0)" },
      report: report,
      log: log
    )
  }
}

extension AdversaryGame {
  /// Injects a random fault, in the same way in both worlds.
  mutating func disturb() throws {
    let milliseconds: UInt64 = dice.number(in: 100...60_000)
    let number = worlds.first.attacker.number
    let fault = dice.number(below: 4)
    let noticedBy: [SimulatedLink.Side] = dice.pick([[.client, .server], [.client], [.server]])
    for world in worlds.worlds {
      let network = world.server.network
      switch fault {
      case 0: try world.server.restart()
      case 1: network.breakConnection(number, noticedBy: noticedBy)
      case 2: network.cut(number)
      default: network.stallReader(number)
      }
      if fault > 1 { world.server.world.time.schedule(after: milliseconds) { network.mend(number) } }
    }
  }
}
