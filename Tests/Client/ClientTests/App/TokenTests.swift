// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncTestSupport
import Synchronization
import Testing

@testable import FlexSyncCore

@Suite struct TokenTests {
  private func token(_ claims: String) -> String { "e30.\(Base64URL.encode(Array(claims.utf8))).s" }

  @Test func theExpiryIsRead() throws {
    #expect(JSONWebToken(token(#"{"exp":1700000000,"iat":1}"#))?.expiry == 1_700_000_000)
    #expect(JSONWebToken(token(#"{"exp":1700000000.9}"#))?.expiry == 1_700_000_000)
    let withoutExpiry = try #require(JSONWebToken(token("{}")))
    #expect(!withoutExpiry.isExpired())
  }

  @Test func aTokenExpiresFiveSecondsLate() throws {
    let token = try #require(JSONWebToken(token(#"{"exp":100}"#)))
    #expect(!token.isExpired(at: 105))
    #expect(token.isExpired(at: 106))
  }

  @Test(arguments: ["", "a.b", "a..c", "a.b.c", "e30.bm90anNvbg.c", "e30.W10.c", "a.b.c.d"])
  func whatIsNoTokenIsRefused(text: String) { #expect(JSONWebToken(text) == nil) }

  private func refresh(_ user: CUser) throws {
    let user = user.user
    try user.app.runtime.blocking { blocker in
      user.app.post { user.app.refreshAccessToken(of: user.id, completion: blocker.deliver) }
    }.get()
  }

  @Test func aRefreshReplacesTheAccessToken() throws {
    let (server, folder) = (try AccountServer(), TemporaryFolder())
    let app = try CApp(url: server.url, folder: folder.path)
    let user = try app.logInAnonymously()
    let old = user.accessToken
    try refresh(user)
    #expect(user.accessToken != old)
    #expect(server.count("POST /api/client/v2.0/auth/session Bearer refresh.token.x") == 1)
  }

  @Test(arguments: [401, 403])
  func aRefusedRefreshLogsTheUserOut(status: Int) throws {
    let (server, folder) = (try AccountServer(), TemporaryFolder())
    let app = try CApp(url: server.url, folder: folder.path)
    try app.register("ada", "secret")
    let user = try app.logIn("ada", "secret")
    server.state.withLock { $0.refreshStatus = status }
    let error = try #require(throws: CoreError.self) { try refresh(user) }
    #expect(error.status == .invalidSession)
    #expect(user.state == .FLX_USER_LOGGED_OUT)
  }

  @Test func aFailedRefreshKeepsTheUser() throws {
    let (server, folder) = (try AccountServer(), TemporaryFolder())
    let app = try CApp(url: server.url, folder: folder.path)
    let user = try app.logInAnonymously()
    server.state.withLock { $0.refreshStatus = 503 }
    #expect(throws: CoreError.self) { try refresh(user) }
    #expect(user.state == .FLX_USER_LOGGED_IN)
  }

  @Test func requestsAtTheSameTimeBecomeOne() throws {
    let (server, folder) = (try AccountServer(), TemporaryFolder())
    let app = try CApp(url: server.url, folder: folder.path)
    let user = try app.logInAnonymously().user
    let finished = Mutex(0)
    _ = try user.app.runtime.blocking { (blocker: Blocker<Bool>) in
      user.app.post {
        for _ in 1...3 {
          user.app.refreshAccessToken(of: user.id) { _ in
            if finished.withLock({
              $0 += 1; return $0
            }) == 3 {
              blocker.deliver(true)
            }
          }
        }
      }
    }
    #expect(server.count("POST /api/client/v2.0/auth/session") == 1)
  }
}
