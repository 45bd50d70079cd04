// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A process of the test, whose output goes to a file.
final class Child {
  let name: String
  let logFile: URL
  private let process = Process()

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - name: for messages.
  ///   - crashPoint: where it is to die, as its environment says it.
  init(_ program: URL, _ arguments: [String], name: String, log: URL, crashPoint: String? = nil) throws {
    self.name = name
    logFile = log
    if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
    let output = try FileHandle(forWritingTo: log)
    try output.seekToEnd()
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    var environment = ProcessInfo.processInfo.environment
    environment["FLEXSYNC_CRASH_POINT"] = crashPoint
    process.environment = environment
    try process.run()
  }

  var isRunning: Bool { process.isRunning }

  /// `kill -9`. Returns when the process is gone.
  func kill() {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Whether it has been killed.
  var wasKilled: Bool {
    !process.isRunning && process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
  }

  /// Waits until it dies of its crash point.
  func waitUntilKilled(seconds: Double) throws {
    try wait(seconds: seconds) { !process.isRunning }
    guard wasKilled else { throw failure("ended by itself instead of being killed") }
  }

  /// Waits until it ends well.
  func waitUntilDone(seconds: Double) throws {
    try wait(seconds: seconds) { !process.isRunning }
    guard process.terminationReason == .exit, process.terminationStatus == 0 else { throw failure("failed") }
  }

  private func wait(seconds: Double, until condition: () -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while !condition() {
      guard Date() < deadline else {
        kill()
        throw failure("did not end within \(seconds) s")
      }
      usleep(2000)
    }
  }

  func failure(_ what: String) -> TestFailure {
    let log = (try? String(contentsOf: logFile, encoding: .utf8)) ?? ""
    let lines = log.split(separator: "\n").suffix(20).joined(separator: "\n  ")
    return TestFailure("\(name) \(what). The end of its log:\n  \(lines)")
  }
}

/// Why the test has failed.
struct TestFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
