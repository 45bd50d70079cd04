// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

/// A real server in a process of its own, with the example app and empty data.
package final class TestServer {
  package private(set) var url = ""
  package static let appID = "tasktracker-abcde"
  private var process = Process()
  private let folder: TemporaryFolder
  private let appDirectory: String

  /// Where the server puts mails.
  package var mails: URL { folder.file("mails") }

  /// Runs `body` with a server, and ends the server.
  @MainActor
  package static func run(
    app: String = "Examples/TaskTracker",
    _ body: @MainActor (TestServer) async throws -> Void
  ) async throws {
    let server = try TestServer(app: app)
    defer { server.stop() }
    try await body(server)
  }

  private init(app: String) throws {
    appDirectory = app
    folder = try TemporaryFolder()
    try start(listenAddress: "127.0.0.1:0")
  }

  /// The app on a device, which is a folder.
  package func app(_ folder: TemporaryFolder, device: String = "device") -> App {
    App(
      id: TestServer.appID,
      configuration: AppConfiguration(baseURL: url, storageDirectory: folder.file(device))
    )
  }

  /// Keeps a copy of the data, for `restore`.
  package func backUp() throws {
    try whileStopped {
      try FileManager.default.copyItem(at: folder.file("server"), to: folder.file("backup"))
    }
  }

  /// Goes back to the copy of the data: what came later is gone.
  package func restore() throws {
    try whileStopped {
      try FileManager.default.removeItem(at: folder.file("server"))
      try FileManager.default.copyItem(at: folder.file("backup"), to: folder.file("server"))
    }
  }

  /// Runs `flexsyncd users …` beside the server.
  package func administerUsers(_ action: String, _ arguments: String...) throws {
    _ = try runCommand(["users", action, "--data", folder.file("server").path] + arguments)
  }

  /// The lines that `flexsyncd logs …` writes beside the server.
  package func logs(_ arguments: String...) throws -> [String] {
    let data = folder.file("server").path
    let text = try runCommand(["logs", "--app", TestServer.appID, "--data", data] + arguments)
    return text.split(separator: "\n").map(String.init)
  }

  /// Runs the program to its end, and returns what it wrote.
  private func runCommand(_ arguments: [String]) throws -> String {
    let command = Process()
    command.executableURL = Self.program
    command.arguments = arguments
    command.standardInput = FileHandle.nullDevice
    let output = Pipe()
    command.standardOutput = output
    try command.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    command.waitUntilExit()
    guard command.terminationStatus == 0 else { throw CommandFailed(arguments: arguments) }
    return text
  }

  struct CommandFailed: Error {
    let arguments: [String]
  }

  private static var program: URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("flexsyncd")
  }

  /// Runs `body` while nobody can reach the server, and starts it again at the same address.
  package func whileStopped(_ body: () throws -> Void) throws {
    stop()
    try body()
    try start(listenAddress: String(url.dropFirst("http://".count)))
  }

  /// Ends the server, as the end of `run` does.
  package func stop() {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }

  private func start(listenAddress: String) throws {
    process = Process()
    process.executableURL = Self.program
    process.arguments = [
      "serve", "--app", appDirectory, "--data", folder.file("server").path, "--listen", listenAddress,
      "--mail-folder", mails.path,
    ]
    process.standardInput = FileHandle.nullDevice
    // A server that outlives the tests must not keep their output open.
    process.standardOutput = FileHandle.nullDevice
    let log = Pipe()
    process.standardError = log
    try process.run()
    url = "http://" + (try TestServer.address(in: log))
    // The pipe must not fill up. A `readabilityHandler` may crash when its file is closed at the end of the server.
    let output = log.fileHandleForReading
    Thread { while !output.availableData.isEmpty {} }.start()
  }

  private static func address(in log: Pipe) throws -> String {
    var text = ""
    while true {
      let data = log.fileHandleForReading.availableData
      guard !data.isEmpty else { throw ServerDidNotStart(log: text) }
      text += String(decoding: data, as: UTF8.self)
      if let match = text.firstMatch(of: /listening on ([0-9.]+:[0-9]+)/) { return String(match.1) }
    }
  }

  struct ServerDidNotStart: Error {
    let log: String
  }
}
