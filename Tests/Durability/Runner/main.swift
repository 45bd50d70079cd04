// SPDX-License-Identifier: Apache-2.0
//
// Kills a server and three devices with `kill -9`, at each crash point and at random times, and checks that nothing that
// was committed is lost or done twice, and that all end up equal:
//
//   durability-runner PROGRAMS APP FOLDER SEED MINUTES [shared]
//
// With 0 minutes each crash point is reached once, with random kills in between. With "shared" the devices are processes
// that have one realm open, of which one syncs, and which are killed at random only.

import FlexSyncStore
import FlexSyncTestSupport
import Foundation

/// Prints a line at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// What is done to a fleet.
struct DurabilityTest {
  let fleet: Fleet
  var random: SeededGenerator

  private mutating func anyDevice() -> Int { Int.random(in: Fleet.devices, using: &random) }

  private mutating func anySeed() -> UInt32 { UInt32.random(in: 0...UInt32.max, using: &random) }

  private mutating func pause(upTo seconds: Double) {
    usleep(UInt32(Double.random(in: 0...seconds, using: &random) * 1_000_000))
  }

  mutating func start() throws {
    try fleet.startServer()
    try fleet.prepare()
    try startWorking()
  }

  private mutating func startWorking() throws {
    for number in Fleet.devices { try fleet.startWorking(number, seed: anySeed()) }
  }

  private mutating func crash(at point: CrashPoint, passes: Int) throws {
    // A server compacts once, when it starts.
    let pass = point == .serverInsideCompaction ? 1 : Int.random(in: 1...passes, using: &random)
    try fleet.crash(at: point, pass: pass, device: anyDevice(), seed: anySeed())
  }

  mutating func crashEverywhere() throws {
    for point in CrashPoint.allCases.shuffled(using: &random) { try crash(at: point, passes: 2) }
    try verify()
  }

  /// Kills at random for some seconds, and verifies.
  mutating func killRandomly(seconds: Double) throws {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while Date() < deadline {
      pause(upTo: 1.5)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: try fleet.killServer()
      case 1: try fleet.killDevice(anyDevice(), seed: anySeed())
      // Only the process that syncs reaches most crash points.
      case _ where fleet.isShared: try fleet.killDevice(anyDevice(), seed: anySeed())
      default:
        guard let point = CrashPoint.allCases.randomElement(using: &random) else { break }
        try crash(at: point, passes: 6)
      }
    }
    try verify()
    try startWorking()
  }

  private func verify() throws {
    let reports = try fleet.settle()
    var noted: [Int: Int] = [:]
    for number in Fleet.devices { noted[number] = try fleet.noted(number) }
    let verification = try Verification(reports, noted: noted)
    guard verification.problems.isEmpty else {
      throw TestFailure(verification.problems.joined(separator: "\n"))
    }
    let writes = verification.server.writers.values.reduce(0, +)
    print(
      "ok: \(fleet.killCount) kills so far, \(writes) transactions are there exactly once, all devices agree"
    )
  }
}

let arguments = CommandLine.arguments
let isShared = arguments.last == "shared"
guard arguments.count == (isShared ? 7 : 6), let seed = UInt64(arguments[4]),
  let minutes = Double(arguments[5])
else {
  say("usage: durability-runner PROGRAMS APP FOLDER SEED MINUTES [shared]")
  exit(2)
}
say("seed \(seed)")
let places = arguments[1...3].map { URL(fileURLWithPath: $0) }
let fleet = try Fleet(programs: places[0], app: places[1], folder: places[2], isShared: isShared)
do {
  var test = DurabilityTest(fleet: fleet, random: SeededGenerator(seed: seed))
  try test.start()
  let deadline = Date(timeIntervalSinceNow: minutes * 60)
  repeat {
    if minutes == 0, !isShared { try test.crashEverywhere() } else { try test.killRandomly(seconds: 20) }
  } while Date() < deadline
  fleet.stop()
} catch {
  fleet.stop()
  say("FAILED with seed \(seed): \(error)")
  exit(1)
}
