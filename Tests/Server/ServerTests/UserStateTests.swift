// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncCore
import FlexSyncJSON
import FlexSyncServerStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncServer

/// What another process does is noticed within a quarter of a second.
@Suite("Users who may not be connected any more")
struct UserStateTests {
  private let ann = "ann@example.com"

  private func client(_ harness: Harness, _ tokens: Harness.Tokens) throws -> SyncClient {
    let client = try SyncClient(harness, tokens: tokens, schema: TaskTracker.schema)
    try client.connect()
    return client
  }

  private func expectEnd(of client: SyncClient, _ harness: Harness) throws {
    try harness.run(until: { !client.isConnected }, "end of the connection", seconds: 2)
  }

  @Test("A user whom the operator disables is disconnected and logged out, and can be enabled again")
  func disabled() throws {
    let harness = try Harness()
    let tokens = try harness.newUser(ann)
    let (client, other) = (try client(harness, tokens), try client(harness, try harness.logIn()))
    try harness.administration().setDisabled(true, ann)
    try expectEnd(of: client, harness)
    #expect(other.isConnected)
    expectRefusal(try harness.request("POST", "/auth/session", token: tokens.refresh), 401, "UserDisabled")
    expectRefusal(try harness.request("GET", "/auth/profile", token: tokens.access), 401, "UserDisabled")
    expectRefusal(try harness.logIn(email: ann), 401, "UserDisabled")
    // Only who knows the password learns that.
    expectRefusal(try harness.logIn(email: ann, "wrong-password"), 401, "InvalidPassword")
    try harness.administration().setDisabled(false, ann)
    #expect(try harness.logIn(email: ann).status == 200)
  }

  @Test("A user whom the operator deletes is disconnected, and nothing is kept")
  func deleted() throws {
    let harness = try Harness()
    let tokens = try harness.newUser(ann)
    let client = try client(harness, tokens)
    let ident = try #require(client.file?.ident)
    // Deleting waits for the server, which shares this thread: both steps by hand.
    let administration = try harness.administration()
    try administration.store.write { try administration.editor.beginDeletion(tokens.userID) }
    try expectEnd(of: client, harness)
    // The device asks at once why it was disconnected. Nobody should be told to enable a user who is going.
    expectRefusal(try harness.request("POST", "/auth/session", token: tokens.refresh), 401, "UserNotFound")
    expectRefusal(try harness.logIn(email: ann), 401, "UserNotFound")
    try administration.store.write { try administration.store.deleteUser(id: tokens.userID) }
    #expect(try harness.served.engine.store.file(ident: ident) == nil)
    expectRefusal(try harness.logIn(email: ann), 401, "InvalidPassword")
    #expect(try harness.register(ann).status == 201)
  }

  @Test("Revoked sessions are disconnected; the user can log in again")
  func revoked() throws {
    let harness = try Harness()
    let tokens = try harness.newUser(ann)
    let client = try client(harness, tokens)
    try harness.administration().revokeSessions(ann)
    try expectEnd(of: client, harness)
    expectRefusal(try harness.request("POST", "/auth/session", token: tokens.refresh), 401, "InvalidSession")
    #expect(try harness.logIn(email: ann).status == 200)
  }

  @Test("Logging out ends the connections of that log-in alone")
  func loggedOut() throws {
    let harness = try Harness()
    let phone = try harness.newUser(ann)
    let tablet = try harness.tokens(try harness.logIn(email: ann))
    let (first, second) = (try client(harness, phone), try client(harness, tablet))
    #expect(try harness.request("DELETE", "/auth/session", token: phone.refresh).status == 204)
    try expectEnd(of: first, harness)
    #expect(second.isConnected)
    // A refresh token that is played again is worth nothing.
    for method in ["POST", "DELETE"] {
      let answer = try harness.request(method, "/auth/session", token: phone.refresh)
      #expect(answer.status == 401 || method == "DELETE")
    }
    expectRefusal(try harness.request("POST", "/auth/session", token: phone.refresh), 401, "InvalidSession")
    #expect(throws: (any Error).self) { try harness.connect(phone) }
  }

  @Test("A session lasts as long as the operator says, connected or not")
  func sessionExpiry() throws {
    let time = AdjustableTime()
    var policy = AccountPolicy()
    policy.sessionSeconds = 3600
    let harness = try Harness(clock: time.clock, accounts: policy)
    let tokens = try harness.logIn()
    let client = try client(harness, tokens)
    time.advance(seconds: 3000)
    try harness.served.sweep()
    #expect(client.isConnected)
    let answer = try harness.request("POST", "/auth/session", token: tokens.refresh)
    let access = try #require(answer.json?["access_token"]?.stringValue)
    time.advance(seconds: 600)
    try harness.served.sweep()
    try expectEnd(of: client, harness)
    // No access token outlives its session.
    expectRefusal(try harness.request("GET", "/auth/profile", token: access), 401, "InvalidSession")
    expectRefusal(try harness.request("POST", "/auth/session", token: tokens.refresh), 401, "InvalidSession")
  }

  @Test("What changes about a user in another process is told within a quarter of a second")
  func changes() throws {
    let harness = try Harness()
    try harness.configure {
      $0.customUserData = CustomUserDataConfiguration(
        collection: "people",
        userIDField: "owner",
        className: nil
      )
    }
    let tokens = try harness.newUser(ann)
    var changed: [String] = []
    try harness.served.accounts.onUserChanged = { changed.append($0) }
    try harness.administration().setCustomData(["team": "red"], of: ann)
    try harness.run(until: { !changed.isEmpty }, "change", seconds: 2)
    #expect(changed == [tokens.userID])
  }
}
