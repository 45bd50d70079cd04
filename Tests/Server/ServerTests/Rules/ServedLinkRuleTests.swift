// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncJSON
import FlexSyncModel
import Testing

@testable import FlexSyncConfiguration

@Suite("Rules on links on the wire")
struct ServedLinkRuleTests {
  private static let everything =
    #"{"Note":"(TRUEPREDICATE)","Team":"(TRUEPREDICATE)","User":"(TRUEPREDICATE)"}"#

  private let notes = LinkedNotes(
    read: """
      {"$or":[{"owner":"%%user.id"},{"team":{"$in":"%%user.custom_data.teams"}},{"watchers":"%%user.id"},
       {"likers":{"$elemMatch":{"$in":["%%user.id","bob"],"$ne":"bob"}}}]}
      """,
    write: #"{"owner":"%%user.id"}"#,
    otherRole: """
      {"name":"admin","apply_when":{"%%user.custom_data.isAdmin":true},
       "document_filters":{"read":true,"write":true},"read":true,"write":true},
      """
  )
  private let harness: Harness
  private let schema: Schema

  init() throws {
    notes.app.folder.write(
      #"{"enabled":true,"mongo_service_name":"s","database_name":"d","collection_name":"staff","user_id_field":"id"}"#,
      to: "auth/custom_user_data.json"
    )
    harness = try Harness(app: notes.app.path)
    schema = try AppDirectory.load(notes.app.path).schema
  }

  private func client(_ customData: JSON) throws -> SyncClient {
    let tokens = try harness.logIn()
    try harness.administration().setCustomData(customData, of: tokens.userID)
    return try client(tokens)
  }

  private func client(_ tokens: Harness.Tokens) throws -> SyncClient {
    let client = try SyncClient(harness, tokens: tokens, schema: schema)
    try client.connect()
    client.subscribe(Self.everything)
    try client.synchronize()
    return client
  }

  private func note(_ number: Int64) -> ObjectReference { ObjectReference(table: "Note", key: .int(number)) }

  private func team(_ number: Int) -> ObjectReference {
    ObjectReference(table: "Team", key: .objectId(LinkedNotes.team[number - 1]))
  }

  private func set(_ field: String, _ target: PrimaryKey?, of object: ObjectReference) -> Instruction {
    let className = field == "owner" ? "User" : "Team"
    let value = target.map { Value.link(Link(className: className, key: $0)) } ?? .null
    return .update(PropertyPath(object: object, field: field), .value(value), .isDefault(false))
  }

  private func numbers(_ client: SyncClient) throws -> Set<Int64> {
    Set(
      try client.objects.contents(of: "Note").keys.compactMap { key in
        if case .int(let number) = key { number } else { nil }
      }
    )
  }

  @Test("Objects come and go as their links are set, cleared and left dangling, and a bootstrap has the same")
  func liveChanges() throws {
    let admin = try client(["isAdmin": true])
    let tokens = try harness.logIn()
    let teams: JSON = [["$oid": "65f000000000000000000001"], ["$oid": "65f000000000000000000002"]]
    try harness.administration().setCustomData(["teams": teams], of: tokens.userID)
    let ann = try client(tokens)
    // There is neither a user "ann" nor a second team: what is stored counts.
    let key = PrimaryKey.string(tokens.userID)
    try admin.write(.createObject(team(1)))
    for number in Int64(1)...6 { try admin.write(.createObject(note(number))) }
    try admin.write(
      set("owner", key, of: note(1)),
      set("owner", .string("bob"), of: note(2)),
      set("team", team(1).key, of: note(3)),
      set("team", team(2).key, of: note(4)),
      set("team", team(3).key, of: note(5))
    )
    func expect(_ expected: Set<Int64>, _ words: String) throws {
      try admin.synchronize()
      try ann.synchronize()
      #expect(try numbers(ann) == expected, "\(words)")
      // A device without anything is filled by a bootstrap.
      #expect(try numbers(try client(tokens)) == expected, "\(words), bootstrap")
    }
    try expect([1, 3, 4], "links that are set")
    try admin.write(
      set("owner", nil, of: note(1)),
      set("owner", key, of: note(2)),
      set("owner", key, of: note(6))
    )
    try expect([2, 3, 4, 6], "links that change")
    try admin.write(.eraseObject(team(1)))
    try expect([2, 3, 4, 6], "a target that is deleted by another, which leaves the link")
    try admin.write(.createObject(team(2)))
    try expect([2, 3, 4, 6], "a target that is created")
    try admin.erase(team(2))
    try expect([2, 3, 6], "a target that is deleted with the links to it")
    #expect(ann.failures.isEmpty && ann.rejections.isEmpty)
  }

  @Test("Objects come and go as their lists and sets of links change, and a bootstrap has the same")
  func collections() throws {
    let admin = try client(["isAdmin": true])
    let tokens = try harness.logIn()
    let ann = try client(tokens)
    func user(_ id: String) -> Value { .link(Link(className: "User", key: .string(id))) }
    func watchers(_ number: Int64, _ steps: PathElement...) -> PropertyPath {
      PropertyPath(object: note(number), field: "watchers", path: steps)
    }
    func likers(_ number: Int64) -> PropertyPath { PropertyPath(object: note(number), field: "likers") }
    func expect(_ expected: Set<Int64>, _ words: String) throws {
      try admin.synchronize()
      try ann.synchronize()
      #expect(try numbers(ann) == expected, "\(words)")
      #expect(try numbers(try client(tokens)) == expected, "\(words), bootstrap")
    }
    for number in Int64(1)...4 { try admin.write(.createObject(note(number))) }
    try admin.write(
      .arrayInsert(watchers(1, .index(0)), .value(user("bob")), priorSize: 0),
      .arrayInsert(watchers(1, .index(1)), .value(user(tokens.userID)), priorSize: 1),
      .arrayInsert(watchers(2, .index(0)), .value(user("bob")), priorSize: 0),
      .setInsert(likers(3), .value(user(tokens.userID))),
      .setInsert(likers(4), .value(user("bob")))
    )
    try expect([1, 3], "links that are added")
    try admin.write(
      .update(watchers(2, .index(0)), .value(user(tokens.userID)), .isDefault(false)),
      .arrayErase(watchers(1, .index(1)), priorSize: 2),
      .setErase(likers(3), .value(user(tokens.userID))),
      .setInsert(likers(4), .value(user(tokens.userID)))
    )
    try expect([2, 4], "links that change")
    try admin.write(.clear(likers(4), .set))
    try expect([2], "a set that is emptied")
    #expect(ann.failures.isEmpty && ann.rejections.isEmpty)
  }

  @Test("Writes are judged by what the link holds before and after")
  func writes() throws {
    let ann = try client(.object([]))
    let own = set("owner", .string(ann.userID), of: note(1))
    try ann.write(.createObject(note(1)), own)
    try ann.synchronize()
    #expect(ann.rejections.isEmpty)
    try ann.write(set("owner", .string("bob"), of: note(1)))
    try ann.write(.createObject(note(2)))
    try ann.synchronize()
    #expect(
      ann.rejections.map(\.reason)
        == [1, 2].map {
          #"write to \#($0) in table "Note" not allowed"#
        }
    )
    #expect(try numbers(ann) == [1])
  }

  @Test(
    "Subscriptions cannot look at links, also where rules do",
    arguments: [
      #"owner == obj(\"User\",\"ann\")"#, "owner == NULL", "owner._id == \\\"ann\\\"", "watchers.@count > 0",
    ]
  )
  func subscriptions(query: String) throws {
    let ann = try client(.object([]))
    ann.subscribe(#"{"Note":"(\#(query))"}"#)
    try harness.run(until: { !ann.queryErrors.isEmpty }, "error")
    #expect(ann.queryErrors.values.allSatisfy { $0.contains("is not a queryable field") })
  }
}
