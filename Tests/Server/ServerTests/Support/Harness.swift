// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncScheduling
import FlexSyncServerStore
import FlexSyncStore
import FlexSyncTestSupport
import FlexSyncTransport
import FlexSyncWire
import Logging
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncEngine
@testable import FlexSyncServer

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A real server on a real socket, and the loop that it shares with the clients of a test.
final class Harness {
  let loop: EventLoop
  let folder = TemporaryFolder()
  private let appDirectory: String
  private let clock: WallClock
  private let limits: DeliveryLimits
  private let accounts: AccountPolicy
  /// What users may see and do, in place of what the app's rules say.
  private let permissions: PermissionTable?
  private let configure: (inout ServerConfiguration) -> Void
  private var running: Server?
  var server: Server {
    guard let running else { preconditionFailure("the server is stopped") }
    return running
  }
  static let appID = "tasktracker-abcde"

  init(
    app: String = PackageFolder.taskTracker,
    clock: WallClock = .system,
    limits: DeliveryLimits = DeliveryLimits(),
    accounts: AccountPolicy = AccountPolicy(),
    permissions: PermissionTable? = nil,
    configure: @escaping (inout ServerConfiguration) -> Void = { _ in }
  ) throws {
    loop = try EventLoop()
    appDirectory = app
    self.clock = clock
    self.limits = limits
    self.accounts = accounts
    self.permissions = permissions
    self.configure = configure
    running = try Harness.makeServer(app, folder.path, clock, limits, accounts, permissions, loop, configure)
  }

  deinit {
    loop.stop()
    loop.run()
  }

  private static func makeServer(
    _ app: String,
    _ folder: String,
    _ clock: WallClock,
    _ limits: DeliveryLimits,
    _ accounts: AccountPolicy,
    _ permissions: PermissionTable?,
    _ loop: EventLoop,
    _ configure: (inout ServerConfiguration) -> Void
  ) throws -> Server {
    var configuration = ServerConfiguration(
      appDirectories: [app],
      dataFolder: "\(folder)/data",
      listenAddress: "127.0.0.1:0",
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    configuration.clock = clock
    configuration.deliveryLimits = limits
    // How much a turn does must not depend on how busy the machine is.
    configuration.deliveryLimits.turn.milliseconds = .max
    configuration.accounts = accounts
    configuration.mailDelivery = .folder(mailFolder(folder))
    configuration.permissions = permissions
    configure(&configuration)
    return try Server(configuration, loop: loop)
  }

  /// Stops the server and starts another one on the same data; the port is another one too.
  ///
  /// - Parameter change: what happens to the data meanwhile.
  func restart(app: String? = nil, after change: () throws -> Void = {}) throws {
    var isStopped = false
    server.stop { isStopped = true }
    try run(until: { isStopped })
    running = nil
    try change()
    running = try Harness.makeServer(
      app ?? appDirectory,
      folder.path,
      clock,
      limits,
      accounts,
      permissions,
      loop,
      configure
    )
  }

  static func mailFolder(_ folder: String) -> String { "\(folder)/mail" }

  /// The sync engine of the app.
  func engine() throws -> SyncEngine { try #require(server.apps[Harness.appID]).engine }

  /// The store's file of the server.
  var storePath: String { "\(folder.path)/data/\(Harness.appID)/data.sqlite" }

  /// Turns the loop until something has come true.
  func run(until condition: () throws -> Bool, _ what: String = "", seconds: Double = Patience.seconds) throws
  {
    let deadline = EventLoop.monotonicMilliseconds + UInt64(seconds * 1000)
    while try !condition() {
      _ = loop.runPending()
      usleep(100)
      guard EventLoop.monotonicMilliseconds < deadline else { throw TimeoutError(what: what) }
    }
  }

  struct TimeoutError: Error, CustomStringConvertible {
    let what: String
    var description: String { "timed out: \(what)" }
  }

  // MARK: HTTP

  struct Answer {
    let status: Int
    let contentType: String?
    let json: JSON?
  }

  func request(
    _ method: String,
    _ path: String,
    token: String? = nil,
    body: JSON? = nil,
    rawBody: String? = nil,
    headers: HTTPHeaders = HTTPHeaders()
  ) throws -> Answer {
    let response = try send(
      method,
      path,
      token: token,
      body: rawBody ?? body?.serialized ?? "",
      headers: headers
    )
    return Answer(
      status: response.status,
      contentType: response.headers["Content-Type"],
      json: response.body.isEmpty ? nil : try JSON.parse(response.body)
    )
  }

  func send(
    _ method: String,
    _ path: String,
    token: String? = nil,
    body: String = "",
    headers: HTTPHeaders = HTTPHeaders()
  ) throws -> HTTPResponse {
    var headers = headers
    headers.append("Content-Type", "application/json;charset=utf-8")
    if let token { headers.append("Authorization", "Bearer \(token)") }
    let url = try WebURL(parsing: "http://\(server.endpoint)/api/client/v2.0\(path)")
    let request = HTTPClientRequest(
      method: method,
      url: url,
      headers: headers,
      body: Array(body.utf8)
    )
    var result: Result<HTTPResponse, TransportError>?
    HTTPClient(loop: loop).send(request) { result = $0 }
    try run(until: { result != nil }, "\(method) \(path)")
    return try #require(try result?.get())
  }

  /// The tokens of a user.
  struct Tokens {
    let userID: String
    let access: String
    let refresh: String
  }

  /// A new anonymous user.
  func logIn() throws -> Tokens {
    let path = "/app/\(Harness.appID)/auth/providers/anon-user/login"
    return try tokens(try request("POST", path, body: ["provider": "anon-user"]))
  }

  func tokens(_ answer: Answer) throws -> Tokens {
    #expect(answer.status == 200)
    return Tokens(
      userID: try #require(answer.json?["user_id"]?.stringValue),
      access: try #require(answer.json?["access_token"]?.stringValue),
      refresh: try #require(answer.json?["refresh_token"]?.stringValue)
    )
  }

  // MARK: Sync

  func webSocketURL(token: String) throws -> WebURL {
    let path = "/api/client/v2.0/app/\(Harness.appID)/realm-sync?baas_at=\(token)"
    return try WebURL(parsing: "ws://\(server.endpoint)\(path)")
  }

  /// Opens a sync connection.
  ///
  /// - Parameter version: the newest version of the protocol that the client speaks.
  func connect(_ tokens: Tokens, version: SyncProtocolVersion = .newest) throws -> WireConnection {
    var outcome: WebSocketClient.Outcome?
    let connection = WireConnection()
    WebSocketClient(loop: loop).connect(
      try webSocketURL(token: tokens.access),
      protocols: version == .newest
        ? SubprotocolNegotiation.clientOffer : ["com.mongodb.realm-query-sync#\(version)"]
    ) { result in
      if case .connected(let socket) = result { connection.use(socket) }
      outcome = result
    }
    try run(until: { outcome != nil }, "web socket")
    guard connection.isOpen else { throw TimeoutError(what: "refused: \(String(describing: outcome))") }
    return connection
  }

  /// The store of the app, read beside the server.
  func openStore() throws -> ServerStore {
    try ServerStore(path: "\(folder.path)/data/\(Harness.appID)/data.sqlite")
  }

  /// The state of the server, read beside it.
  func openState() throws -> ObjectStore {
    var configuration = DatabaseConfiguration(
      location: .file("\(folder.path)/data/\(Harness.appID)/data.sqlite"),
      application: .server
    )
    configuration.isReadOnly = true
    return try ObjectStore(try Database.open(configuration))
  }
}

/// A sync connection that only sends and collects messages.
final class WireConnection {
  private var socket: WebSocket?
  private(set) var received: [ServerMessage] = []
  private(set) var isClosed = false
  var onMessage: ((ServerMessage) -> Void)?

  var isOpen: Bool { socket?.isOpen ?? false }

  func use(_ socket: WebSocket) {
    self.socket = socket
    socket.onMessage = { [weak self] bytes in
      guard let message = try? ServerMessage.decode(Array(bytes)) else {
        Issue.record("the server sent a malformed message")
        return
      }
      self?.received.append(message)
      self?.onMessage?(message)
    }
    socket.onClose = { [weak self] _ in self?.isClosed = true }
  }

  func send(_ message: ClientMessage) { socket?.send(message.encode()) }

  func send(raw text: String) { send(raw: Array(text.utf8)) }

  func send(raw bytes: [UInt8]) { socket?.send(bytes) }

  func drop() { socket?.drop() }

  func pauseReading() { socket?.pauseReading() }

  func resumeReading() { socket?.resumeReading() }

  var downloads: [DownloadMessage] {
    received.compactMap { if case .download(let message) = $0 { message } else { nil } }
  }

  var errors: [ErrorMessage] {
    received.compactMap { if case .error(let message) = $0 { message } else { nil } }
  }

  var queryErrors: [(code: ErrorCode, queryVersion: QueryVersion)] {
    received.compactMap {
      if case .queryError(_, let code, let version, _) = $0 { (code, version) } else { nil }
    }
  }

  var marks: [MarkIdent] {
    received.compactMap { if case .mark(_, let request) = $0 { request } else { nil } }
  }

  var idents: [SaltedFileIdent] {
    received.compactMap { if case .ident(_, let file) = $0 { file } else { nil } }
  }
}
