// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FlexSyncTransport
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncServer

@Suite("Apps with threads of their own")
struct AppThreadTests {
  private static let otherID = "other-abcde"
  private static let everything = #"{"Task":"(TRUEPREDICATE)"}"#
  private static let logInPath = "/app/\(otherID)/auth/providers/anon-user/login"

  /// Runs `body` with a server of two apps, and stops the server.
  private func withServer(_ body: (Harness) throws -> Void) throws {
    let other = SmallApp(isDevelopmentMode: true)
    other.folder.write(#"{"app_id":"\#(Self.otherID)"}"#, to: "root_config.json")
    let harness = try Harness {
      $0.appsHaveThreads = true
      $0.appDirectories.append(other.path)
    }
    let result = Result { try body(harness) }
    var isStopped = false
    harness.server.stop { isStopped = true }
    try harness.run(until: { isStopped }, "end of the server")
    try result.get()
  }

  /// Keeps the thread of the other app busy until the semaphore is signalled.
  private func keepBusy(_ harness: Harness) throws -> DispatchSemaphore {
    let gate = DispatchSemaphore(value: 0)
    try #require(harness.server.threads[Self.otherID]).run { _ in gate.wait() }
    return gate
  }

  /// Sends a request without waiting for its answer.
  private func logIn(_ harness: Harness, _ completion: @escaping (Int) -> Void) throws -> PendingOperation {
    let url = try WebURL(parsing: "http://\(harness.server.endpoint)/api/client/v2.0\(Self.logInPath)")
    return HTTPClient(loop: harness.loop).send(HTTPClientRequest(method: "POST", url: url)) { result in
      if case .success(let response) = result { completion(response.status) }
    }
  }

  private func client(_ harness: Harness) throws -> SyncClient {
    let client = try SyncClient(harness, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(Self.everything)
    try client.synchronize()
    return client
  }

  @Test("While one app is busy, its location and everything of another app are served")
  func busy() throws {
    try withServer { harness in
      let (writer, reader) = (try client(harness), try client(harness))
      let gate = try keepBusy(harness)
      defer { gate.signal() }
      var status: Int?
      _ = try logIn(harness) { status = $0 }
      // What needs no app.
      for appID in [Self.otherID, Harness.appID] {
        #expect(try harness.request("GET", "/app/\(appID)/location").status == 200)
      }
      #expect(try harness.request("GET", "/app/unknown-abcde/location").status == 404)
      #expect(try harness.request("GET", "/auth/profile", token: "forged").status == 401)
      // What needs the other app: log-ins, tokens, a new connection, and a write that others see.
      let tokens = try harness.logIn()
      #expect(try harness.request("GET", "/auth/profile", token: tokens.access).status == 200)
      try writer.write(TaskTracker.newTask(1, assignee: nil))
      try writer.synchronize()
      try reader.synchronize()
      #expect(try reader.objects.contents(of: "Task").count == 1)
      #expect(try client(harness).objects.contents(of: "Task").count == 1)
      #expect(status == nil)
      gate.signal()
      try harness.run(until: { status != nil }, "the busy app's answer")
      #expect(status == 200)
    }
  }

  @Test("A client that goes while its app is busy leaves nothing behind")
  func gone() throws {
    try withServer { harness in
      let gate = try keepBusy(harness)
      defer { gate.signal() }
      var statuses: [Int] = []
      let first = try logIn(harness) { statuses.append($0) }
      #expect(try harness.request("GET", "/app/\(Self.otherID)/location").status == 200)
      first.cancel()
      #expect(try harness.request("GET", "/app/\(Self.otherID)/location").status == 200)
      _ = try logIn(harness) { statuses.append($0) }
      #expect(try harness.request("GET", "/app/\(Self.otherID)/location").status == 200)
      gate.signal()
      try harness.run(until: { !statuses.isEmpty }, "the busy app's answer")
      #expect(statuses == [200])
    }
  }

  @Test("A token is good for its own app only")
  func tokens() throws {
    try withServer { harness in
      let tokens = try harness.tokens(try harness.request("POST", Self.logInPath))
      #expect(try harness.request("GET", "/auth/profile", token: tokens.access).status == 200)
      #expect(try harness.request("GET", "/auth/profile", token: tokens.refresh).status == 401)
      let link = "/app/\(Harness.appID)/auth/providers/anon-user/login?link=true"
      let answer = try harness.request("POST", link, token: tokens.access)
      #expect(answer.json?["error_code"]?.stringValue == "InvalidSession")
      #expect(throws: Harness.TimeoutError.self) { try harness.connect(tokens) }
    }
  }

  @Test("What was acknowledged is there after a stop and a start")
  func restart() throws {
    try withServer { harness in
      let writer = try client(harness)
      try writer.write(TaskTracker.newTask(1, assignee: nil))
      try writer.synchronize()
      try harness.restart()
      #expect(try client(harness).objects.contents(of: "Task").count == 1)
      harness.server.reload()
      try writer.connect()
      try writer.synchronize()
      #expect(writer.failures.isEmpty)
    }
  }

  @Test("All apps that wait are told of a free slot for passwords, and a busy one does not keep it")
  func passwordSlots() {
    let told = LogLines()
    let slots = PasswordSlots(count: 1)
    let first = slots.join { told.logger.info("first") }
    let second = slots.join { told.logger.info("second") }
    #expect(slots.take(for: first))
    #expect(!slots.take(for: second))
    #expect(!slots.take(for: first))
    slots.giveBack()
    #expect(told.text.contains("first") && told.text.contains("second"))
    #expect(slots.take(for: second))
    #expect(!slots.take(for: nil))
    slots.giveBack()
    #expect(slots.take(for: nil))
  }

  @Test("Only so much waits for a thread; what is dropped makes room")
  func boundedQueue() {
    let queue = BoundedQueue(capacity: 2)
    let first = queue.enter()
    var second = queue.enter()
    #expect(first != nil && second != nil)
    #expect(queue.enter() == nil)
    first?.leave()
    first?.leave()
    let third = queue.enter()
    #expect(third != nil)
    #expect(queue.enter() == nil)
    second = nil
    #expect(queue.enter() != nil)
  }
}
