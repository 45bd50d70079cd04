// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerStore
import FlexSyncStore
import FlexSyncTestSupport
import FlexSyncTransport
import Foundation
import Testing

@testable import FlexSyncServer

@Suite("The end of the server's process")
struct TerminationTests {
  /// Two seconds are the promise (Docs/Server.md). A loaded machine takes longer to do nothing; who waited for the app would
  /// wait for half a minute.
  private static let patience = 10.0

  private let data = TemporaryFolder()
  private let app = SmallApp(isDevelopmentMode: true)

  /// Turns the loop until something has come true, or for so many seconds.
  private func wait(_ seconds: Double, _ loop: EventLoop, until isOver: () -> Bool) {
    let end = ContinuousClock.now + .seconds(seconds)
    while !isOver(), ContinuousClock.now < end {
      _ = loop.runPending()
      usleep(1_000)
    }
  }

  @Test(
    "SIGTERM ends it in time with status 0, also while an app waits for its file",
    arguments: [false, true]
  )
  func stuckApp(isStuck: Bool) throws {
    let server = try ServerProcess(app: app, data: data.path)
    let address = try #require(server.address, "the server did not start: \(server.log)")
    let url = "http://\(address)/api/client/v2.0/app/\(Harness.appID)"
    let loop = try EventLoop()
    defer {
      loop.stop()
      loop.run()
    }
    let client = HTTPClient(loop: loop)
    func send(_ method: String, _ path: String) throws -> HTTPClientRequest {
      HTTPClientRequest(method: method, url: try WebURL(parsing: url + path))
    }
    var hold: Database?
    if isStuck {
      // Somebody else writes to the file, for example with the shell of SQLite.
      let file = "\(data.path)/\(Harness.appID)/\(DataFolder.storeName)"
      hold = try Database.open(DatabaseConfiguration(location: .file(file), application: .server))
      try hold?.beginWrite()
    }
    var (logIn, location): (Int?, Int?)
    let pending = client.send(try send("POST", "/auth/providers/anon-user/login")) { result in
      logIn = (try? result.get().status) ?? 0
    }
    wait(isStuck ? 0.3 : 30, loop) { logIn != nil }
    _ = client.send(try send("GET", "/location")) { location = (try? $0.get().status) ?? 0 }
    wait(30, loop) { location != nil }
    #expect(location == 200)
    #expect(logIn == (isStuck ? nil : 200))
    #expect(server.terminate() < Self.patience)
    #expect(server.process.terminationReason == .exit && server.process.terminationStatus == 0)
    pending.cancel()
    withExtendedLifetime(hold) {}
  }

  @Test("A server whose data folder is deleted acknowledges no more writes, and ends with an error")
  func deletedData() throws {
    let harness = try Harness()
    try FileManager.default.removeItem(atPath: "\(harness.folder.path)/data")
    let store = try #require(harness.server.apps[Harness.appID]).engine.store
    #expect(throws: StorageError.self) { try store.write { try store.set("lost", to: 1) } }
    let path = "/app/\(Harness.appID)/auth/providers/anon-user/login"
    #expect(try harness.request("POST", path, body: ["provider": "anon-user"]).status == 500)

    let server = try ServerProcess(app: app, data: data.path)
    try #require(server.address != nil, "the server did not start: \(server.log)")
    try FileManager.default.removeItem(atPath: data.path)
    server.process.waitUntilExit()
    #expect(server.process.terminationReason == .exit && server.process.terminationStatus == 1)
  }

  @Test(
    "A server whose log is deleted acknowledges no more writes, and loses nothing that it has acknowledged",
    arguments: ["-wal", "-shm"]
  )
  func deletedLog(suffix: String) throws {
    let harness = try Harness()
    let userID = try harness.logIn().userID
    try FileManager.default.removeItem(atPath: harness.storePath + suffix)
    let store = try #require(harness.server.apps[Harness.appID]).engine.store
    let error = #expect(throws: StorageError.self) { try store.write { try store.set("more", to: 1) } }
    #expect(error?.message.contains("\(harness.storePath + suffix)' was deleted or replaced") == true)
    try harness.restart {
      // As if the process had been killed: nothing is left of the log.
      for file in ["-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: harness.storePath + file)
      }
    }
    let reopened = try #require(harness.server.apps[Harness.appID]).engine.store
    #expect(try reopened.user(id: userID) != nil)
  }

  @Test("A server that has ended leaves everything in the file itself")
  func endWithoutLog() throws {
    let server = try ServerProcess(app: app, data: data.path)
    try #require(server.address != nil, "the server did not start: \(server.log)")
    server.terminate()
    let file = "\(data.path)/\(Harness.appID)/\(DataFolder.storeName)"
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + suffix) }
    #expect(try !Database.isUnfinished(at: file, .server))
  }

  @Test("A server that is told to stop twice ends once, and tells both")
  func twoStops() throws {
    let loop = try EventLoop()
    defer {
      loop.stop()
      loop.run()
    }
    let configuration = ServerConfiguration(
      appDirectories: [app.path],
      dataFolder: data.file("stopped"),
      listenAddress: "127.0.0.1:0",
      logger: LogLines().logger
    )
    let server = try Server(configuration, loop: loop)
    var ends = 0
    for _ in 0..<2 { server.stop { ends += 1 } }
    wait(30, loop) { ends == 2 }
    #expect(ends == 2)
  }
}
