// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncMatcher
import FlexSyncModel
import FlexSyncQuery
import Testing

@testable import FlexSyncConfiguration
@testable import FlexSyncRules

/// An app with notes that link to a user and a team, and what rules say of the notes.
struct LinkedNotes {
  static let team = (1...3).map { ObjectId(high: 0x65f0_0000_0000_0000, low: UInt32($0)) }

  let app = SmallApp(
    sync: #""queryable_fields_names":["owner","team","text","watchers","likers","place"]"#,
    schemas: [
      "users":
        #"{"title":"User","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"string"}}}"#,
      "teams": #"{"title":"Team","bsonType":"object","properties":{"_id":{"bsonType":"objectId"}}}"#,
      "notes": """
      {"title":"Note","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"long"},
       "text":{"bsonType":"string"},"owner":{"bsonType":"string"},"team":{"bsonType":"objectId"},
       "watchers":{"bsonType":"array","items":{"bsonType":"string"}},
       "likers":{"bsonType":"array","uniqueItems":true,"items":{"bsonType":"string"}},
       "place":{"bsonType":"object","title":"Place","properties":{"city":{"bsonType":"string"}}}}}
      """,
    ]
  )

  init(read: String, write: String = "false", applyWhen: String = "{}", otherRole: String = "") {
    func relationship(_ field: String, _ collection: String) -> String {
      """
      "\(field)":{"ref":"#/relationship/s/d/\(collection)","foreign_key":"_id","is_list":\(["watchers", "likers"].contains(field))}
      """
    }
    let toUsers = ["owner", "watchers", "likers"].map { relationship($0, "users") }
    app.writeRelationships(
      "{\(toUsers.joined(separator: ",")),\(relationship("team", "teams"))}",
      of: "notes"
    )
    app.folder.write(
      """
      {"roles":[\(otherRole){"name":"member","apply_when":\(applyWhen),
        "document_filters":{"read":\(read),"write":\(write)},"read":true,"write":true}]}
      """,
      to: "data_sources/s/d/notes/rules.json"
    )
  }

  var check: AppCheck { AppDirectory.check(app.path) }

  func read(_ user: UserContext) throws -> Predicate? {
    let app = try AppDirectory.load(app.path)
    return app.rules.permissions(of: user, schema: app.schema)["Note"]?.read
  }
}

@Suite("Rules on links")
struct LinkRuleTests {
  private let user = UserContext(
    id: "ann",
    customData: [
      "team": ["$oid": "65f000000000000000000001"], "teams": [["$oid": "65f000000000000000000001"]],
    ]
  )

  @Test(
    "A link compares as the key of its target",
    arguments: [
      (#"{"owner":"%%user.id"}"#, #"owner == obj("class_User","ann")"#),
      (#"{"owner":{"$ne":"%%user.id"}}"#, #"NOT (owner == obj("class_User","ann"))"#),
      (
        #"{"owner":{"$in":["%%user.id","bob"]}}"#,
        #"owner IN {obj("class_User","ann"), obj("class_User","bob")}"#
      ),
      (#"{"owner":{"$nin":["%%user.id"]}}"#, #"NOT (owner == obj("class_User","ann"))"#),
      (#"{"owner":null}"#, "owner == NULL"), (#"{"owner":{"$exists":true}}"#, "owner != NULL"),
      (#"{"owner":{"$exists":false}}"#, "NOT (owner != NULL)"),
      (#"{"owner":{"$in":[null,"bob"]}}"#, #"owner == NULL OR owner == obj("class_User","bob")"#),
      (
        #"{"team":{"$in":"%%user.custom_data.teams"}}"#,
        #"team == obj("class_Team",oid(65f000000000000000000001))"#
      ),
      // The key of a team may be null.
      (#"{"team":null}"#, #"team == NULL OR team == obj("class_Team",NULL)"#),
      (#"{"team":{"$exists":true}}"#, #"team != NULL AND team != obj("class_Team",NULL)"#),
      // Neither is known, and nothing opens because of it.
      (#"{"team":"%%user.custom_data.none"}"#, "FALSEPREDICATE"),
      (#"{"team":{"$ne":"%%user.custom_data.none"}}"#, "FALSEPREDICATE"),
      // Lists and sets of links ask their elements.
      (#"{"watchers":"%%user.id"}"#, #"watchers == obj("class_User","ann")"#),
      (#"{"likers":{"$ne":"%%user.id"}}"#, #"NOT (likers == obj("class_User","ann"))"#),
      (
        #"{"watchers":{"$in":["%%user.id","bob"]}}"#,
        #"ANY watchers == ANY {obj("class_User","ann"), obj("class_User","bob")}"#
      ),
      (
        #"{"likers":{"$all":["%%user.id","bob"]}}"#,
        #"likers == obj("class_User","ann") AND likers == obj("class_User","bob")"#
      ),
      (#"{"watchers":null}"#, "FALSEPREDICATE"), (#"{"watchers":{"$exists":true}}"#, "TRUEPREDICATE"),
      (#"{"watchers":[]}"#, "watchers.@count == 0"), (#"{"likers":{"$size":2}}"#, "likers.@count == 2"),
      (
        #"{"watchers":["ann","bob"]}"#,
        #"watchers IN {obj("class_User","ann"), obj("class_User","bob")}"#
      ),
      (#"{"likers":["ann"]}"#, #"likers.@count == 1 AND likers == obj("class_User","ann")"#),
      (
        #"{"watchers":{"$elemMatch":{"$in":["ann","bob"],"$ne":"bob"}}}"#,
        #"watchers == obj("class_User","ann")"#
      ),
      (
        #"{"watchers":{"$elemMatch":{"$nin":["ann","bob"]}}}"#,
        #"NOT (ALL watchers == ANY {obj("class_User","ann"), obj("class_User","bob")})"#
      ),
      (#"{"watchers":{"$elemMatch":{"$ne":"%%user.custom_data.none"}}}"#, "FALSEPREDICATE"),
      (#"{"watchers":{"$not":{"$elemMatch":{"$eq":"%%user.custom_data.none"}}}}"#, "FALSEPREDICATE"),
      (#"{"watchers":{"$size":"%%user.custom_data.none"}}"#, "FALSEPREDICATE"),
      (#"{"owner":{"$size":0}}"#, "FALSEPREDICATE"),
      // Other types never compare.
      (#"{"team":"%%user.id"}"#, "FALSEPREDICATE"), (#"{"team":{"$ne":"%%user.id"}}"#, "TRUEPREDICATE"),
    ]
  )
  func predicates(expression: String, text: String) throws {
    let notes = LinkedNotes(read: expression)
    let predicate = try #require(try notes.read(user))
    let app = try AppDirectory.load(notes.app.path)
    let expected = try Query.parse(text).bind(to: app.schema, className: "Note").predicate
    #expect(predicate == expected, "\(predicate.canonicalText)")
    #expect(
      try Query.parse(predicate.canonicalText).bind(to: app.schema, className: "Note").predicate == predicate
    )
  }

  @Test(
    "Indexes serve rules on links, in bootstraps and for changes",
    arguments: [
      (#"{"owner":"%%user.id"}"#, "(t0.owner = ?)"),
      (#"{"owner":{"$in":["%%user.id","bob"]}}"#, "(t0.owner IN (?, ?))"),
      (
        #"{"watchers":"%%user.id"}"#,
        "EXISTS (SELECT 1 FROM watchers AS q1 WHERE q1.owner = t0.flx_row AND (q1.value = ?))"
      ),
    ]
  )
  func indexes(expression: String, condition text: String) throws {
    let predicate = try #require(try LinkedNotes(read: expression).read(user))
    var index = PredicateIndex()
    _ = index.add(predicate)
    #expect(index.count == 1 && index.residualCount == 0)
    let condition = SQLCompiler.condition(
      predicate,
      on: "Note",
      layout: NamedColumns(),
      danglingLinks: .asStored
    )
    #expect(condition.text == text)
  }

  @Test("Checking an app directory warns of what is never true, and of nothing else")
  func warnings() {
    #expect(LinkedNotes(read: #"{"owner":"%%user.id","team":{"$ne":null}}"#).check.warnings.isEmpty)
    let mismatch = LinkedNotes(read: #"{"team":"%%user.id"}"#).check.warnings
    #expect(
      mismatch.contains {
        $0.message.contains("objectId and never equals a value of type string; convert it")
      }
    )
    let element = LinkedNotes(read: #"{"watchers":{"$elemMatch":{"$in":["ann",7]}}}"#).check.warnings
    #expect(element.contains { $0.message.contains("string and never equals a value of type int") })
    let size = LinkedNotes(read: #"{"owner":{"$size":2}}"#).check.warnings
    #expect(size.contains { $0.message.contains("\"owner\" of class \"Note\" is not an array") })
  }

  @Test(
    "A condition that cannot be judged keeps the app from being served",
    arguments: [
      (#"{"owner":{"$gt":"a"}}"#, "owner", "links, which have no order"),
      (#"{"$or":[{"watchers":{"$not":{"$lte":"a"}}}]}"#, "watchers", "links, which have no order"),
      (#"{"likers":["ann","bob"]}"#, "likers", "a set, whose elements have no order"),
      (#"{"likers":{"$in":[["ann","bob"]]}}"#, "likers", "a set, whose elements have no order"),
      (#"{"watchers":{"$elemMatch":{"$gt":"a"}}}"#, "watchers", "links, which have no order"),
      (#"{"watchers":{"$elemMatch":{"$gt":"a","$ne":"b"}}}"#, "watchers", "only as its sole condition"),
    ]
  )
  func obstacles(expression: String, field: String, reason: String) throws {
    let errors = LinkedNotes(read: expression).check.errors
    #expect(errors.count == 1)
    let message = try #require(errors.first?.message)
    for part in ["role \"member\"", "\"\(field)\" of class \"Note\"", reason] {
      #expect(message.contains(part), "\(message)")
    }
  }

  @Test("Embedded objects are no fields for rules")
  func others() throws {
    let notes = LinkedNotes(read: #"{"place":"%%user.id"}"#)
    #expect(try notes.read(user) == nil)
    #expect(notes.check.warnings.contains { $0.message.contains("\"place\" is not a queryable field") })
  }
}

/// Tables and columns that are called like classes and properties.
private struct NamedColumns: SQLLayout {
  func table(of className: String) -> String { className }
  func primaryKeyColumn(of className: String) -> String { "_id" }
  func column(_ property: String, of className: String) -> String { property }
  func nanosecondsColumn(_ property: String, of className: String) -> String { "\(property)_ns" }
  func collectionTable(_ property: String, of className: String) -> String { property }
  func incomingLinks(to className: String) -> [(owner: String, property: PropertySchema)]? { nil }
  func isKeyNullable(of className: String) -> Bool { true }
}
