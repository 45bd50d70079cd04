// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncServerSupport

@Suite("API keys")
struct APIKeyTests {
  private let path = "/auth/api_keys"

  private func harness(_ policy: AccountPolicy = AccountPolicy()) throws -> Harness {
    let harness = try Harness(accounts: policy)
    try harness.configure { $0.providers.allowsAPIKeys = true }
    return harness
  }

  private func logIn(_ harness: Harness, key: String) throws -> Harness.Answer {
    try harness.request("POST", "\(Harness.providers)/api-key/login", body: ["key": .string(key)])
  }

  @Test("A user makes keys that log in as the user, until they are disabled or deleted")
  func life() throws {
    let harness = try harness()
    let user = try harness.newUser("ann@example.com")
    let created = try harness.request("POST", path, token: user.refresh, body: ["name": "my_key-1"])
    #expect(created.status == 201)
    let id = try #require(created.json?["_id"]?.stringValue)
    let key = try #require(created.json?["key"]?.stringValue)
    #expect(created.json?["name"] == "my_key-1" && created.json?["disabled"] == false)
    #expect(try harness.tokens(try logIn(harness, key: key)).userID == user.userID)

    let expected: JSON = ["_id": .string(id), "name": "my_key-1", "disabled": false]
    #expect(try harness.request("GET", path, token: user.refresh).json == .array([expected]))
    #expect(try harness.request("GET", "\(path)/\(id)", token: user.refresh).json == expected)
    #expect(try harness.request("PUT", "\(path)/\(id)/disable", token: user.refresh).status == 204)
    let disabled = try harness.request("GET", "\(path)/\(id)", token: user.refresh)
    #expect(disabled.json?["disabled"] == true)
    expectRefusal(try logIn(harness, key: key), 401, "AuthError")
    #expect(try harness.request("PUT", "\(path)/\(id)/enable", token: user.refresh).status == 204)
    #expect(try logIn(harness, key: key).status == 200)
    #expect(try harness.request("DELETE", "\(path)/\(id)", token: user.refresh).status == 204)
    expectRefusal(try harness.request("GET", "\(path)/\(id)", token: user.refresh), 404, "APIKeyNotFound")
    expectRefusal(try logIn(harness, key: key), 401, "AuthError")
    expectRefusal(try logIn(harness, key: "guess"), 401, "AuthError")
  }

  private func newKey(_ harness: Harness, _ user: Harness.Tokens, _ name: String = "key") throws
    -> (id: String, key: String)
  {
    let created = try harness.request("POST", path, token: user.refresh, body: ["name": .string(name)])
    return (
      try #require(created.json?["_id"]?.stringValue), try #require(created.json?["key"]?.stringValue)
    )
  }

  @Test(
    "What a key has logged in ends with the key, and nothing else",
    arguments: ["disable", "delete", "operator"]
  )
  func sessionsOfKeys(way: String) throws {
    let harness = try harness()
    let user = try harness.newUser("ann@example.com")
    let (id, key) = try newKey(harness, user)
    let (_, otherKey) = try newKey(harness, user, "other")
    let byKey = try harness.tokens(try logIn(harness, key: key))
    let byOther = try harness.tokens(try logIn(harness, key: otherKey))
    let connection = try harness.connect(byKey)
    let others = [try harness.connect(user), try harness.connect(byOther)]
    switch way {
    case "disable":
      #expect(try harness.request("PUT", "\(path)/\(id)/disable", token: user.refresh).status == 204)
    case "delete": #expect(try harness.request("DELETE", "\(path)/\(id)", token: user.refresh).status == 204)
    default: try harness.administration().setDisabled(true, apiKey: id)
    }
    try harness.run(until: { connection.isClosed }, "end of the connection")
    expectRefusal(try harness.request("POST", "/auth/session", token: byKey.refresh), 401, "InvalidSession")
    expectRefusal(try harness.request("GET", "/auth/profile", token: byKey.access), 401, "InvalidSession")
    for tokens in [user, byOther] {
      #expect(try harness.request("POST", "/auth/session", token: tokens.refresh).status == 201)
    }
    #expect(others.filter { !$0.isOpen }.isEmpty)
  }

  @Test("A log-in by key makes and enables no keys, so that a key that is revoked leaves none behind")
  func keysByKeys() throws {
    let harness = try harness()
    let user = try harness.newUser("ann@example.com")
    let byKey = try harness.tokens(try logIn(harness, key: try newKey(harness, user).key))
    let (id, _) = try newKey(harness, user, "other")
    let created = try harness.request("POST", path, token: byKey.refresh, body: ["name": "third"])
    expectRefusal(created, 403, "AuthError")
    #expect(try harness.request("PUT", "\(path)/\(id)/disable", token: byKey.refresh).status == 204)
    expectRefusal(try harness.request("PUT", "\(path)/\(id)/enable", token: byKey.refresh), 403, "AuthError")
    #expect(try harness.request("PUT", "\(path)/\(id)/enable", token: user.refresh).status == 204)
  }

  @Test("A log-in by key links no identities, with which it could come back without the key")
  func linkingByKey() throws {
    let harness = try harness()
    let user = try harness.newUser("ann@example.com")
    let byKey = try harness.tokens(try logIn(harness, key: try newKey(harness, user).key))
    try harness.register("bob@example.com")
    let linked = try harness.request(
      "POST",
      "\(Harness.providers)/local-userpass/login?link=true",
      token: byKey.access,
      body: ["username": "bob@example.com", "password": .string(Harness.password)]
    )
    expectRefusal(linked, 403, "AuthError")
    #expect(try harness.profile(user)["identities"]?.arrayValue?.count == 1)
  }

  @Test("Keys do not outlive a password that is replaced; their owner can enable them again")
  func passwordReset() throws {
    let harness = try harness()
    let email = "ann@example.com"
    let user = try harness.newUser(email)
    let (id, key) = try newKey(harness, user)
    let byKey = try harness.tokens(try logIn(harness, key: key))
    let change: JSON = [
      "username": .string(email), "password": .string(Harness.password), "newPassword": "new-secret",
    ]
    #expect(try harness.emailPassword("change", change).status == 200)
    expectRefusal(try logIn(harness, key: key), 401, "AuthError")
    expectRefusal(try harness.request("POST", "/auth/session", token: byKey.refresh), 401, "InvalidSession")
    let back = try harness.tokens(try harness.logIn(email: email, "new-secret"))
    #expect(try harness.request("PUT", "\(path)/\(id)/enable", token: back.refresh).status == 204)
    #expect(try logIn(harness, key: key).status == 200)
    try harness.administration().setPassword("third-secret", of: email)
    expectRefusal(try logIn(harness, key: key), 401, "AuthError")
  }

  @Test("Nobody reaches the keys of another user")
  func others() throws {
    let harness = try harness()
    let ann = try harness.newUser("ann@example.com")
    let bob = try harness.newUser("bob@example.com")
    let created = try harness.request("POST", path, token: ann.refresh, body: ["name": "key"])
    let id = try #require(created.json?["_id"]?.stringValue)
    for (method, suffix) in [("GET", ""), ("DELETE", ""), ("PUT", "/enable"), ("PUT", "/disable")] {
      let answer = try harness.request(method, "\(path)/\(id)\(suffix)", token: bob.refresh)
      expectRefusal(answer, 404, "APIKeyNotFound")
    }
    #expect(try harness.request("GET", path, token: bob.refresh).json == .array([]))
  }

  @Test("Keys need a user who can come back, a name that is free, and the refresh token")
  func refusals() throws {
    var policy = AccountPolicy()
    policy.apiKeysPerUser = 1
    let harness = try harness(policy)
    let anonymous = try harness.logIn()
    func create(_ name: String, _ token: String?) throws -> Harness.Answer {
      try harness.request("POST", path, token: token, body: ["name": .string(name)])
    }
    expectRefusal(try create("key", anonymous.refresh), 400, "BadRequest")
    let ann = try harness.newUser("ann@example.com")
    expectRefusal(try create("key", ann.access), 401, "InvalidSession")
    expectRefusal(try create("key", nil), 401, "InvalidSession")
    expectRefusal(try create("my key", ann.refresh), 400, "InvalidParameter")
    #expect(try create("key", ann.refresh).status == 201)
    expectRefusal(try create("other", ann.refresh), 400, "BadRequest")
    try harness.configure { $0.providers.allowsAPIKeys = false }
    expectRefusal(try create("other", ann.refresh), 404, "AuthProviderNotFound")
    expectRefusal(try logIn(harness, key: "x"), 404, "AuthProviderNotFound")
  }

  @Test("Two keys of a user have two names")
  func names() throws {
    let harness = try harness()
    let ann = try harness.newUser("ann@example.com")
    let statuses = try (0..<2).map { _ in
      try harness.request("POST", path, token: ann.refresh, body: ["name": "key"]).status
    }
    #expect(statuses == [201, 409])
  }

  @Test("A key that the operator makes for a user logs in as the user")
  func keysFromTheOperator() throws {
    let harness = try harness()
    let user = try harness.newUser("ann@example.com")
    let administration = try harness.administration()
    let (key, summary) = try administration.createAPIKey(name: "moving", of: "ann@example.com")
    #expect(try harness.tokens(try logIn(harness, key: key)).userID == user.userID)
    #expect(try administration.apiKeys(of: user.userID).map(\.id) == [summary.id])
    #expect(throws: ServerError.self) { try administration.createAPIKey(name: "moving", of: user.userID) }
    #expect(throws: ServerError.self) { try administration.createAPIKey(name: "no name", of: user.userID) }
    #expect(throws: ServerError.self) { try administration.createAPIKey(name: "other", of: "nobody") }
    for number in 2...20 { _ = try administration.createAPIKey(name: "key\(number)", of: user.userID) }
    #expect(throws: ServerError.self) { try administration.createAPIKey(name: "key21", of: user.userID) }
  }

  @Test("A server key that the operator makes logs in as a server user of its own")
  func serverKeys() throws {
    let harness = try harness()
    let administration = try harness.administration()
    let (key, summary) = try administration.createServerAPIKey(name: "importer")
    let tokens = try harness.tokens(try logIn(harness, key: key))
    let profile = try harness.profile(tokens)
    #expect(profile["type"] == "server" && profile["data"] == ["name": "importer"])
    #expect(throws: ServerError.self) { try administration.createServerAPIKey(name: "importer") }
    #expect(try administration.apiKeys(of: nil).map(\.id) == [summary.id])
    try administration.setDisabled(true, apiKey: "importer")
    expectRefusal(try logIn(harness, key: key), 401, "AuthError")
    expectRefusal(try harness.request("POST", "/auth/session", token: tokens.refresh), 401, "InvalidSession")
    try administration.setDisabled(false, apiKey: summary.id)
    #expect(try logIn(harness, key: key).status == 200)
    try administration.deleteAPIKey("importer")
    #expect(try administration.apiKeys(of: nil).isEmpty)
    #expect(throws: ServerError.self) { try administration.show(tokens.userID) }
  }
}
