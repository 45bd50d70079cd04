// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Clients of different makes edit the same objects at once and must end equal. See README.md.
@main
enum Main {
  static func main() {
    // A participant that has died is noticed when it is written to.
    signal(SIGPIPE, SIG_IGN)
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      if options.playsCutover {
        try playCutover(options)
      } else if let path = options.scenario {
        try playScenario(path, options)
      } else {
        try playRounds(options)
      }
    } catch {
      FileHandle.standardError.write(Data("interop: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func playRounds(_ options: Options) throws {
    let run = try Run(options)
    defer { run.end() }
    let summary = try run.play()
    print("interop: seed \(options.seed): all are equal after \(options.rounds) rounds: \(summary)")
  }

  /// Clients through C and through Swift, and the peer, if there is one.
  private static func makes(_ options: Options) -> (throughC: ClientMake, all: [ClientMake]) {
    let throughC = ClientMake.flexSync(binding: "C", driver: options.driverC)
    let peer = options.peer.map { [ClientMake.peer(program: $0)] } ?? []
    return (throughC, [throughC, .flexSync(binding: "Swift", driver: options.driverSwift)] + peer)
  }

  private static func playCutover(_ options: Options) throws {
    let (throughC, makes) = makes(options)
    // Clients wait a second after each cut: those of each make have the time of the others.
    let outcomes = Outcomes(makes.count)
    let end = DispatchSemaphore(value: 0)
    for (index, make) in makes.enumerated() {
      Thread.detachNewThread {
        let cutover = Cutover(with: make, observing: throughC, options)
        outcomes.set(index, Result { try cutover.play() })
        end.signal()
      }
    }
    for _ in makes { end.wait() }
    for (make, outcome) in zip(makes, outcomes.all) {
      let count = try outcome?.get() ?? 0
      print("interop: \(make.name) brought everything to the new server, also with \(count) cuts")
    }
  }

  private static func playScenario(_ path: String, _ options: Options) throws {
    let scenario = try Scenario(path: path)
    let (throughC, makes) = makes(options)
    for make in options.recordsScenario ? [makes[makes.count - 1]] : makes {
      let run = try ScenarioRun(scenario, with: make, observing: throughC, options)
      defer { run.end() }
      if options.recordsScenario {
        for line in try run.record() { print(line) }
      } else {
        try run.play()
        print("interop: \(make.name) told the \(scenario.transcript.count) lines of \(path)")
      }
    }
  }
}

/// What became of things that are done at the same time.
private final class Outcomes: @unchecked Sendable {
  private let lock = NSLock()
  private var outcomes: [Result<Int, any Error>?]

  init(_ count: Int) { outcomes = Array(repeating: nil, count: count) }

  var all: [Result<Int, any Error>?] { lock.withLock { outcomes } }

  func set(_ index: Int, _ outcome: Result<Int, any Error>) { lock.withLock { outcomes[index] = outcome } }
}
