// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery
import Testing

@testable import FlexSyncServer

/// An app with notes that link to a user and a team, and what rules say of the notes.
struct LinkedNotes {
  static let team = (1...3).map { ObjectId(high: 0x65f0_0000_0000_0000, low: UInt32($0)) }

  let app = SmallApp(
    sync: #""queryable_fields_names":["owner","team","text","watchers","place"]"#,
    schemas: [
      "users":
        #"{"title":"User","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"string"}}}"#,
      "teams": #"{"title":"Team","bsonType":"object","properties":{"_id":{"bsonType":"objectId"}}}"#,
      "notes": """
      {"title":"Note","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"long"},
       "text":{"bsonType":"string"},"owner":{"bsonType":"string"},"team":{"bsonType":"objectId"},
       "watchers":{"bsonType":"array","items":{"bsonType":"string"}},
       "place":{"bsonType":"object","title":"Place","properties":{"city":{"bsonType":"string"}}}}}
      """,
    ]
  )

  init(read: String, write: String = "false", applyWhen: String = "{}", otherRole: String = "") {
    func relationship(_ field: String, _ collection: String) -> String {
      """
      "\(field)":{"ref":"#/relationship/s/d/\(collection)","foreign_key":"_id","is_list":\(field == "watchers")}
      """
    }
    app.writeRelationships(
      "{\(relationship("owner", "users")),\(relationship("team", "teams")),\(relationship("watchers", "users"))}",
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
      (#"{"owner":{"$gt":"a"}}"#, "FALSEPREDICATE"), (#"{"owner":{"$not":{"$gt":"a"}}}"#, "FALSEPREDICATE"),
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
    arguments: [#"{"owner":"%%user.id"}"#, #"{"owner":{"$in":["%%user.id","bob"]}}"#]
  )
  func indexes(expression: String) throws {
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
    #expect(["(t0.owner = ?)", "(t0.owner IN (?, ?))"].contains(condition.text), "\(condition.text)")
  }

  @Test("Checking an app directory warns of what is never true, and of nothing else")
  func warnings() {
    #expect(LinkedNotes(read: #"{"owner":"%%user.id","team":{"$ne":null}}"#).check.warnings.isEmpty)
    let mismatch = LinkedNotes(read: #"{"team":"%%user.id"}"#).check.warnings
    #expect(mismatch.contains { $0.message.contains("objectId and never equals a string; convert it") })
    let order = LinkedNotes(read: #"{"owner":{"$gt":"a"}}"#).check.warnings
    #expect(order.contains { $0.message.contains("neither greater nor less") })
  }

  @Test("Lists of links and embedded objects are no fields for rules", arguments: ["watchers", "place"])
  func others(field: String) throws {
    let notes = LinkedNotes(read: #"{"\#(field)":"%%user.id"}"#)
    #expect(try notes.read(user) == nil)
    #expect(notes.check.warnings.contains { $0.message.contains("\"\(field)\" is no queryable field") })
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
