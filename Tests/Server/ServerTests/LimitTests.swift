// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncModel
import FlexSyncScheduling
import FlexSyncTestSupport
import FlexSyncTransport
import FlexSyncWire
import Testing

@testable import FlexSyncConfiguration
@testable import FlexSyncEngine
@testable import FlexSyncServerSupport

@Suite("Limits of what clients may ask for")
struct LimitTests {
  private static let everything = #"{"Task":"(TRUEPREDICATE)"}"#

  private func harness(_ limits: String..., limitsLoopback: Bool = false) throws -> Harness {
    var values = ServerLimits()
    for limit in limits { try values.apply(limit) }
    return try Harness { configuration in
      configuration.limits = values
      configuration.limitsLoopback = limitsLoopback
    }
  }

  private func client(_ harness: Harness, tokens: Harness.Tokens? = nil) throws -> SyncClient {
    let client = try SyncClient(harness, tokens: tokens, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(Self.everything)
    try client.synchronize()
    return client
  }

  // MARK: Command line and documentation

  @Test("Limits are written as NAME=VALUE, with binary units")
  func parsing() throws {
    var limits = ServerLimits()
    try limits.apply("changeset-bytes=4MiB")
    try limits.apply("query-bytes=1000")
    try limits.apply("connections-per-address=0")
    #expect(
      limits.changesetByteCount == 4 << 20 && limits.queryByteCount == 1000
        && limits.connectionsPerAddress == 0
    )
  }

  @Test(
    "What is wrong with a limit is said",
    arguments: [
      ("nothing", #"the limit "nothing" has no value; write it as NAME=VALUE"#),
      ("sessions=1", #"unknown limit "sessions"; the limits are message-bytes, "#),
      (
        "query-bytes=many",
        #"the limit query-bytes is "many"; it must be a whole number, optionally followed by KiB"#
      ),
      ("query-bytes=-1", "it must be a whole number"),
      ("query-bytes=1GiB", "the limit query-bytes is 1GiB; it must be from 256 to 256KiB"),
      ("upload-burst-bytes=99999999999GiB", "it must be a whole number"),
    ]
  )
  func malformed(text: String, message: String) {
    var limits = ServerLimits()
    let error = #expect(throws: ServerError.self) { try limits.apply(text) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test("A transaction that the server accepts must fit into a message")
  func messagesOfTransactions() throws {
    var limits = ServerLimits()
    try limits.check()
    try limits.apply("message-bytes=64KiB")
    let error = #expect(throws: ServerError.self) { try limits.check() }
    let message = "message-bytes (65536) must exceed changeset-bytes (16777208)"
    #expect(error?.description.contains(message) == true)
    try limits.apply("changeset-bytes=63KiB")
    try limits.check()
  }

  @Test("The documentation has every limit with its default")
  func documentation() throws {
    let text = String(
      decoding: try FileSystem.contents(of: "\(PackageFolder.root)/Docs/Operations.md"),
      as: UTF8.self
    )
    for limit in ServerLimit.all {
      #expect(text.contains("| `\(limit.name)` | \(limit.standard) |"), "\(limit.name)=\(limit.standard)")
    }
  }

  // MARK: Sessions and queries

  @Test("A user with too many sessions has to wait, and others do not")
  func sessions() throws {
    let harness = try harness("sessions-per-user=2")
    let tokens = try harness.logIn()
    let first = try client(harness, tokens: tokens)
    let second = try client(harness, tokens: tokens)
    let connection = try harness.connect(tokens)
    connection.send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: true)))
    try harness.run(until: { !connection.errors.isEmpty }, "error")
    let error = try #require(connection.errors.first)
    #expect(error.code == .otherSessionError && error.session == 1 && error.info.action == .warning)
    #expect(error.info.tryAgain && error.info.backoff?.initialSeconds == 10)
    #expect(error.info.message.hasPrefix("LimitsExceeded: the user has too many concurrent sessions"))
    _ = try client(harness)
    try first.synchronize()
    // When one has ended there is room.
    second.disconnect()
    connection.send(.unbind(1))
    try harness.run(
      until: {
        connection.send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: true)))
        let count = connection.errors.count + connection.idents.count
        try harness.run(until: { connection.errors.count + connection.idents.count > count }, "answer")
        if connection.idents.isEmpty { connection.send(.unbind(1)) }
        return !connection.idents.isEmpty
      },
      "ident"
    )
  }

  // Feature 111, 177
  @Test(
    "A query that is too long is refused with LimitsExceeded, and the session goes on"
  )
  func query() throws {
    let harness = try Harness()
    let client = try client(harness)
    let long = String(repeating: "x", count: 256 << 10)
    client.subscribe(#"{"Task":"(assignee == \"\#(long)\")"}"#)
    try client.synchronize()
    let message = try #require(client.queryErrors.values.first)
    #expect(message.hasPrefix(#"LimitsExceeded: query for table "Task" has"#))
    #expect(message.hasSuffix("a query may have at most 262144 bytes"))
    #expect(client.isConnected && client.queryBody == Self.everything)
    let errors = try #require(client.connection).queryErrors
    #expect(errors.map(\.code) == [.limitsExceeded])
  }

  @Test("A shorter limit of queries is kept, too")
  func shortQuery() throws {
    let harness = try harness("query-bytes=300")
    let client = try client(harness)
    client.subscribe(#"{"Task":"(assignee == \"\#(String(repeating: "x", count: 300))\")"}"#)
    try client.synchronize()
    #expect(client.queryErrors.values.first?.hasSuffix("at most 300 bytes") == true)
  }

  @Test("A set of too many subscriptions is refused with LimitsExceeded")
  func subscriptions() throws {
    let harness = try harness("subscriptions-per-set=10")
    let client = try client(harness)
    func body(_ count: Int) -> String {
      let queries = (1...count).map { "(progressMinutes == \($0))" }.joined(separator: " OR ")
      return #"{"Task":"\#(queries)","Team":"(TRUEPREDICATE)"}"#
    }
    client.subscribe(body(9))
    try client.synchronize()
    #expect(client.queryErrors.isEmpty)
    client.subscribe(body(10))
    try client.synchronize()
    #expect(
      client.queryErrors.values.map { $0 } == [
        "LimitsExceeded: the subscriptions consist of 11 conditions joined with OR; at most 10 are allowed"
      ]
    )
    #expect(client.queryBody == body(9))
  }

  @Test("Subscriptions that are too long together are refused before they are read, and the session goes on")
  func queryBody() throws {
    let harness = try harness("query-bytes=8KiB")
    let client = try client(harness)
    client.subscribe(String(repeating: " ", count: 64 << 10))
    try client.synchronize()
    #expect(client.queryErrors.values.first?.contains("not JSON") == true)
    client.subscribe(String(repeating: " ", count: 64 << 10 + 1))
    try client.synchronize()
    let latest = client.queryErrors.max { $0.key < $1.key }?.value
    #expect(
      latest
        == "LimitsExceeded: the subscriptions have 65537 bytes; the server accepts at most 65536. Use fewer or shorter "
        + "subscriptions"
    )
    #expect(client.isConnected && client.queryBody == Self.everything)
  }

  // MARK: Sizes

  @Test("A write transaction beyond the limit ends its session, one within it does not")
  func changeset() throws {
    let harness = try harness("changeset-bytes=4KiB")
    let client = try client(harness)
    try client.write { objects in
      let instructions = TaskTracker.newTask(1, assignee: String(repeating: "a", count: 3000))
      try objects.apply(instructions)
      return instructions
    }
    try client.synchronize()
    #expect(client.failures.isEmpty)
    try client.write { objects in
      let instructions = TaskTracker.newTask(2, assignee: String(repeating: "a", count: 5000))
      try objects.apply(instructions)
      return instructions
    }
    try harness.run(until: { !client.failures.isEmpty }, "error")
    #expect(client.failures.map(\.code) == [.badChangeset])
    #expect(
      client.failures[0].info.message.contains(
        "the server accepts at most 4096 (limit changeset-bytes). Split it"
      )
    )
  }

  @Test(
    "A body that is not what it announces ends its connection, without the memory that it announces",
    arguments: [
      // More than the limit, more than deflate can gain, and no zlib stream at all.
      (1 << 40, 100, 103), (30 << 20, 100, 110), (2000, 100, 110),
    ]
  )
  func decompressionBomb(announced: Int, sent: Int, code: Int) throws {
    let harness = try Harness()
    let bystander = try client(harness)
    let connection = try harness.connect(try harness.logIn())
    connection.send(.bind(BindMessage(session: 1, options: BindOptions(), needsFileIdent: true)))
    try harness.run(until: { !connection.idents.isEmpty }, "ident")
    let head = Array("upload 1 1 \(announced) \(sent) 1 0 0\n".utf8)
    connection.send(raw: head + [UInt8](repeating: 0x78, count: sent))
    try harness.run(until: { connection.isClosed }, "close")
    #expect(connection.errors.map(\.code.rawValue) == [code])
    try bystander.synchronize()
  }

  @Test("An upload of more instructions than allowed ends its session")
  func instructions() throws {
    let harness = try harness("instructions-per-changeset=1000")
    let client = try client(harness)
    let object = TaskTracker.task(1)
    func sets(_ count: Int) -> [Instruction] {
      [.createObject(object)]
        + (1..<count).map { TaskTracker.set("progressMinutes", .int(Int64($0)), of: object) }
    }
    try client.write(sets(1000))
    try client.synchronize()
    #expect(client.failures.isEmpty)
    try client.write(sets(1001))
    try harness.run(until: { !client.failures.isEmpty || client.historyCount == 0 }, "error")
    #expect(client.failures.map(\.code) == [.badChangeset])
    #expect(
      client.failures.first?.info.message.contains(
        "more than 1000 instructions, which is all that the server accepts"
      )
        == true
    )
  }

  @Test("A client whose error has a long text gets back the beginning of it")
  func longClientError() throws {
    let harness = try Harness()
    let client = try client(harness)
    let connection = try #require(client.connection)
    let body = #"{"message":"\#(String(repeating: "x", count: 32 << 10))"}"#
    connection.send(raw: "json_error 212 \(body.utf8.count) 1\n\(body)")
    try harness.run(until: { !connection.errors.isEmpty }, "error")
    let error = try #require(connection.errors.first)
    #expect(error.code == .badClientFile && error.info.message.utf8.count < 2048)
    #expect(error.info.message.hasPrefix("The client could not integrate a download: xxx"))
  }

  @Test("A request with more content than allowed gets status 413")
  func request() throws {
    let harness = try harness("request-bytes=1KiB")
    let path = "/app/\(Harness.appID)/auth/providers/anon-user/login"
    let small = #"{"provider":"anon-user","x":"\#(String(repeating: "x", count: 500))"}"#
    #expect(try harness.request("POST", path, rawBody: small).status == 200)
    #expect(try status(harness, path, String(repeating: " ", count: 1025)) == 413)
  }

  private func status(_ harness: Harness, _ path: String, _ body: String) throws -> Int {
    let request = HTTPClientRequest(
      method: "POST",
      url: try WebURL(parsing: "http://\(harness.server.endpoint)/api/client/v2.0\(path)"),
      headers: [:],
      body: Array(body.utf8)
    )
    var result: Result<HTTPResponse, TransportError>?
    HTTPClient(loop: harness.loop).send(request) { result = $0 }
    try harness.run(until: { result != nil }, "answer")
    return try #require(try result?.get()).status
  }

  // MARK: Connections and rates

  @Test("An address with too many connections gets no more until some have ended")
  func addresses() throws {
    let harness = try harness("connections-per-address=2", limitsLoopback: true)
    let tokens = try harness.logIn()
    let first = try connect(harness, tokens)
    let second = try connect(harness, tokens)
    #expect(throws: (any Error).self) { try harness.connect(tokens) }
    first.drop()
    try harness.run(until: { first.isClosed }, "end")
    let third = try connect(harness, tokens)
    #expect(second.isOpen && third.isOpen)
  }

  /// What has ended for the client may not have for the server yet.
  private func connect(_ harness: Harness, _ tokens: Harness.Tokens) throws -> WireConnection {
    var connection: WireConnection?
    try harness.run(
      until: {
        connection = try? harness.connect(tokens)
        return connection != nil
      },
      "connection"
    )
    return try #require(connection)
  }

  @Test("This machine's own connections, which a proxy may make for all, are not counted")
  func loopback() throws {
    let harness = try harness("connections-per-address=1")
    let tokens = try harness.logIn()
    let connections = try (1...5).map { _ in try harness.connect(tokens) }
    #expect(connections.filter { !$0.isOpen }.isEmpty)
  }

  @Test("What a user uploads beyond the rate is delayed and not lost")
  func uploadRate() throws {
    let harness = try harness("upload-bytes-per-second=64KiB", "upload-burst-bytes=16KiB")
    let author = try client(harness)
    let other = try client(harness)
    let begin = EventLoop.monotonicMilliseconds
    for number in 1...16 as ClosedRange<UInt32> {
      let instructions = TaskTracker.newTask(number, assignee: String(repeating: "a", count: 4096))
      try author.write { objects in
        try objects.apply(instructions)
        return instructions
      }
    }
    // Others are not slowed down.
    try other.write { objects in
      try objects.apply(TaskTracker.newTask(100, assignee: nil))
      return TaskTracker.newTask(100, assignee: nil)
    }
    try other.synchronize()
    #expect(EventLoop.monotonicMilliseconds - begin < 600)
    try author.synchronize()
    // 48 KiB more than the burst.
    #expect(EventLoop.monotonicMilliseconds - begin >= 600)
    #expect(author.failures.isEmpty && author.rejections.isEmpty)
    try other.synchronize()
    #expect(try other.objects.contents(of: "Task").count == 17)
  }

  @Test("Rates are exact, and delays are bounded")
  func loads() throws {
    var limits = ServerLimits()
    try limits.apply("upload-bytes-per-second=100KiB")
    try limits.apply("upload-burst-bytes=100KiB")
    let loads = UserLoads(limits: limits)
    func upload(_ kibibytes: Int, at time: UInt64) -> UInt64 {
      loads.noteUpload(changesets: 1, bytes: (kibibytes << 10) - 256, of: "u", now: time)
    }
    #expect(upload(100, at: 0) == 0)
    #expect(upload(50, at: 0) == 500)
    #expect(upload(50, at: 500) == 500)
    // After a long time the burst is there again, and no more than that.
    #expect(upload(100, at: 100_000) == 0)
    #expect(upload(10, at: 100_000) == 100)
    #expect(upload(1 << 20, at: 100_000) == 60_000)
    #expect(loads.noteUpload(changesets: 0, bytes: 0, of: "u", now: 100_000) == 0)
    #expect(loads.noteUpload(changesets: 1, bytes: 1000, of: "v", now: 100_000) == 0)
  }

  @Test(
    "Sets of subscriptions beyond the rate are delayed and not lost, also on another connection of the user"
  )
  func queryRate() throws {
    var limits = ServerLimits()
    try limits.apply("queries-per-minute=60")
    try limits.apply("query-burst=2")
    let loads = UserLoads(limits: limits)
    #expect((0..<4).map { _ in loads.noteQuery(of: "u", now: 0) } == [0, 0, 1000, 2000])
    #expect(loads.noteQuery(of: "v", now: 0) == 0)
    #expect(loads.noteQuery(of: "u", now: 3000) == 0)
    #expect(loads.noteQuery(of: "u", now: 3000) == 1000)
    for _ in 0..<1000 { _ = loads.noteQuery(of: "u", now: 3000) }
    #expect(loads.noteQuery(of: "u", now: 3000) == 60_000)

    let harness = try harness("queries-per-minute=600", "query-burst=0")
    let tokens = try harness.logIn()
    let begin = EventLoop.monotonicMilliseconds
    let client = try client(harness, tokens: tokens)
    for number in 1...4 { client.subscribe(#"{"Task":"(progressMinutes == \#(number))"}"#) }
    try client.synchronize()
    // The last set counts, and what is sent after they have arrived waits for all of them.
    try client.synchronize()
    #expect(EventLoop.monotonicMilliseconds - begin >= 400)
    #expect(client.failures.isEmpty && client.queryBody == #"{"Task":"(progressMinutes == 4)"}"#)
  }

  @Test("A client that leaves unread what waits for it is disconnected after the configured time")
  func stall() throws {
    let harness = try harness("stall-seconds=1")
    #expect(harness.server.apps[Harness.appID]?.engine.limits.stallMilliseconds == 1000)
  }

  @Test("No more is read from a client than the first message that its session is not ready for")
  func unidentified() throws {
    let harness = try harness()
    let served = try #require(harness.server.apps[Harness.appID])
    let client = try DirectClient(harness, "alice", Self.everything)
    served.engine.runTurn()
    let channel = try client.comeBack(to: harness, "alice", Self.everything)
    #expect(!channel.isPaused)
    channel.put(.mark(session: 1, request: 1))
    #expect(channel.isPaused)
    let isMarked = { channel.received.contains { if case .mark = $0 { true } else { false } } }
    for _ in 0..<20 where !isMarked() { served.engine.runTurn() }
    #expect(isMarked() && !channel.isPaused)
  }
}
