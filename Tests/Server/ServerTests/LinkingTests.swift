// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Testing

@testable import FlexSyncConfiguration

@Suite("Linking identities")
struct LinkingTests {
  private let ann = "ann@example.com"

  private func harness() throws -> Harness {
    let harness = try Harness(clock: AdjustableTime().clock)
    try harness.configure {
      $0.providers.allowsAPIKeys = true
      $0.providers.customToken = CustomTokenProvider(signingKeys: [CustomTokens.secret])
    }
    return harness
  }

  private func link(_ harness: Harness, _ provider: String, _ body: JSON, _ tokens: Harness.Tokens) throws
    -> Harness.Answer
  {
    try harness.request(
      "POST",
      "\(Harness.providers)/\(provider)/login?link=true",
      token: tokens.access,
      body: body
    )
  }

  private func credentials(_ email: String) -> JSON {
    ["username": .string(email), "password": .string(Harness.password)]
  }

  @Test("An anonymous user who links an account keeps identifier and files, and can come back by it")
  func anonymous() throws {
    let harness = try harness()
    let user = try harness.logIn()
    let client = try SyncClient(harness, tokens: user, schema: TaskTracker.schema)
    try client.connect()
    try harness.register(ann)
    let linked = try harness.tokens(try link(harness, "local-userpass", credentials(ann), user))
    #expect(linked.userID == user.userID)
    #expect(client.isConnected)
    let identities = try harness.profile(linked)["identities"]?.arrayValue ?? []
    #expect(identities.map { $0["provider_type"] } == ["anon-user", "local-userpass"])
    let back = try harness.tokens(try harness.logIn(email: ann))
    #expect(back.userID == user.userID)
    // The refresh token that the client had stays good, and so is the one of the answer.
    for token in [user.refresh, linked.refresh] {
      #expect(try harness.request("POST", "/auth/session", token: token).status == 201)
    }
  }

  @Test("An address that nobody has confirmed does not take the place of what a provider asserts")
  func unconfirmedAddress() throws {
    let harness = try harness()
    try harness.configure {
      $0.providers.customToken?.metadataFields = [MetadataField(path: "email"), MetadataField(path: "name")]
    }
    let claims = CustomTokens.claims(("email", "valjean@town.example"), ("name", "Jean"))
    let user = try harness.tokens(try harness.logIn(customToken: CustomTokens.sign(claims)))
    try harness.register("mayor@town.example")
    let linked = try harness.tokens(
      try link(harness, "local-userpass", credentials("mayor@town.example"), user)
    )
    let data: JSON = ["email": "valjean@town.example", "name": "Jean"]
    #expect(try harness.profile(linked)["data"] == data)
    #expect(try harness.served.accounts.userContext(id: user.userID)?.data == data)
    // Once it is confirmed, what was linked later counts.
    try harness.administration().confirm("mayor@town.example")
    #expect(try harness.profile(linked)["data"]?["email"] == "mayor@town.example")
  }

  @Test("A confirmed address stays when a token without address is linked")
  func confirmedAddress() throws {
    let harness = try harness()
    let user = try harness.newUser(ann)
    let linked = try harness.tokens(
      try link(harness, "custom-token", ["token": .string(CustomTokens.sign())], user)
    )
    #expect(try harness.profile(linked)["data"]?["email"] == .string(ann))
  }

  @Test("A user may have one identity of each provider")
  func providers() throws {
    let harness = try harness()
    let user = try harness.newUser(ann)
    let token: JSON = ["token": .string(CustomTokens.sign())]
    #expect(try link(harness, "custom-token", token, user).status == 200)
    #expect(try harness.tokens(try harness.logIn(customToken: CustomTokens.sign())).userID == user.userID)
    try harness.register("bob@example.com")
    let second = try link(harness, "local-userpass", credentials("bob@example.com"), user)
    expectRefusal(second, 400, "InternalServerError")
    #expect(
      second.json?["error"] == "linking a local-userpass identity is not allowed when one is already linked"
    )
  }

  @Test("An account that somebody uses cannot be linked")
  func inUse() throws {
    let harness = try harness()
    _ = try harness.newUser(ann)
    let answer = try link(harness, "local-userpass", credentials(ann), try harness.logIn())
    expectRefusal(answer, 401, "InvalidSession")
    #expect(answer.json?["error"] == "a user already exists with the specified provider")
  }

  @Test("Linking needs the credentials, and a token of this app")
  func proofs() throws {
    let harness = try harness()
    try harness.register(ann)
    let user = try harness.logIn()
    let wrong: JSON = ["username": .string(ann), "password": "wrong-password"]
    expectRefusal(try link(harness, "local-userpass", wrong, user), 401, "InvalidPassword")
    expectRefusal(try link(harness, "anon-user", .object([]), user), 400, "InternalServerError")
    expectRefusal(try link(harness, "api-key", ["key": "x"], user), 400, "InternalServerError")
    let path = "\(Harness.providers)/local-userpass/login?link=true"
    for token in [nil, user.refresh, "a.b.c"] {
      let answer = try harness.request("POST", path, token: token, body: credentials(ann))
      expectRefusal(answer, 401, "InvalidSession")
    }
    #expect(try harness.profile(user)["identities"]?.arrayValue?.count == 1)
  }
}
