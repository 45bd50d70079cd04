// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

/// Plays a conformance scenario through the Swift layer and prints its transcript. See ../README.md.
@main
@MainActor
struct ConformanceDriver {
  private let server: String
  private let appId: String
  private let data: URL
  private let control: String
  private var devices: [String: Device] = [:]
  /// The apps in which there are users, by device, until it is closed.
  private var apps: [String: App] = [:]
  private let accounts = Accounts()
  private let reverted = RevertedWrites()

  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 6 else {
      stop("usage: \(arguments[0]) SCENARIO|- SERVER APP DATA SERVER_CONTROL")
    }
    do {
      var driver = ConformanceDriver(
        server: arguments[2],
        appId: arguments[3],
        data: URL(fileURLWithPath: arguments[4]),
        control: arguments[5]
      )
      if arguments[1] == "-" {
        try await driver.playInput()
      } else {
        try await driver.playFile(arguments[1])
      }
    } catch {
      stop("conformance: \(error)")
    }
  }

  private static func stop(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(2)
  }

  private init(server: String, appId: String, data: URL, control: String) {
    self.server = server
    self.appId = appId
    self.data = data
    self.control = control
  }

  private mutating func playFile(_ path: String) async throws {
    let scenario = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
    guard let scenario = scenario as? [String: Any] else { throw ScenarioError("a scenario is an object") }
    for step in Step(scenario).steps("steps") { try await play(step) }
  }

  /// Plays the steps that come in, one a line, and says after each that it is done.
  private mutating func playInput() async throws {
    while let line = readLine() {
      guard let step = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
        throw ScenarioError("'\(line)' is no step")
      }
      try await play(Step(step))
      print("done")
      fflush(nil)
    }
  }

  private mutating func play(_ step: Step) async throws {
    if try step.required("do") == "server" { return try controlServer(step.required("action")) }
    let name = try step.required("device")
    if try step.required("do") == "open" { return try await open(name, step) }
    if try Accounts.plays(step) {
      let app = try app(of: name)
      return report(name, try await accounts.play(step, app))
    }
    if try step.required("do") == "close" { return close(name) }
    if try step.required("do") == "deleteFiles" { return report(name, try Opening(data, step).deleteFiles()) }
    guard let device = devices[name] else { throw ScenarioError("device '\(name)' is not open") }
    switch try step.required("do") {
    case "errors": await printReverted(name, count: step.number("count"))
    default: report(name, try await device.play(step))
    }
  }

  /// The app of a device, which is opened at its first step.
  private mutating func app(of name: String) throws -> App {
    if let app = apps[name] { return app }
    let configuration = AppConfiguration(baseURL: server, storageDirectory: data.appendingPathComponent(name))
    let app = try App(opening: appId, configuration: configuration)
    let reverted = reverted
    app.syncManager.errorHandler = { error, _ in reverted.collect(error) }
    apps[name] = app
    return app
  }

  private mutating func close(_ name: String) {
    // A realm of Swift is not closed before its transaction has ended.
    if let realm = devices[name]?.realm, realm.isInWriteTransaction { realm.cancelWrite() }
    devices[name] = nil
    apps[name] = nil
    report(name, "closed")
  }

  private mutating func open(_ name: String, _ step: Step) async throws {
    let app = try app(of: name)
    let opening = Opening(data, step)
    do {
      devices[name] = Device(app, try await opening.open(app), data)
      report(name, "opened \(try opening.name)")
    } catch let error as ScenarioError {
      throw error
    } catch {
      report(name, "failed: \(Device.describe(error))")
    }
  }

  private func report(_ device: String, _ text: String) {
    for line in text.split(separator: "\n") { print("\(device): \(line)") }
  }

  private func printReverted(_ device: String, count: Int) async {
    for _ in 0..<1000 where reverted.count < count {
      try? await _Concurrency.Task.sleep(for: .milliseconds(20))
    }
    for line in reverted.take().sorted() { report(device, line) }
  }

  private func controlServer(_ action: String) throws {
    // Not Foundation's Process, which waits for the server that the control script leaves behind.
    guard system("\(control) \(action)") == 0 else {
      throw ScenarioError("the server could not be \(action)ed")
    }
    print("server \(action)ed")
  }
}

/// Reverted writes of all devices, reported on background threads.
final class RevertedWrites: @unchecked Sendable {
  private let lock = NSLock()
  private var lines: [String] = []

  var count: Int { lock.withLock { lines.count } }

  func collect(_ error: any Error) {
    guard let writes = (error as? SyncError)?.compensatingWriteInfo else { return }
    let new = writes.map { write in
      var key = "?"
      if case .objectId(let identifier) = write.primaryKey { key = identifier.stringValue }
      return "reverted \(write.objectType!) \(key): \(write.reason!)"
    }
    lock.withLock { lines += new }
  }

  func take() -> [String] {
    lock.withLock {
      defer { lines = [] }
      return lines
    }
  }
}
