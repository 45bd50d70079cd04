// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncScheduling
import FlexSyncTransport
import FlexSyncWire
import Foundation

/// Runs many clients on one thread, each with its own connection.
final class LoadGenerator {
  private let loop: EventLoop
  private let http: HTTPClient
  private let webSockets: WebSocketClient
  private let server: Server
  /// The access token of the user.
  let token: String

  /// - Parameter token: The token of another generator on the same data; nil to log in a new user.
  init(_ server: Server, token: String? = nil) throws {
    self.server = server
    loop = try EventLoop()
    http = HTTPClient(loop: loop)
    webSockets = WebSocketClient(loop: loop)
    self.token = try token ?? LoadGenerator.logIn(server, http, loop)
  }

  deinit {
    loop.stop()
    while loop.runPending() {}
  }

  private static func logIn(_ server: Server, _ http: HTTPClient, _ loop: EventLoop) throws -> String {
    let request = try server.request("/auth/providers/anon-user/login", #"{"provider":"anon-user"}"#)
    guard let token = try JSON.parse(answer(to: request, http, loop).body)["access_token"]?.stringValue else {
      throw BenchmarkError("The log-in gave no token.")
    }
    return token
  }

  /// Connects clients and waits until each has bootstrapped.
  func connect(_ clients: [LoadClient]) throws {
    for client in clients {
      try begin(client)
      try LoadGenerator.wait(loop) { try client.hasConnected }
    }
    try wait(clients) { $0.phase == .ready }
  }

  /// Starts connecting a client without waiting for it.
  ///
  /// - Parameter token: The access token of the client's user; nil for the user of the generator.
  func begin(_ client: LoadClient, token: String? = nil) throws {
    let url =
      "ws" + server.url.dropFirst(4)
      + "/api/client/v2.0/app/\(server.appID)/realm-sync?baas_at=\(token ?? self.token)"
    client.beginConnecting()
    webSockets.connect(try WebURL(parsing: url), protocols: SubprotocolNegotiation.clientOffer) { result in
      if case .connected(let socket) = result {
        client.use(socket)
      } else {
        client.fail("a client was refused: \(String(describing: result))")
      }
    }
  }

  /// Sends a request. The completion runs during a later wait.
  func send(
    _ path: String,
    _ body: String? = nil,
    completion: @escaping (Result<HTTPResponse, TransportError>) -> Void
  ) throws {
    http.send(try server.request(path, body), completion: completion)
  }

  /// Sends a request and waits for the response.
  func answer(_ path: String, _ body: String? = nil) throws -> HTTPResponse {
    try LoadGenerator.answer(to: server.request(path, body), http, loop)
  }

  private static func answer(to request: HTTPClientRequest, _ http: HTTPClient, _ loop: EventLoop) throws
    -> HTTPResponse
  {
    var result: Result<HTTPResponse, TransportError>?
    http.send(request) { result = $0 }
    try wait(loop) { result != nil }
    guard let result else { throw BenchmarkError("A request has no answer.") }
    return try result.get()
  }

  /// Drops the connections of clients.
  func drop(_ clients: [LoadClient]) throws {
    for client in clients { client.drop() }
    try turn(seconds: 0.2)
  }

  /// Sends what the clients have prepared and waits until all of it is acknowledged.
  ///
  /// - Parameter window: The maximum number of unacknowledged uploads per client.
  func upload(_ clients: [LoadClient], window: Int) throws {
    for client in clients { client.start(window: window) }
    try wait(clients, \.isDone)
  }

  /// Waits until a condition holds for all clients.
  func wait(_ clients: [LoadClient], _ condition: (LoadClient) -> Bool) throws {
    var rest = clients
    try LoadGenerator.wait(loop) {
      for client in rest { if case .failed(let reason) = client.phase { throw BenchmarkError(reason) } }
      while let last = rest.last, condition(last) { rest.removeLast() }
      return rest.isEmpty
    }
  }

  /// Runs the loop for a while.
  ///
  /// - Parameter isDone: Ends the wait early if it returns true.
  func turn(seconds: Double, until isDone: () throws -> Bool = { false }) throws {
    let end = Date(timeIntervalSinceNow: seconds)
    try LoadGenerator.wait(loop) { try Date() >= end || isDone() }
  }

  private static func wait(_ loop: EventLoop, until condition: () throws -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: 300)
    while true {
      _ = loop.runPending()
      // Checked before polling, which may not be necessary at all.
      if try condition() { return }
      guard Date() < deadline else { throw BenchmarkError("The server did not answer for five minutes.") }
      let timeout = loop.pollTimeoutMilliseconds
      var descriptor = pollfd(fd: loop.pollDescriptor, events: Int16(POLLIN), revents: 0)
      poll(&descriptor, 1, timeout < 0 ? 50 : min(timeout, 50))
    }
  }
}

extension Server {
  /// Returns a request to the API of the app: a GET if there is no body, otherwise a POST.
  func request(_ path: String, _ body: String? = nil) throws -> HTTPClientRequest {
    HTTPClientRequest(
      method: body == nil ? "GET" : "POST",
      url: try WebURL(parsing: "\(url)/api/client/v2.0/app/\(appID)\(path)"),
      headers: ["Content-Type": "application/json;charset=utf-8"],
      body: Array((body ?? "").utf8)
    )
  }
}
