// SPDX-License-Identifier: Apache-2.0

import FlexSyncSimulator
import Foundation
import Synchronization

/// Runs worker processes, as many at once as there are cores, and adds up their results.
final class Supervisor: Sendable {
  private struct State {
    /// The first seed not yet given to a worker.
    var next: UInt64?
    var passed = 0
    var failures: [UInt64: String] = [:]
    var report = SimulationReport()
    var brokenWorkers: [Int32] = []
  }

  /// The number of seeds that a process runs, one after another.
  private static let seedsPerWorker: UInt64 = 20

  private let range: ClosedRange<UInt64>
  private let jobs: Int
  private let options: [String]
  private let state = Mutex(State())

  init(range: ClosedRange<UInt64>, jobs: Int, options: [String]) {
    self.range = range
    self.jobs = jobs
    self.options = options
    state.withLock { $0.next = range.lowerBound }
  }

  /// - Returns: Whether all seeds passed.
  func run() throws -> Bool {
    let started = Date()
    try runWorkers()
    return state.withLock { state in
      printReport(state, seconds: Date().timeIntervalSince(started))
      return state.failures.isEmpty && state.brokenWorkers.isEmpty
    }
  }

  private func runWorkers() throws {
    let failure = Mutex<(any Error)?>(nil)
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in
      do {
        while let seeds = self.takeSeeds() { try self.work(seeds) }
      } catch {
        failure.withLock { $0 = error }
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// Returns the next seeds; nil if there are none left.
  private func takeSeeds() -> ClosedRange<UInt64>? {
    state.withLock { state in
      guard let first = state.next, first <= range.upperBound else { return nil }
      let last = min(first + Self.seedsPerWorker - 1, range.upperBound)
      state.next = last + 1
      return first...last
    }
  }

  private func work(_ seeds: ClosedRange<UInt64>) throws {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["--seeds", "\(seeds.lowerBound)..\(seeds.upperBound)", "--worker"] + options
    // The iteration order of sets and dictionaries affects the run.
    var environment = ProcessInfo.processInfo.environment
    environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
    process.environment = environment
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    var rest = Data()
    while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
      rest += data
      while let end = rest.firstIndex(of: 10) {
        take(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
        rest = Data(rest[(end + 1)...])
      }
    }
    process.waitUntilExit()
    guard process.terminationStatus != 0 else { return }
    state.withLock { $0.brokenWorkers.append(process.terminationStatus) }
  }

  private func take(_ line: String) {
    guard let line = WorkerLine(Substring(line)) else { return print(line) }
    switch line {
    case .text(let text): print(text)
    case .count(let name, let number): state.withLock { $0.report.count(name, number) }
    case .done(_, nil): state.withLock { $0.passed += 1 }
    case .done(let seed, let failure?):
      print("seed \(seed) FAILED: \(failure)")
      state.withLock { $0.failures[seed] = failure }
    }
  }

  private func printReport(_ state: State, seconds: Double) {
    for (name, number) in state.report.counts.sorted(by: { $0.key < $1.key }) { print("\(name): \(number)") }
    if !state.failures.isEmpty {
      print("failing seeds: \(state.failures.keys.sorted().map(String.init).joined(separator: " "))")
    }
    for status in state.brokenWorkers { print("a worker ended with status \(status)") }
    print("\(state.passed) passed, \(state.failures.count) failed, \(Int(seconds)) s")
  }
}
