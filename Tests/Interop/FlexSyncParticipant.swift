// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// A FlexSync client: a driver of Tests/Conformance, which is told steps.
final class FlexSyncParticipant: Participant {
  let name: String
  let increments: Bool
  private let executable: String
  private let server: SyncServer
  private let folder: String
  private let trace: Trace
  private var process: ChildProcess?

  init(_ name: String, executable: String, increments: Bool, server: SyncServer, folder: String) throws {
    self.name = name
    self.increments = increments
    self.executable = executable
    self.server = server
    self.folder = folder
    trace = try Trace(path: "\(folder)/\(name).trace")
  }

  func start() throws {
    let arguments = ["-", server.url, "tasktracker-abcde", "\(folder)/\(name)", "/bin/false"]
    process = try ChildProcess(executable, arguments, errors: "\(folder)/\(name).log")
    try play(["do": "open", "user": .string(name)], expecting: "opened")
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
  private func play(_ step: JSON, expecting beginning: String) throws -> String {
    let answer = try play(step).last ?? ""
    guard answer.hasPrefix(beginning) else {
      throw InteropError("\(name) at \(step.serialized): it answered '\(answer)'")
    }
    return answer
  }
}
