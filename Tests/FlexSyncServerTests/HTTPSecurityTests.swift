// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON
import Testing

@testable import FlexSyncServer

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
