// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A `flexsyncd serve` in a process of its own, on a free port.
final class ServerProcess {
  let process = Process()
  /// What the server has written to its log so far, up to the line that says where it listens, or to its end.
  private(set) var log = ""
  /// Where the server listens; nil if it ended before.
  private(set) var address: String?
  private let output = Pipe()

  /// Starts the server, and waits until it listens or ends.
  init(app: SmallApp, data: String) throws {
    process.executableURL = ServerProcess.program
    process.arguments = ["serve", "--app", app.path, "--data", data, "--listen", "127.0.0.1:0"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = output
    try process.run()
    while address == nil, read() {
      address = log.firstMatch(of: /listening on ([0-9.]+:[0-9]+)/).map { String($0.1) }
    }
    // The pipe must not fill up.
    output.fileHandleForReading.readabilityHandler = {
      if $0.availableData.isEmpty { $0.readabilityHandler = nil }
    }
    if address == nil { process.waitUntilExit() }
  }

  deinit { terminate() }

  /// `flexsyncd`, next to the tests.
  static var program: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("flexsyncd")
  }

  /// Sends SIGTERM, and waits for the end.
  ///
  /// - Returns: After how many seconds the process ended.
  @discardableResult
  func terminate() -> Double {
    let start = ContinuousClock.now
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    return (ContinuousClock.now - start) / .seconds(1)
  }

  /// - Returns: Whether there was more to read.
  private func read() -> Bool {
    let bytes = output.fileHandleForReading.availableData
    log += String(decoding: bytes, as: UTF8.self)
    return !bytes.isEmpty
  }
}
