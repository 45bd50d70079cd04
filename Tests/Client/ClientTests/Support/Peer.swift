// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation
import Testing

@testable import FlexSyncCore

/// Another process that has a realm open, and does what it is told: Tests/Processes/Peer.
final class Peer {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  /// Opens a local realm.
  convenience init(local path: String) throws { try self.init(["local", path]) }

  /// Opens the synced realm of a device. The device is one computer, whose processes know the user each for itself.
  convenience init(_ device: Device, folder: String) throws {
    let path = flx_realm_path(try device.realm.handle).text
    let email = try #require(device.email)
    try self.init(["synced", device.url, folder, path, email])
  }

  init(_ arguments: [String]) throws {
    process.executableURL = Self.program
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    #expect(try readLine() == "ready")
  }

  deinit { kill() }

  private static var program: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("process-peer")
  }

  /// Gives a command and returns the answer.
  @discardableResult
  func perform(_ command: String) throws -> String {
    begin(command)
    return try readLine()
  }

  /// Gives a command, whose answer `readLine` will return.
  func begin(_ command: String) { input.fileHandleForWriting.write(Data("\(command)\n".utf8)) }

  func readLine() throws -> String {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread = Data(unread[(end + 1)...]) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else {
        throw Failure(status: .FLX_STATUS_IO, message: "the other process has ended")
      }
      unread += more
    }
  }

  /// Closes the realm, and ends.
  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// `kill -9`. Returns when the process is gone.
  func kill() {
    if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }
}
