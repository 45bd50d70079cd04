// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON
import FlexSyncScheduling
import FlexSyncTransport
import Synchronization

@testable import FlexSyncCore

/// The App Services HTTP API (RealmClients §1) with accounts in memory, on a real socket. It answers as the reference does,
/// also for what flexsyncd refuses.
final class AccountServer: Sendable {
  struct State: Sendable {
    var accounts: [String: String] = [:]
    /// "METHOD target authorization" of each request.
    var requests: [String] = []
    /// The newest body, by "METHOD path".
    var bodies: [String: JSON] = [:]
    var refreshStatus = 200
    /// How many requests with an access token are refused before one is accepted.
    var refusals = 0
    var tokenLifetime: Int64 = 1800
    var tokenCount = 0
    /// Whose tokens are refreshed.
    var lastUser = ""
    /// In each access token.
    var customData: JSON?
    /// Of each user; nil for one with the user's name.
    var profile: JSON?
    /// The providers of a user's identities.
    var identities: [String: [String]] = [:]
    var keys: [JSON] = []
    /// What the next request gets, if not what it asks for.
    var nextError: (status: Int, body: JSON)?
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

  /// The body of the newest request of that method and path below the app's or the user's part.
  func body(_ request: String) -> JSON? {
    state.withLock { $0.bodies[request] }
  }

  private func answer(_ request: HTTPRequest) -> HTTPResponse {
    state.withLock { state in
      let authorization = request.headers["Authorization"] ?? "-"
      state.requests.append("\(request.method) \(request.target) \(authorization)")
      let body = (try? JSON.parse(request.body)) ?? .null
      for base in ["/api/client/v2.0/app/tasks/auth/providers/", "/api/client/v2.0/"]
      where request.path.hasPrefix(base) {
        state.bodies["\(request.method) \(request.path.dropFirst(base.count))"] = body
      }
      if let error = state.nextError, !request.path.hasSuffix("/location") {
        state.nextError = nil
        return Self.json(error.status, error.body)
      }
      return AccountRoutes.answer(request, body, &state)
    }
  }

  static func json(_ status: Int, _ body: JSON) -> HTTPResponse {
    HTTPResponse(status: status, contentType: "application/json", body: Array(body.serialized.utf8))
  }

  static func error(_ status: Int, _ code: String, _ text: String) -> HTTPResponse {
    json(
      status,
      ["error": .string(text), "error_code": .string(code), "link": "https://logs.example.com/1"]
    )
  }
}

/// What the account server does for each endpoint.
private enum AccountRoutes {
  typealias State = AccountServer.State

  static func answer(_ request: HTTPRequest, _ body: JSON, _ state: inout State) -> HTTPResponse {
    let parts = request.pathComponents
    guard parts.starts(with: ["api", "client", "v2.0"]) else { return noResource }
    if parts.dropFirst(3).first == "app" {
      guard parts[4] == "tasks" else {
        return AccountServer.error(404, "AppNotFound", "cannot find app using Client App ID '\(parts[4])'")
      }
      if parts.last == "location" {
        return AccountServer.json(
          200,
          ["hostname": "", "ws_hostname": "", "deployment_model": "LOCAL", "location": "x"]
        )
      }
      return provider(parts[7], parts.dropFirst(8).joined(separator: "/"), request, body, &state)
    }
    switch (request.method, parts.dropFirst(4).joined(separator: "/")) {
    case ("POST", "session"):
      guard state.refreshStatus == 200 else {
        return AccountServer.error(
          state.refreshStatus,
          "InvalidSession",
          "invalid session: the login has ended"
        )
      }
      let token = token(state.lastUser, &state)
      return AccountServer.json(201, ["access_token": .string(token)])
    case ("DELETE", "session"): return HTTPResponse(status: 204)
    case ("GET", "profile"):
      return user(request, &state) { user, state in
        let providers = state.identities[user] ?? []
        let identities = providers.map { provider -> JSON in
          ["id": .string("\(user)-\(provider)"), "provider_type": .string(provider)]
        }
        let data = state.profile ?? ["name": .string(user)]
        return AccountServer.json(200, ["identities": .array(identities), "data": data])
      }
    case ("DELETE", "delete"): return user(request, &state) { _, _ in HTTPResponse(status: 204) }
    case (let method, let path) where path.hasPrefix("api_keys"):
      return keys(method, path.split(separator: "/").dropFirst().map(String.init), body, &state)
    default: return noResource
    }
  }

  private static let noResource = AccountServer.error(404, "NotFound", "no such resource")

  // MARK: Providers

  private static func provider(
    _ name: String,
    _ action: String,
    _ request: HTTPRequest,
    _ body: JSON,
    _ state: inout State
  ) -> HTTPResponse {
    if name == "oauth2-google" {
      return AccountServer.error(404, "AuthProviderNotFound", "no auth provider found: oauth2-google")
    }
    guard action == "login" else {
      return name == "local-userpass" ? email(action, body, &state) : noResource
    }
    let subject: String
    switch name {
    case "local-userpass":
      let name = body["username"]?.stringValue ?? ""
      guard let password = state.accounts[name], password == body["password"]?.stringValue else {
        return AccountServer.error(401, "InvalidPassword", "invalid username/password")
      }
      subject = "id-of-\(name)"
    case "anon-user": subject = "anonymous-\(state.tokenCount)"
    default: subject = "id-of-\(name)"
    }
    guard request.query == "link=true" else {
      state.identities[subject, default: [name]] += []
      return login(subject, &state)
    }
    return user(request, &state) { user, state in
      state.identities[user, default: []].append(name)
      return login(user, &state)
    }
  }

  private static func email(_ action: String, _ body: JSON, _ state: inout State) -> HTTPResponse {
    guard action == "register" else { return HTTPResponse(status: 204) }
    let name = body["email"]?.stringValue ?? ""
    guard state.accounts[name] == nil else {
      return AccountServer.error(409, "AccountNameInUse", "name already in use")
    }
    state.accounts[name] = body["password"]?.stringValue
    return AccountServer.json(201, [:])
  }

  private static func login(_ userID: String, _ state: inout State) -> HTTPResponse {
    AccountServer.json(
      200,
      [
        "user_id": .string(userID), "access_token": .string(token(userID, &state)),
        "refresh_token": "refresh.token.x",
        "device_id": "000000000000000000000000",
      ]
    )
  }

  private static func token(_ userID: String, _ state: inout State) -> String {
    state.tokenCount += 1
    state.lastUser = userID
    let now = Clock.now().seconds
    var claims: [JSON.Member] = [
      .init("exp", .integer(now + state.tokenLifetime)), .init("iat", .integer(now)),
      .init("sub", .string(userID)), .init("n", .integer(Int64(state.tokenCount))),
    ]
    if let data = state.customData { claims.append(.init("user_data", data)) }
    return "e30.\(Base64URL.encode(Array(JSON.object(claims).serialized.utf8))).signature"
  }

  /// Answers for the user of an access token.
  private static func user(
    _ request: HTTPRequest,
    _ state: inout State,
    _ answer: (String, inout State) -> HTTPResponse
  ) -> HTTPResponse {
    let parts = (request.headers["Authorization"] ?? "").split(separator: ".")
    guard parts.count == 3, let payload = Base64URL.decode(String(parts[1])),
      let user = try? JSON.parse(payload)["sub"]?.stringValue, state.refusals == 0
    else {
      state.refusals = max(0, state.refusals - 1)
      return AccountServer.error(401, "InvalidSession", "invalid session")
    }
    return answer(user, &state)
  }

  // MARK: API keys

  private static func keys(_ method: String, _ path: [String], _ body: JSON, _ state: inout State)
    -> HTTPResponse
  {
    guard let id = path.first else {
      guard method == "POST" else { return AccountServer.json(200, .array(state.keys)) }
      let id = "65a00000000000000000000\(state.keys.count)"
      let key: JSON = ["_id": .string(id), "name": body["name"] ?? .null, "disabled": false]
      state.keys.append(key)
      return AccountServer.json(201, .object((key.objectValue ?? []) + [.init("key", "secret")]))
    }
    guard let index = state.keys.firstIndex(where: { $0["_id"] == .string(id) }) else {
      return AccountServer.error(404, "APIKeyNotFound", "API key not found")
    }
    switch (method, path.dropFirst().first) {
    case ("GET", nil): return AccountServer.json(200, state.keys[index])
    case ("DELETE", nil): state.keys.remove(at: index)
    case ("PUT", let action):
      let name = state.keys[index]["name"] ?? .null
      state.keys[index] = ["_id": .string(id), "name": name, "disabled": .bool(action == "disable")]
    default: return noResource
    }
    return HTTPResponse(status: 204)
  }
}
