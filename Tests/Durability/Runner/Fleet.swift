// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore
import Foundation

/// A server and the devices that work on its app.
final class Fleet {
  static let devices = 1...3

  private let programs: URL
  private let app: URL
  let folder: URL
  /// Whether the devices are processes of one device, with one realm.
  let isShared: Bool
  private var address = "127.0.0.1:0"
  private var server: Child?
  private var workers: [Int: Child] = [:]
  private var serverCount = 0
  private var auditCount = 0
  /// How often processes were killed, and at which points.
  private(set) var killCount = 0

  /// - Parameters:
  ///   - programs: where the executables are.
  ///   - app: the app directory.
  ///   - folder: for all data; empty.
  ///   - isShared: whether the devices are processes of one device, with one realm.
  init(programs: URL, app: URL, folder: URL, isShared: Bool) throws {
    (self.programs, self.app, self.folder, self.isShared) = (programs, app, folder, isShared)
    for number in 0...Self.devices.upperBound {
      try FileManager.default.createDirectory(at: deviceFolder(number), withIntermediateDirectories: true)
    }
  }

  /// Kills all processes.
  func stop() {
    for worker in workers.values { worker.kill() }
    server?.kill()
  }

  func deviceFolder(_ number: Int) -> URL {
    folder.appendingPathComponent("device-\(isShared ? min(number, 1) : number)")
  }

  // MARK: Processes

  private func log(_ name: String) -> URL { folder.appendingPathComponent("\(name).log") }

  /// Starts the server, on the same port as before.
  ///
  /// - Returns: nil if it has died of its crash point already.
  private func launchServer(crashPoint: String? = nil) throws -> Child? {
    serverCount += 1
    let log = log("server-\(serverCount)")
    let arguments = [
      "serve", "--app", app.path, "--data", folder.appendingPathComponent("server").path, "--listen", address,
    ]
    let program = programs.appendingPathComponent("flexsyncd")
    let server = try Child(program, arguments, name: "the server", log: log, crashPoint: crashPoint)
    let deadline = Date(timeIntervalSinceNow: 15)
    while Date() < deadline {
      if let address = listeningAddress(log) {
        self.address = address
        return server
      }
      if server.wasKilled, crashPoint != nil { return nil }
      guard server.isRunning else { break }
      usleep(2000)
    }
    throw server.failure("does not listen")
  }

  private func listeningAddress(_ log: URL) -> String? {
    guard let text = try? String(contentsOf: log, encoding: .utf8),
      let range = text.range(of: #"listening on [0-9.]+:[0-9]+"#, options: .regularExpression)
    else { return nil }
    return String(text[range].dropFirst("listening on ".count))
  }

  func startServer() throws { server = try launchServer() }

  private func device(_ number: Int, _ arguments: [String], folder: URL? = nil, crashPoint: String? = nil)
    throws
    -> Child
  {
    let place = folder ?? deviceFolder(number)
    return try Child(
      programs.appendingPathComponent("durability-device"),
      ["http://\(address)", place.path, "\(number)"] + arguments,
      name: "device \(number) (\(arguments[0]))",
      log: log("device-\(number)"),
      crashPoint: crashPoint
    )
  }

  /// Makes what all devices share.
  func prepare() throws { try device(1, ["prepare"]).waitUntilDone(seconds: 30) }

  func startWorking(_ number: Int, seed: UInt32) throws {
    workers[number] = try device(number, [isShared ? "share" : "work", "\(seed)"])
  }

  // MARK: Killing

  /// Kills the server and starts it again.
  func killServer() throws {
    server?.kill()
    killCount += 1
    try startServer()
  }

  /// Kills a device and starts it again.
  func killDevice(_ number: Int, seed: UInt32) throws {
    try checkWorking(number)
    workers[number]?.kill()
    killCount += 1
    try startWorking(number, seed: seed)
  }

  /// Kills a process, starts it again so that it dies at a point, and starts it once more.
  func crash(at point: CrashPoint, pass: Int, device number: Int, seed: UInt32) throws {
    let plan = "\(point):\(pass)"
    killCount += 2
    do {
      if "\(point)".hasPrefix("server") {
        server?.kill()
        try launchServer(crashPoint: plan)?.waitUntilKilled(seconds: 60)
        try startServer()
      } else {
        try checkWorking(number)
        workers[number]?.kill()
        let device = try device(number, ["work", "\(seed)"], crashPoint: plan)
        try device.waitUntilKilled(seconds: 60)
        try startWorking(number, seed: seed &+ 1)
      }
    } catch let failure as TestFailure {
      throw TestFailure("at \(plan): \(failure)")
    }
  }

  private func checkWorking(_ number: Int) throws {
    if let worker = workers[number], !worker.isRunning { throw worker.failure("has ended by itself") }
  }

  // MARK: Verifying

  /// Ends all work, lets everything arrive, and collects what is where: the server's objects under 0.
  func settle() throws -> [Int: Report] {
    for number in Self.devices {
      try checkWorking(number)
      workers.removeValue(forKey: number)?.kill()
    }
    try run { try self.device($0, ["settle"]) }
    auditCount += 1
    let auditFolder = folder.appendingPathComponent("audit-\(auditCount)")
    try FileManager.default.createDirectory(at: auditFolder, withIntermediateDirectories: true)
    let auditor = try device(0, ["report", reportFile(0).path], folder: auditFolder)
    try run { try self.device($0, ["report", self.reportFile($0).path]) }
    try auditor.waitUntilDone(seconds: 40)
    var reports: [Int: Report] = [:]
    for number in [0] + Self.devices { reports[number] = try Report(reportFile(number)) }
    return reports
  }

  /// What a device has noted behind its commits.
  func noted(_ number: Int) throws -> Int {
    let journal = try Data(contentsOf: deviceFolder(number).appendingPathComponent("journal-\(number)"))
    return journal.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private func reportFile(_ number: Int) -> URL { folder.appendingPathComponent("report-\(number)") }

  /// Runs a program on all devices at once.
  private func run(_ start: (Int) throws -> Child) throws {
    let children = try Self.devices.map(start)
    for child in children { try child.waitUntilDone(seconds: 70) }
  }
}
