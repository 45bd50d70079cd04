// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// A client of another make, which speaks the language of ./README.md.
final class PeerParticipant: Participant {
  let name: String
  let increments: Bool
  /// Whether the file is where an app has it, and what was not uploaded is kept in a client reset.
  var isApp = false
  private let executable: String
  private let server: any SyncAddress
  private let folder: String
  private let trace: Trace
  private var process: ChildProcess?
  /// How many reverted writes were told since the process was started.
  var toldErrorCount = 0

  init(_ name: String, executable: String, increments: Bool, server: any SyncAddress, folder: String) throws {
    self.name = name
    self.increments = increments
    self.executable = executable
    self.server = server
    self.folder = folder
    trace = try Trace(path: "\(folder)/\(name).trace")
  }

  func start() throws {
    try start(["--email", "\(name)@example.com", "--password", "password", "--register"])
  }

  func start(_ login: [String]) throws {
    let place =
      isApp
      ? ["--realm", "-", "--data-dir", "\(folder)/\(name)", "--reset-mode", "recover"]
      : ["--realm", "\(folder)/\(name).realm"]
    let arguments =
      ["--base-url", server.url, "--app-id", "tasktracker-abcde"] + place + login
    let process = try ChildProcess(executable, arguments, errors: "\(folder)/\(name).log")
    self.process = process
    toldErrorCount = 0
    while try event(of: process)["ev"] != "opened" {}
  }

  func kill() {
    trace.note("!", "killed")
    process?.kill()
    process = nil
  }

  func subscribe(to classes: [String]) throws {
    for name in classes { try command("sub all-\(name) \(name)") }
    try command("commit-subs")
    try command("wait-subs")
  }

  func suspend() throws { try command("pause") }
  func resume() throws { try command("resume") }
  func begin() throws { try command("begin") }
  func commit() throws { try command("commit") }
  func synchronize() throws {
    // A peer that saw the server end a few times may wait for minutes before it tries again.
    try command("reconnect")
    try command("sync")
  }
  func apply(_ change: JSON) throws { try command(PeerLanguage.command(for: change)) }

  func objects(of className: String) throws -> [JSON] {
    try command("dump \(className)").filter { $0["ev"] == nil }
  }

  /// The events until the command is done, that it is done included.
  @discardableResult
  func command(_ text: String) throws -> [JSON] {
    guard let process else { throw InteropError("\(name) is not running") }
    trace.note(">", text)
    do {
      try process.send(text)
      var events: [JSON] = []
      while true {
        let event = try event(of: process)
        events.append(event)
        if event["ev"] == "done" { return events }
      }
    } catch {
      throw InteropError("\(name) at '\(text)': \(error)")
    }
  }

  private func event(of process: ChildProcess) throws -> JSON {
    let line = try process.readLine(within: 70)
    trace.note("<", line)
    let event = try JSON.parse(line)
    if event["ev"] == "end" { throw InteropError("it ended: \(event["why"]?.stringValue ?? line)") }
    if event["ev"] == "sync-error", event["fatal"] == true { throw InteropError("sync failed: \(line)") }
    return event
  }
}
