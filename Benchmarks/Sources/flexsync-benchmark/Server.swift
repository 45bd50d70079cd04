// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A `flexsyncd` on loopback with an empty data folder.
struct Server {
  let url: String
  /// The id of the app that clients connect to.
  private(set) var appID = "tasktracker-abcde"
  private let process: Process
  private let pidFile: URL

  var processIdentifier: Int32 { process.processIdentifier }

  /// Runs `work` with its own server and stops the server afterwards.
  ///
  /// - Parameter otherApp: The id of a second app to serve, with the same classes.
  static func run<Result>(
    _ options: Options,
    in folder: URL,
    otherApp: String? = nil,
    _ work: (Server) throws -> Result
  ) throws -> Result {
    var apps = [options.app]
    if let otherApp { apps.append(try copy(options.app, named: otherApp, in: folder)) }
    let server = try Server(options, folder, apps)
    defer { server.stop() }
    return try work(server)
  }

  /// Copies an app directory under a new app id.
  private static func copy(_ app: String, named id: String, in folder: URL) throws -> String {
    let directory = folder.appending(path: "app-\(id)")
    try FileManager.default.copyItem(at: URL(fileURLWithPath: app), to: directory)
    let file = directory.appending(path: "root_config.json")
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    try Data(text.replacing("tasktracker-abcde", with: id).utf8).write(to: file)
    return directory.path
  }

  /// Returns the same server for clients of another app.
  func serving(_ appID: String) -> Server {
    var server = self
    server.appID = appID
    return server
  }

  private init(_ options: Options, _ folder: URL, _ apps: [String]) throws {
    let log = folder.appending(path: "server.log")
    try Data().write(to: log)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: options.server)
    process.arguments =
      ["serve", "--data", folder.appending(path: "server").path, "--listen", "127.0.0.1:0"]
      + apps.flatMap { ["--app", $0] }
    process.standardError = try FileHandle(forWritingTo: log)
    try process.run()
    // Lets Scripts/benchmark kill the server if this program does not run to completion.
    pidFile = folder.appending(path: "server.pid")
    try Data("\(process.processIdentifier)\n".utf8).write(to: pidFile)
    self.process = process
    do {
      url = "http://" + (try Server.address(process, log))
    } catch {
      process.terminate()
      throw error
    }
  }

  /// Waits for the log line with the server's address.
  private static func address(_ process: Process, _ log: URL) throws -> String {
    for _ in 0..<1000 {
      let text = String(decoding: try Data(contentsOf: log), as: UTF8.self)
      if let match = text.firstMatch(of: /listening on (?:https?:\/\/)?(\S+)\n/) { return String(match.1) }
      guard process.isRunning else { throw BenchmarkError("The server did not start:\n\(text)") }
      usleep(10_000)
    }
    throw BenchmarkError("The server did not say where it listens; its log is \(log.path).")
  }

  private func stop() {
    process.terminate()
    process.waitUntilExit()
    // A leftover file is removed with the data folder.
    try? FileManager.default.removeItem(at: pidFile)
  }
}
