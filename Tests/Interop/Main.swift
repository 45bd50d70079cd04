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
    for make in makes {
      let count = try Cutover(with: make, observing: throughC, options).play()
      print("interop: \(make.name) brought everything to the new server, in \(count) runs")
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
