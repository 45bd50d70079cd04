// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A process that is spoken to in lines. What it writes to standard error goes to a file.
final class ChildProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var received: [UInt8] = []

  init(_ executable: String, _ arguments: [String], errors: String) throws {
    let log = try FileHandle(appendingTo: errors)
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = log
    try process.run()
    try log.close()
  }

  func send(_ line: String) throws {
    var bytes = Array((line + "\n").utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes {
        write(input.fileHandleForWriting.fileDescriptor, $0.baseAddress, $0.count)
      }
      guard count > 0 else { throw ended }
      bytes = bytes.dropFirst(count)
    }
  }

  /// The next line of its output.
  func readLine(within seconds: Double) throws -> String {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received.removeSubrange(...end) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      let rest = deadline.timeIntervalSinceNow
      var waiting = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
      guard rest > 0, poll(&waiting, 1, Int32(rest * 1000) + 1) > 0 else {
        throw InteropError("no answer within \(Int(seconds)) s")
      }
      try receive()
    }
  }

  private func receive() throws {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = read(output.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
    guard count > 0 else { throw ended }
    received += buffer[..<count]
  }

  private var ended: InteropError {
    process.waitUntilExit()
    let how = process.terminationReason == .uncaughtSignal ? "signal" : "status"
    return InteropError("the process has ended with \(how) \(process.terminationStatus)")
  }

  /// `kill -9`.
  func kill() {
    guard process.isRunning else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

extension FileHandle {
  /// A file that is created if need be, and written to at its end.
  convenience init(appendingTo path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw InteropError("\(path) cannot be written") }
    self.init(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}
