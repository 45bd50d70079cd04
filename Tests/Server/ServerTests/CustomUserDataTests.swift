// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCrypto
import FlexSyncJSON
import FlexSyncModel
import Logging
import Testing

@testable import FlexSyncAccounts
@testable import FlexSyncConfiguration
@testable import FlexSyncDocuments
@testable import FlexSyncServer
@testable import FlexSyncServerSupport

@Suite("Custom user data")
struct CustomUserDataTests {
  private let ann = "ann@example.com"

  /// What a client takes for the custom data: the claim of the access token.
  private func claim(_ accessToken: String) throws -> JSON? {
    let payload = try #require(Base64URL.decode(String(accessToken.split(separator: ".")[1])))
    return try JSON.parse(payload)["user_data"]
  }

  private func refreshedClaim(_ harness: Harness, _ tokens: Harness.Tokens) throws -> JSON? {
    let answer = try harness.request("POST", "/auth/session", token: tokens.refresh)
    return try claim(try #require(answer.json?["access_token"]?.stringValue))
  }

  private func harness(_ className: String?) throws -> Harness {
    let harness = try Harness()
    try harness.configure {
      $0.customUserData = CustomUserDataConfiguration(
        collection: "Task",
        userIDField: "assignee",
        className: className
      )
    }
    return harness
  }

  @Test("Without a configuration tokens say nothing")
  func off() throws {
    let harness = try Harness()
    let tokens = try harness.newUser(ann)
    #expect(try claim(tokens.access) == nil)
    #expect(try harness.profile(tokens)["custom_data"] == .object([]))
  }

  @Test("Stored data are in the token, in the profile and in what rules know")
  func stored() throws {
    let harness = try harness(nil)
    let tokens = try harness.newUser(ann)
    #expect(try claim(tokens.access) == .object([]))
    try harness.administration().setCustomData(["team": "red", "age": ["$numberInt": "5"]], of: ann)
    let expected: JSON = ["team": "red", "age": 5]
    #expect(try refreshedClaim(harness, tokens) == expected)
    #expect(try harness.profile(tokens)["custom_data"] == expected)
    #expect(try harness.served.accounts.userContext(id: tokens.userID)?.customData == expected)
    try harness.administration().setCustomData(nil, of: ann)
    #expect(try refreshedClaim(harness, tokens) == .object([]))
    #expect(throws: ServerError.self) { try harness.administration().setCustomData("text", of: ann) }
  }

  @Test("Data too long for a token are in the profile only")
  func long() throws {
    let harness = try harness(nil)
    let tokens = try harness.newUser(ann)
    let text = String(repeating: "x", count: 20_000)
    try harness.administration().setCustomData(["text": .string(text)], of: ann)
    #expect(try refreshedClaim(harness, tokens) == .object([]))
    #expect(try harness.profile(tokens)["custom_data"]?["text"]?.stringValue == text)
  }

  @Test("Objects of a synced class are the data of the user whom they name")
  func objects() throws {
    let harness = try harness("Task")
    let tokens = try harness.newUser(ann)
    let client = try SyncClient(harness, schema: TaskTracker.schema)
    try client.connect()
    client.subscribe(#"{"Task":"(TRUEPREDICATE)"}"#)
    try client.synchronize()
    let task = TaskTracker.task(1)
    try client.write(
      .createObject(task),
      .update(
        PropertyPath(object: task, field: "assignee"),
        .value(.string(tokens.userID)),
        .isDefault(false)
      ),
      .update(PropertyPath(object: task, field: "progressMinutes"), .value(.int(7)), .isDefault(false))
    )
    try client.synchronize()
    let data = try #require(try refreshedClaim(harness, tokens))
    #expect(data["assignee"]?.stringValue == tokens.userID && data["progressMinutes"] == 7)
    #expect(data["_id"]?["$oid"]?.stringValue?.count == 24)
    #expect(try harness.profile(tokens)["custom_data"] == data)
  }

  @Test("The operator is told when the data are objects")
  func setObjects() throws {
    let harness = try harness("Task")
    _ = try harness.newUser(ann)
    let accounts = try harness.served.accounts
    try AppNote(accounts.app).write(to: accounts.store)
    #expect(throws: ServerError.self) { try harness.administration().setCustomData(["a": 1], of: ann) }
  }

  @Test("Documents are imported to the users whom they name")
  func imported() throws {
    let harness = try harness(nil)
    let tokens = try harness.newUser(ann)
    let accounts = try harness.served.accounts
    let configuration = try #require(accounts.app.customUserData)
    let importer = CustomDataImport(
      configuration: configuration,
      presentStore: accounts.store,
      clock: .system
    )
    harness.folder.write(
      """
      {"assignee":"\(tokens.userID)","_id":{"$oid":"0123456789abcdef01234567"},"level":{"$numberLong":"3"}}
      {"assignee":{"$oid":"aaaaaaaaaaaaaaaaaaaaaaaa"},"level":4}
      """,
      to: "good.json"
    )
    #expect(try importer.isNew(["assignee": .string(tokens.userID)]))
    #expect(throws: DocumentError.self) { try importer.isNew(["level": 4]) }
    try importer.take(DocumentFile(path: "\(harness.folder.path)/good.json"), into: accounts.store)
    #expect(try !importer.isNew(["assignee": .string(tokens.userID)]))
    #expect(try harness.profile(tokens)["custom_data"]?["level"] == 3)
    #expect(try accounts.customData(userID: "aaaaaaaaaaaaaaaaaaaaaaaa")?["level"] == 4)
  }

  @Test("Every type of value becomes Extended JSON that can be read again")
  func values() throws {
    let values: [(Value, ValueType)] = [
      (.int(-5), .int), (.bool(true), .bool), (.string("é"), .string), (.double(1.5), .double),
      (.double(.infinity), .double), (.binary([1, 2]), .binary),
      (.timestamp(Timestamp(milliseconds: -1500)), .timestamp),
      (.objectId(try #require(ObjectId(hex: "0123456789abcdef01234567"))), .objectId),
      (.uuid(UUIDValue(high: 1, low: 2)), .uuid),
    ]
    for (value, type) in values {
      #expect(ExtendedJSON.value(ExtendedJSON.json(value), as: type) == value)
    }
  }
}
