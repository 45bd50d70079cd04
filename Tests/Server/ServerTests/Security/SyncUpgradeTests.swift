// SPDX-License-Identifier: Apache-2.0

import FlexSyncTransport
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncScheduling

@Suite("Who may open a sync connection")
struct SyncUpgradeTests {
  private let path = "/api/client/v2.0/app/\(Harness.appID)/realm-sync"

  private func status(_ harness: Harness, _ path: String, _ headers: [String] = []) throws -> Int? {
    let client = try RawClient(harness)
    try client.upgrade(harness, path: path, headers: headers)
    defer { client.close() }
    return client.status
  }

  @Test("It needs an access token, in the query or in the header as old clients send it")
  func places() throws {
    let harness = try Harness()
    let tokens = try harness.logIn()
    #expect(try status(harness, path) == 401)
    #expect(try status(harness, "\(path)?baas_at=") == 401)
    #expect(try status(harness, "\(path)?baas_at=\(tokens.access)") == 101)
    #expect(try status(harness, path, ["Authorization: Bearer \(tokens.access)"]) == 101)
    #expect(try status(harness, path, ["Authorization: Basic \(tokens.access)"]) == 401)
    #expect(try status(harness, path, ["Cookie: baas_at=\(tokens.access)"]) == 401)
  }

  @Test("The token of the query counts; a good one in the header does not help a bad one")
  func precedence() throws {
    let harness = try Harness()
    let tokens = try harness.logIn()
    let header = ["Authorization: Bearer \(tokens.access)"]
    #expect(try status(harness, "\(path)?baas_at=\(tokens.access)x", header) == 401)
    #expect(try status(harness, "\(path)?baas_at=\(tokens.refresh)", header) == 401)
    #expect(try status(harness, "\(path)?baas_at=x&baas_at=\(tokens.access)") == 401)
  }

  @Test("A refresh token, an expired one, one of another app, and one of a log-in that is over open nothing")
  func otherTokens() throws {
    let harness = try Harness()
    let tokens = try harness.logIn()
    #expect(try status(harness, "\(path)?baas_at=\(tokens.refresh)") == 401)
    let signer = TokenSigner(key: try SigningKey.load(folder: "\(harness.folder.path)/data"))
    let now = WallClock.system.seconds
    var claims = try signer.verify(tokens.access, as: .access, now: now)
    #expect(try status(harness, "\(path)?baas_at=\(signer.sign(claims))") == 101)
    claims.expiresAt = now
    #expect(try status(harness, "\(path)?baas_at=\(signer.sign(claims))") == 401)
    claims.expiresAt = now + 60
    claims.appID = "another-app"
    #expect([401, 404].contains(try status(harness, "\(path)?baas_at=\(signer.sign(claims))")))
    claims.appID = Harness.appID
    claims.userID = try harness.logIn().userID
    #expect(try status(harness, "\(path)?baas_at=\(signer.sign(claims))") == 401)
    #expect(try harness.request("DELETE", "/auth/session", token: tokens.refresh).status == 204)
    #expect(try status(harness, "\(path)?baas_at=\(tokens.access)") == 401)
  }

  @Test("A key of another server, or none, signs nothing that counts here")
  func otherKeys() throws {
    let harness = try Harness()
    let tokens = try harness.logIn()
    let claims = try TokenSigner(key: try SigningKey.load(folder: "\(harness.folder.path)/data"))
      .verify(tokens.access, as: .access, now: WallClock.system.seconds)
    for key in [[], [UInt8](repeating: 0, count: 32), Array("secret".utf8)] {
      #expect(try status(harness, "\(path)?baas_at=\(TokenSigner(key: key).sign(claims))") == 401)
    }
  }

  @Test(
    "Odd paths open nothing and harm nothing",
    arguments: [
      "/api/client/v2.0/app/../app/\(Harness.appID)/realm-sync/..", "/api/client/v2.0/app//realm-sync",
      "/api/client/v2.0/app/%2e%2e/realm-sync", "/api/client/v2.0/app/\(Harness.appID)%00/realm-sync",
      "/api/client/v2.0/app/\(Harness.appID)/realm-sync/more", "/", "*", "//", "/%",
      "/api/client/v2.0/app/a%2fb/realm-sync",
      "/../../../../etc/passwd", "http://other/api/client/v2.0/app/x/realm-sync",
    ]
  )
  func oddPaths(path: String) throws {
    let harness = try Harness()
    let token = try harness.logIn().access
    let status = try #require(try status(harness, path, ["Authorization: Bearer \(token)"]))
    #expect([400, 401, 404].contains(status), "\(path): \(status)")
    #expect(try harness.request("GET", "/app/\(Harness.appID)/location").status == 200)
  }

  @Test("Requests that a proxy could understand otherwise are refused")
  func smuggling() throws {
    let harness = try Harness()
    let requests = [
      "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcd",
      "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: identity, chunked, x\r\n\r\n0\r\n\r\n",
      "GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET /x HTTP/1.1\r\n\r\n",
      "GET /x HTTP/1.1\r\nHost : h\r\n\r\n", "GET /x HTTP/1.1\r\nHost: h\r\nX: a\u{0}b\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ]
    for request in requests {
      let client = try RawClient(harness)
      client.send(request)
      client.send("GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n")
      try harness.run(until: { client.isClosed || client.text.contains("smuggled") }, request)
      #expect(!client.text.contains("smuggled"), "\(request) -> \(client.text)")
    }
  }
}
