// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Another process that has a realm open, and does what it is told: Tests/Processes/Peer.
package final class ProcessPeer {
  /// The other process has ended, which it should not have.
  package struct HasEnded: Error {}

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  /// Opens a local realm.
  package convenience init(local path: String) throws { try self.init(["local", path]) }

  package init(_ arguments: [String]) throws {
    process.executableURL = Self.program
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    guard try readLine() == "ready" else { throw HasEnded() }
  }

  deinit { kill() }

  private static var program: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("process-peer")
  }

  /// Gives a command and returns the answer.
  @discardableResult
  package func perform(_ command: String) throws -> String {
    begin(command)
    return try readLine()
  }

  /// Gives a command, whose answer `readLine` will return.
  package func begin(_ command: String) { input.fileHandleForWriting.write(Data("\(command)\n".utf8)) }

  package func readLine() throws -> String {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread = Data(unread[(end + 1)...]) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else {
        throw HasEnded()
      }
      unread += more
    }
  }

  /// Closes the realm, and ends.
  package func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// `kill -9`. Returns when the process is gone.
  package func kill() {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }
}
