// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import Testing

/// Users keep their own custom data: the team whose items they may see and change.
@Suite("Uploads that change what their author may do")
struct CustomUserDataUploadTests {
  private static let schema = Schema([
    ClassSchema(
      name: "UserData",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "userId", type: .string, isNullable: true),
        PropertySchema(name: "team", type: .string, isNullable: true),
      ]
    ),
    ClassSchema(
      name: "Item",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "owner", type: .string, isNullable: true),
        PropertySchema(name: "count", type: .int),
      ]
    ),
  ])

  private let app = SmallApp(
    sync: #""queryable_fields_names":["userId","owner"]"#,
    schemas: [
      "users": #"""
      {"title":"UserData","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"long"},
      "userId":{"bsonType":"string"},"team":{"bsonType":"string"}}}
      """#,
      "items": #"""
      {"title":"Item","bsonType":"object","required":["_id","count"],"properties":{"_id":{"bsonType":"long"},
      "owner":{"bsonType":"string"},"count":{"bsonType":"long"}}}
      """#,
    ]
  )
  private let harness: Harness
  private let client: SyncClient
  private let data = ObjectReference(table: "UserData", key: .int(1))

  /// A client that has subscribed to everything, and is away.
  init() throws {
    app.folder.write(
      #"""
      {"enabled":true,"mongo_service_name":"s","database_name":"d","collection_name":"users",
      "user_id_field":"userId"}
      """#,
      to: "auth/custom_user_data.json"
    )
    app.folder.write(
      #"""
      {"collection":"items","database":"d","roles":[{"name":"member","apply_when":{},
      "document_filters":{"read":{"owner":"%%user.custom_data.team"},
      "write":{"owner":"%%user.custom_data.team"}},
      "read":true,"write":true,"insert":true,"delete":true,"search":true}]}
      """#,
      to: "data_sources/s/d/items/rules.json"
    )
    harness = try Harness(app: app.path)
    client = try SyncClient(harness, schema: Self.schema)
    try client.connect()
    client.subscribe(#"{"UserData":"(TRUEPREDICATE)","Item":"(TRUEPREDICATE)"}"#)
    try client.synchronize()
    client.disconnect()
  }

  private func set(_ field: String, to text: String, of object: ObjectReference) -> Instruction {
    .update(PropertyPath(object: object, field: field), .value(.string(text)), .isDefault(false))
  }

  private func item(_ number: Int64) -> ObjectReference { ObjectReference(table: "Item", key: .int(number)) }

  private func joinTeam(_ team: String) throws {
    try client.write(
      .createObject(data),
      set("userId", to: client.userID, of: data),
      set("team", to: team, of: data)
    )
  }

  private func addItem(_ number: Int64, of team: String) throws {
    try client.write(.createObject(item(number)), set("owner", to: team, of: item(number)))
  }

  /// Sends everything that was written while the client was away, in one message.
  private func comeBack() throws {
    try client.connect()
    try client.synchronize()
    #expect(client.failures.isEmpty && client.historyCount == 0)
  }

  private func storedOwner(of number: Int64) throws -> Value? {
    try harness.openState().value("owner", of: item(number))
  }

  @Test("A user who joins a team may write to it at once, in the same message")
  func joining() throws {
    try joinTeam("red")
    try addItem(1, of: "red")
    try comeBack()
    #expect(client.rejections.isEmpty)
    #expect(try storedOwner(of: 1) == .string("red"))
    #expect(try client.objects.value("owner", of: item(1)) == .string("red"))
  }

  @Test("A user who leaves a team may no longer write to it, not even in the same message")
  func leaving() throws {
    try joinTeam("red")
    try addItem(1, of: "red")
    try comeBack()
    client.disconnect()
    try client.write(set("team", to: "blue", of: data))
    try addItem(2, of: "red")
    try addItem(3, of: "blue")
    try comeBack()
    #expect(client.rejections.map(\.key) == [.int(2)])
    #expect(try storedOwner(of: 2) == nil)
    #expect(try storedOwner(of: 3) == .string("blue"))
    #expect(try client.objects.contents(of: "Item").count == 1)
  }

  @Test(
    "A client that loses its connection amid such an upload has each change integrated once",
    arguments: 1...8
  )
  func interruption(messageCount: Int) throws {
    try joinTeam("red")
    for (number, team) in [(1, "red"), (2, "blue"), (3, "red"), (4, "blue")] as [(Int64, String)] {
      try client.write(set("team", to: team, of: data))
      try client.write(
        .createObject(item(number)),
        set("owner", to: team, of: item(number)),
        .addInteger(PropertyPath(object: item(number), field: "count"), delta: 1)
      )
    }
    client.messagesBeforeLoss = messageCount
    try comeBack()
    #expect(client.rejections.isEmpty)
    let state = try harness.openState()
    #expect(try (1...4).map { try state.value("count", of: item($0)) } == Array(repeating: .int(1), count: 4))
    #expect(try Set(client.objects.contents(of: "Item").keys) == [.int(2), .int(4)])
  }
}
