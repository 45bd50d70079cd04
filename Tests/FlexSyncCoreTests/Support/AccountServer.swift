// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON
import FlexSyncTransport
import Synchronization

@testable import FlexSyncCore

/// The App Services HTTP API (peer-client §1) with accounts in memory, on a real socket.
final class AccountServer: Sendable {
  struct State: Sendable {
    var accounts: [String: String] = [:]
    /// "METHOD path authorization" of each request.
    var requests: [String] = []
    var refreshStatus = 200
    var tokenLifetime: Int64 = 1800
    var tokenCount = 0
  }

  let state = Mutex(State())
  let url: String
  private let loop: EventLoop
  private let server: LoopBound<HTTPServer>

  init() throws {
    loop = try EventLoop()
    // The handler runs once the loop runs, after `self` is complete.
    let box = Box()
    let server = HTTPServer(loop: loop) { request, responder in
      responder.respond(box.server?.answer(request) ?? HTTPResponse(status: 503, text: ""))
    }
    let endpoint = try server.listen(on: Endpoint(host: "127.0.0.1", port: 0))
    url = "http://\(endpoint)"
    self.server = LoopBound(server, loop: loop)
    box.server = self
    try loop.start()
  }

  deinit { loop.stop() }

  private final class Box: @unchecked Sendable {
    weak var server: AccountServer?
  }

  /// How often a request whose text begins so has arrived.
  func count(_ prefix: String) -> Int { state.withLock { $0.requests.count { $0.hasPrefix(prefix) } } }

  private func answer(_ request: HTTPRequest) -> HTTPResponse {
    state.withLock { state in
      state.requests.append("\(request.method) \(request.path) \(request.headers["Authorization"] ?? "-")")
      let body = (try? JSON.parse(request.body)) ?? .null
      switch (request.method, request.path) {
      case ("GET", "/api/client/v2.0/app/tasks/location"):
        return Self.json(
          200,
          ["hostname": "", "ws_hostname": "", "deployment_model": "LOCAL", "location": "x"]
        )
      case ("GET", _) where request.path.hasSuffix("/location"):
        return Self.error(404, "AppNotFound", "cannot find app using Client App ID 'other'")
      case ("POST", "/api/client/v2.0/app/tasks/auth/providers/local-userpass/register"):
        return Self.register(body, &state)
      case ("POST", "/api/client/v2.0/app/tasks/auth/providers/local-userpass/login"):
        guard let name = body["username"]?.stringValue, state.accounts[name] == body["password"]?.stringValue
        else {
          return Self.error(401, "InvalidPassword", "invalid username/password")
        }
        return Self.login(userID: "id-of-\(name)", &state)
      case ("POST", "/api/client/v2.0/app/tasks/auth/providers/anon-user/login"):
        return Self.login(userID: "anonymous-\(state.tokenCount)", &state)
      case ("POST", "/api/client/v2.0/auth/session"):
        guard state.refreshStatus == 200 else {
          return Self.error(state.refreshStatus, "InvalidSession", "invalid session: the login has ended")
        }
        return Self.json(201, ["access_token": .string(Self.token(&state))])
      case ("DELETE", "/api/client/v2.0/auth/session"): return HTTPResponse(status: 204)
      default: return Self.error(404, "NotFound", "no such resource")
      }
    }
  }

  private static func register(_ body: JSON, _ state: inout State) -> HTTPResponse {
    let name = body["email"]?.stringValue ?? ""
    guard state.accounts[name] == nil else { return error(409, "AccountNameInUse", "name already in use") }
    state.accounts[name] = body["password"]?.stringValue
    return json(201, [:])
  }

  private static func login(userID: String, _ state: inout State) -> HTTPResponse {
    json(
      200,
      [
        "user_id": .string(userID), "access_token": .string(token(&state)),
        "refresh_token": "refresh.token.x",
        "device_id": "000000000000000000000000",
      ]
    )
  }

  private static func token(_ state: inout State) -> String {
    state.tokenCount += 1
    let now = Clock.now().seconds
    let claims: JSON = [
      "exp": .integer(now + state.tokenLifetime), "iat": .integer(now),
      "n": .integer(Int64(state.tokenCount)),
    ]
    return "e30.\(Base64URL.encode(Array(claims.serialized.utf8))).signature"
  }

  private static func json(_ status: Int, _ body: JSON) -> HTTPResponse {
    HTTPResponse(status: status, contentType: "application/json", body: Array(body.serialized.utf8))
  }

  private static func error(_ status: Int, _ code: String, _ text: String) -> HTTPResponse {
    json(status, ["error": .string(text), "error_code": .string(code), "link": ""])
  }
}
