// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// A FlexSync client: a driver of Tests/Conformance, which is told steps.
final class FlexSyncParticipant: Participant {
  let name: String
  let increments: Bool
  /// Whether a client reset keeps what was not uploaded; without it the device is left to the program.
  var recovers = false
  private let user: String
  private let executable: String
  private let server: any SyncAddress
  private let folder: String
  private let trace: Trace
  private var process: ChildProcess?

  /// - Parameter user: who logs in; by default one who is called like the device.
  init(
    _ name: String,
    user: String? = nil,
    executable: String,
    increments: Bool,
    server: any SyncAddress,
    folder: String
  ) throws {
    self.name = name
    self.user = user ?? name
    self.increments = increments
    self.executable = executable
    self.server = server
    self.folder = folder
    trace = try Trace(path: "\(folder)/\(name).trace")
  }

  func start() throws {
    try startProcess()
    try open()
  }

  /// Starts the process, and leaves it to steps to log in and to open the file.
  func startProcess() throws {
    let arguments = ["-", server.url, "tasktracker-abcde", "\(folder)/\(name)", "/bin/false"]
    process = try ChildProcess(executable, arguments, errors: "\(folder)/\(name).log")
  }

  /// Opens the file of this client; logs in unless somebody is logged in.
  func open() throws {
    var step: [JSON.Member] = [.init("do", "open"), .init("user", .string(user))]
    if recovers { step.append(.init("reset", "recover")) }
    try play(.object(step), expecting: "opened")
  }

  func kill() {
    trace.note("!", "killed")
    process?.kill()
    process = nil
  }

  func subscribe(to classes: [String]) throws {
    let changes = classes.map { JSON.object([.init("add", ["class": .string($0)])]) }
    try play(["do": "update", "changes": .array(changes)], expecting: "version 1 complete")
  }

  func suspend() throws { try play(["do": "suspend"], expecting: "suspended") }
  func resume() throws { try play(["do": "resume"], expecting: "resumed") }
  func begin() throws { try play(["do": "begin"], expecting: "began") }
  func commit() throws { try play(["do": "commit"], expecting: "committed") }
  func synchronize() throws { try play(["do": "sync"], expecting: "in sync") }

  func apply(_ change: JSON) throws {
    try play(["do": "write", "changes": [change]], expecting: "wrote")
  }

  func objects(of className: String) throws -> [JSON] {
    let line = try play(["do": "objects", "class": .string(className)], expecting: "[")
    return try JSON.parse(line).arrayValue ?? []
  }

  func play(_ step: JSON) throws -> [String] {
    guard let process, case .object(let members) = step else { throw InteropError("\(name) is not running") }
    let named = members.filter { $0.name != "device" } + [.init("device", .string(name))]
    let text = JSON.object(named).serialized
    trace.note(">", text)
    do {
      try process.send(text)
      var lines: [String] = []
      while true {
        let line = try process.readLine(within: 60)
        if line == "done" { return lines }
        trace.note("<", line)
        lines.append(String(line.dropFirst(name.count + 2)))
      }
    } catch {
      throw InteropError("\(name) at \(text): \(error)")
    }
  }

  /// Plays a step that is answered in one line.
  @discardableResult
  func play(_ step: JSON, expecting beginning: String) throws -> String {
    let answer = try play(step).last ?? ""
    guard answer.hasPrefix(beginning) else {
      throw InteropError("\(name) at \(step.serialized): it answered '\(answer)'")
    }
    return answer
  }
}
