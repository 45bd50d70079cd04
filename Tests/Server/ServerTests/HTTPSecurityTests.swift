// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncServer
@testable import FlexSyncServerSupport

@Suite("Requests that mean no good")
struct HTTPSecurityTests {
  @Test("Tokens of this server are good as they are, and as nothing else")
  func tampering() throws {
    let harness = try Harness()
    let tokens = try harness.logIn()
    let parts = tokens.access.split(separator: ".").map(String.init)
    let claims = try JSON.parse(try #require(Base64URL.decode(parts[1])))
    let others = JSON.object(
      (claims.objectValue ?? []).map { $0.name == "sub" ? JSON.Member("sub", "somebody-else") : $0 }
    )
    func encode(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }
    let forgeries = [
      "\(encode(#"{"alg":"none"}"#)).\(parts[1]).",
      "\(encode(#"{"alg":"none","typ":"JWT"}"#)).\(parts[1]).\(parts[2])",
      "\(parts[0]).\(encode(others.serialized)).\(parts[2])", "\(parts[0]).\(parts[1]).",
      "\(parts[0]).\(parts[1])",
      "\(parts[0]).\(parts[1]).\(parts[2]).\(parts[2])", tokens.access + "=", " " + tokens.access, "",
      tokens.access.uppercased(),
    ]
    for token in forgeries {
      expectRefusal(try harness.request("GET", "/auth/profile", token: token), 401, "InvalidSession")
      let forged = Harness.Tokens(userID: tokens.userID, access: token, refresh: token)
      #expect(throws: (any Error).self) { try harness.connect(forged) }
    }
    // No kind is good for what the other is for.
    expectRefusal(try harness.request("POST", "/auth/session", token: tokens.access), 401, "InvalidSession")
    expectRefusal(try harness.request("DELETE", "/auth/delete", token: tokens.refresh), 401, "InvalidSession")
    #expect(try harness.request("GET", "/auth/profile", token: tokens.access).status == 200)
  }

  @Test("A token of another app opens nothing here")
  func anotherApp() throws {
    let harness = try Harness()
    let accounts = try harness.served.accounts
    let now = accounts.clock.seconds
    let claims = TokenClaims(
      kind: .access,
      appID: "other-app",
      userID: "u",
      deviceID: "d",
      sessionID: "s",
      issuedAt: now,
      expiresAt: now + 60
    )
    let token = accounts.signer.sign(claims)
    expectRefusal(try harness.request("GET", "/auth/profile", token: token), 404, "AppNotFound")
  }

  @Test(
    "No app identifier leads out of the data folder",
    arguments: [
      "..", "%2e%2e", "..%2f..%2fetc", "tasktracker-abcde%00", "%2Fetc%2Fpasswd", "tasktracker-abcde%2f..",
    ]
  )
  func pathTraversal(appID: String) throws {
    let harness = try Harness()
    expectRefusal(try harness.request("GET", "/app/\(appID)/location"), 404, "AppNotFound")
    let login = try harness.request("POST", "/app/\(appID)/auth/providers/anon-user/login", body: .object([]))
    expectRefusal(login, 404, "AppNotFound")
  }

  @Test("Neither the operator's tools", arguments: ["..", "../../etc", "a/b", "", "."])
  func administrationPaths(appID: String) throws {
    let harness = try Harness()
    let folder = "\(harness.folder.path)/data"
    #expect(throws: (any Error).self) { try AppSummary.one(appID, dataFolder: folder) }
    #expect(throws: ServerError.self) { try DataFolder(folder).openStore(appID: appID) }
    #expect(throws: ServerError.self) { try DataFolder(folder).openExistingStore(appID: appID) }
  }

  @Test("Answers with tokens and user data are for no cache")
  func noStore() throws {
    let harness = try Harness()
    let login = try harness.send("POST", "\(Harness.providers)/anon-user/login", body: "{}")
    #expect(login.status == 200 && login.headers["Cache-Control"] == "no-store")
    let profile = try harness.send("GET", "/auth/profile", token: try harness.logIn().access)
    #expect(profile.headers["Cache-Control"] == "no-store")
  }

  @Test(
    "A host that is none is refused, not repeated",
    arguments: ["evil.example/path", "a b", "<script>", "h:port", "h:1:2", "[::1", "user@h", "h?x", "h\\x"]
  )
  func junkHost(host: String) throws {
    let harness = try Harness()
    let client = try RawClient(harness)
    client.send("GET /api/client/v2.0/app/\(Harness.appID)/location HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    try harness.run(until: { client.status != nil }, "answer")
    #expect(client.status == 400 && !client.text.contains(host))
  }

  @Test("A request without a host is told where the server is")
  func noHost() throws {
    let harness = try Harness()
    let client = try RawClient(harness)
    client.send("GET /api/client/v2.0/app/\(Harness.appID)/location HTTP/1.1\r\nHost:\r\n\r\n")
    try harness.run(until: { client.text.hasSuffix("}") }, "answer")
    #expect(client.text.contains("\"http://\(harness.server.endpoint)\""))
  }

  @Test("Errors link to the app's log")
  func links() throws {
    let harness = try Harness()
    let refusal = try harness.logIn(email: "nobody@example.com")
    let link = try #require(refusal.json?["link"]?.stringValue)
    #expect(link.hasPrefix("http://\(harness.server.endpoint)/apps/\(Harness.appID)/logs?co_id="))
    let other = try harness.request("GET", "/auth/profile")
    #expect(
      other.json?["link"]?.stringValue?.hasPrefix("http://\(harness.server.endpoint)/logs?co_id=") == true
    )
  }

  @Test("The log has no addresses of users, and nothing that controls a terminal")
  func logs() throws {
    let lines = LogLines()
    let harness = try Harness {
      $0.logger = lines.logger
      $0.accounts.failuresPerAccount = 1
      $0.mailDelivery = nil
    }
    try harness.register("ann@example.com")
    for _ in 0..<3 { _ = try harness.logIn(email: "ann@example.com", "wrong-password") }
    _ = try harness.logIn(email: "nobody@example.com", "wrong-password")
    try harness.emailPassword("reset/send", ["email": "ann@example.com"])
    let text = lines.text
    #expect(text.contains("an account is temporarily locked") && text.contains("mail not sent"))
    #expect(!text.contains("example.com"))
    #expect(ShortenedText.printable("a\u{9b}31m\u{202e}b\u{7f}\nc") == "a\\u{9b}31m\\u{202e}b\\u{7f}\\u{a}c")
    #expect(ShortenedText.printable("Grüße 🙂") == "Grüße 🙂")
  }

  @Test("Bodies and heads that are too long are refused before they are read")
  func oversized() throws {
    let harness = try Harness()
    let long = String(repeating: "x", count: 70_000)
    let path = "\(Harness.providers)/local-userpass/login"
    #expect(try harness.status("POST", path, body: #"{"username":"\#(long)"}"#) == 413)
    #expect(try harness.status("GET", "/auth/profile", token: long) == 431)
  }

  @Test("Passwords and addresses that are too long are refused without work")
  func longCredentials() throws {
    let harness = try Harness()
    let long = String(repeating: "x", count: 2_000)
    expectRefusal(try harness.logIn(email: "ann@example.com", long), 401, "InvalidPassword")
    expectRefusal(try harness.logIn(email: long), 401, "InvalidPassword")
    expectRefusal(try harness.register("\(long)@example.com"), 400, "BadRequest")
    expectRefusal(try harness.register("ann@example.com", long), 400, "BadRequest")
    expectRefusal(try harness.register("ann@example.com\r\nBcc: all@example.com"), 400, "BadRequest")
  }

  @Test(
    "Bodies that are no JSON object are refused",
    arguments: ["[]", "5", "\"text\"", "null", "{", "{\"a\":1}{}", "{\"a\":1,\"a\":2}", "\u{0}"]
  )
  func bodies(text: String) throws {
    let harness = try Harness()
    for provider in ["anon-user", "local-userpass"] {
      let answer = try harness.request("POST", "\(Harness.providers)/\(provider)/login", rawBody: text)
      expectRefusal(answer, 400, "BadRequest")
    }
  }
}

extension Harness {
  /// The status of a request whose answer is no JSON.
  func status(_ method: String, _ path: String, token: String? = nil, body: String = "") throws -> Int {
    try send(method, path, token: token, body: body).status
  }
}
