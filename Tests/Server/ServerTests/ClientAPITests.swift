// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Synchronization
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncScheduling
@testable import FlexSyncServer
@testable import FlexSyncServerSupport

@Suite("The client API over HTTP")
struct ClientAPITests {
  private let app = "/app/\(Harness.appID)"
  private let provider = "/app/\(Harness.appID)/auth/providers/local-userpass"

  @Test("The location answer repeats the host of the request")
  func location() throws {
    let harness = try Harness()
    let answer = try harness.request("GET", "\(app)/location")
    #expect(answer.status == 200)
    #expect(answer.json?["hostname"]?.stringValue == "http://\(harness.server.endpoint)")
    #expect(answer.json?["ws_hostname"]?.stringValue == "ws://\(harness.server.endpoint)")
  }

  @Test("The public URL overrides the host")
  func publicURL() throws {
    let origin = try PublicOrigin(publicURL: "https://sync.example.com/", isTLS: false)
    #expect(origin.http(host: "x") == "https://sync.example.com")
    #expect(origin.webSocket(host: "x") == "wss://sync.example.com")
  }

  @Test(
    "A public URL is scheme, host and port",
    arguments: [
      ("https://sync.example.com:8443", true), ("http://[::1]", true), ("http://[::1]:80", true),
      ("sync.example.com", false), ("https://", false), ("https://:80", false), ("https://a:", false),
      ("https://a:0", false), ("https://a:65536", false), ("https://a:b", false), ("https://a:80:80", false),
      ("https://[::1", false), ("https://[::1]80", false), ("https://a b", false), ("https://a/path", false),
      ("https://user@a", false), ("ftp://a", false),
    ]
  )
  func publicURLs(url: String, isValid: Bool) {
    let origin = try? PublicOrigin(publicURL: url, isTLS: false)
    #expect((origin != nil) == isValid)
  }

  @Test("A registered user logs in, has a profile, refreshes and logs out")
  func emailUser() throws {
    let harness = try Harness()
    let registration: JSON = ["email": "Alice@example.com", "password": "secret123"]
    #expect(try harness.request("POST", "\(provider)/register", body: registration).status == 201)
    let again = try harness.request("POST", "\(provider)/register", body: registration)
    #expect(again.status == 409)
    #expect(again.json?["error_code"] == "AccountNameInUse")
    #expect(again.contentType == "application/json")

    let credentials: JSON = ["username": "alice@EXAMPLE.com", "password": "secret123"]
    let login = try harness.request("POST", "\(provider)/login", body: credentials)
    let tokens = try harness.tokens(login)
    #expect(login.json?["device_id"]?.stringValue?.count == 24)

    let profile = try harness.request("GET", "/auth/profile", token: tokens.access)
    #expect(profile.json?["identities"]?.arrayValue?.first?["provider_type"] == "local-userpass")
    #expect(profile.json?["data"]?["email"] == "Alice@example.com")

    let refreshed = try harness.request("POST", "/auth/session", token: tokens.refresh)
    #expect(refreshed.json?["access_token"]?.stringValue?.split(separator: ".").count == 3)
    #expect(try harness.request("DELETE", "/auth/session", token: tokens.refresh).status == 204)
    for (method, path, token) in [
      ("POST", "/auth/session", tokens.refresh), ("GET", "/auth/profile", tokens.access),
    ] {
      let refused = try harness.request(method, path, token: token)
      #expect(refused.status == 401)
      #expect(refused.json?["error_code"] == "InvalidSession")
    }
  }

  @Test(
    "Wrong credentials are refused without telling which part is wrong",
    arguments: [("alice@example.com", "wrong-password"), ("nobody@example.com", "secret123")]
  )
  func wrongCredentials(email: String, password: String) throws {
    let harness = try Harness()
    _ = try harness.request(
      "POST",
      "\(provider)/register",
      body: ["email": "alice@example.com", "password": "secret123"]
    )
    let answer = try harness.request(
      "POST",
      "\(provider)/login",
      body: ["username": .string(email), "password": .string(password)]
    )
    #expect(answer.status == 401)
    #expect(answer.json?["error"] == "invalid username/password")
    #expect(answer.json?["error_code"] == "InvalidPassword")
  }

  @Test("Bad requests get a JSON error that clients can read")
  func badRequests() throws {
    let harness = try Harness()
    let cases: [(String, String, String?, Int)] = [
      ("POST", "\(provider)/login", "{", 400), ("POST", "\(provider)/login", "{}", 400),
      ("POST", "\(provider)/register", #"{"email":"a@b","password":"short"}"#, 400),
      ("POST", "\(provider)/register", #"{"email":"nobody","password":"secret123"}"#, 400),
      ("POST", "\(app)/auth/providers/custom-token/login", "{}", 404),
      ("GET", "/app/unknown-app/location", nil, 404), ("GET", "/auth/profile", nil, 401),
      ("GET", "/nothing", nil, 404), ("POST", "/auth/session", nil, 401),
    ]
    for (method, path, body, status) in cases {
      let answer = try harness.request(method, path, rawBody: body)
      #expect(answer.status == status, "\(method) \(path)")
      #expect(answer.contentType == "application/json")
      #expect(answer.json?["error"]?.stringValue?.isEmpty == false)
      #expect(answer.json?["error_code"]?.stringValue?.isEmpty == false)
    }
  }

  @Test("Tokens expire, and only tokens of this server count")
  func tokens() throws {
    let time = AdjustableTime()
    let harness = try Harness(clock: time.clock)
    let tokens = try harness.logIn()
    #expect(try harness.request("GET", "/auth/profile", token: tokens.access).status == 200)
    #expect(try harness.request("GET", "/auth/profile", token: tokens.refresh).status == 401)
    #expect(try harness.request("GET", "/auth/profile", token: tokens.access + "A").status == 401)
    #expect(try harness.request("GET", "/auth/profile", token: "a.b.c").status == 401)
    time.advance(seconds: TokenSigner.accessLifetime + 1)
    #expect(try harness.request("GET", "/auth/profile", token: tokens.access).status == 401)
    #expect(try harness.request("POST", "/auth/session", token: tokens.refresh).status == 201)
    time.advance(seconds: TokenSigner.refreshLifetime)
    #expect(try harness.request("POST", "/auth/session", token: tokens.refresh).status == 401)
  }

  @Test("A deleted user cannot log in any more")
  func deletedUser() throws {
    let harness = try Harness()
    let tokens = try harness.logIn()
    #expect(try harness.request("DELETE", "/auth/delete", token: tokens.access).status == 204)
    #expect(try harness.request("POST", "/auth/session", token: tokens.refresh).status == 401)
  }

  @Test("The sessions of a user end when the user is deleted, and nothing is kept of the user's files")
  func sessionsOfDeletedUser() throws {
    let harness = try Harness()
    let tokens = try harness.logIn()
    let client = try SyncClient(harness, tokens: tokens, schema: TaskTracker.schema)
    let other = try SyncClient(harness, schema: TaskTracker.schema)
    for client in [client, other] { try client.connect() }
    #expect(try harness.request("DELETE", "/auth/delete", token: tokens.access).status == 204)
    try harness.run(until: { !client.isConnected }, "end of the session")
    #expect(throws: (any Error).self) { try client.connect() }
    try other.synchronize()
    let store = try #require(harness.server.apps[Harness.appID]).engine.store
    #expect(try store.file(ident: client.file?.ident ?? 0) == nil)
    #expect(try store.file(ident: other.file?.ident ?? 0) != nil)
  }
}

/// A clock that a test moves.
final class AdjustableTime: Sendable {
  private let milliseconds = Mutex<Int64>(1_700_000_000_000)

  var clock: WallClock { WallClock { self.milliseconds.withLock { $0 } } }

  func advance(seconds: Int64) { milliseconds.withLock { $0 += seconds * 1000 } }
}
