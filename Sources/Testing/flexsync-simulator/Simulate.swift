// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FlexSyncSimulator
import Foundation

@main
struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "flexsync-simulator",
    abstract:
      "Runs a server and some clients in one thread, under a time, a network and disks that follow from a seed.",
    discussion: "A seed that fails is printed; the same seed fails in the same way again."
  )

  @Option(help: "The seeds to run, as A..B.")
  var seeds: String

  @Option(help: "How many processes run them.")
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  @Flag(help: "Print what happens in each simulation.")
  var verbose = false

  @Flag(help: "Look for the fewest steps that make a failing seed fail.")
  var shrink = false

  @Flag(help: .hidden)
  var worker = false

  func run() throws {
    let range = try parse(seeds)
    if worker { return work(range) }
    guard try Supervisor(range: range, jobs: max(1, jobs), options: options).run() else {
      throw ExitCode.failure
    }
  }

  private func parse(_ text: String) throws -> ClosedRange<UInt64> {
    let parts = text.components(separatedBy: "..")
    guard let first = parts.first.flatMap(UInt64.init), let last = parts.last.flatMap(UInt64.init),
      parts.count <= 2,
      first <= last
    else { throw ValidationError("'\(text)' is no range of seeds; write for example 1..300, or 17.") }
    return first...last
  }

  private var options: [String] { (verbose ? ["--verbose"] : []) + (shrink ? ["--shrink"] : []) }

  /// Runs seeds and reports to the supervisor, one line per result.
  private func work(_ range: ClosedRange<UInt64>) {
    var report = SimulationReport()
    for seed in range {
      let outcome = SimulatedSeed(seed).run(keepsLog: verbose, shrinks: shrink)
      report.add(outcome.report)
      for line in outcome.log { tell(.text(line)) }
      tell(.done(seed: seed, failure: outcome.failure))
    }
    for (name, number) in report.counts { tell(.count(name, number)) }
  }

  private func tell(_ line: WorkerLine) { FileHandle.standardOutput.write(Data("\(line.text)\n".utf8)) }
}
