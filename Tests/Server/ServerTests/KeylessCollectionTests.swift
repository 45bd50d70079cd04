// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import Testing

@testable import FlexSyncConfiguration
@testable import FlexSyncRules

@Suite("Collections whose schema has no _id, as exports have one for each embedded class")
struct KeylessCollectionTests {
  private static let person = #"""
    {"title":"Person","bsonType":"object","required":["_id"],"properties":{"_id":{"bsonType":"objectId"},
    "home":{"title":"Address","bsonType":"object","properties":{"street":{"bsonType":"string"}}}}}
    """#
  private static let street = #""street":{"bsonType":"string"}"#

  private func address(_ properties: String) -> String {
    #"{"title":"Address","bsonType":"object","properties":{\#(properties)}}"#
  }

  private func app(_ schemas: [String: String]) throws -> AppConfiguration {
    let app = SmallApp(schemas: schemas)
    return try withExtendedLifetime(app) { try AppDirectory.load(app.path) }
  }

  @Test("The schema of a class that another class embeds is taken without a word")
  func embedded() throws {
    let app = try app(["people": Self.person, "Address": address(Self.street)])
    #expect(app.schema["Address"]?.kind == .embedded && app.schema.classes.count == 2)
    #expect(app.classByCollection == ["people": "Person"])
    #expect(app.warnings.isEmpty)
  }

  @Test("A property that only the collection of an embedded class has is not synced, with a warning")
  func difference() throws {
    let app = try app([
      "people": Self.person, "Address": address(Self.street + #","city":{"bsonType":"string"}"#),
    ])
    #expect(app.schema["Address"]?.properties.map(\.name) == ["street"])
    #expect(
      app.warnings.map(\.description) == [
        #"data_sources/s/d/Address/schema.json: properties.city: is not synced: the class that embeds "Address" "#
          + #"declares no property "city" for it"#
      ]
    )
  }

  @Test("A class that nothing embeds is left out with a warning, and the others are served")
  func unused() throws {
    let schema = #"{"title":"Log","bsonType":"object","properties":{"line":{"bsonType":"string"}}}"#
    let app = SmallApp(schemas: ["people": Self.person, "logs": schema])
    let configuration = try AppDirectory.load(app.path)
    #expect(configuration.schema["Log"] == nil)
    #expect(
      configuration.warnings.map(\.description) == [
        #"data_sources/s/d/logs/schema.json: properties: _id is missing, and no class embeds "Log": this collection is "#
          + "not synced. Every synced class must have _id as its primary key"
      ]
    )
    let harness = try Harness(app: app.path)
    #expect(harness.server.apps[Harness.appID]?.engine.schema.schema["Person"] != nil)
  }

  @Test("A relationship to a collection without _id is an error")
  func relationship() throws {
    let app = SmallApp(schemas: [
      "people": Self.person.replacing(#""home":"#, with: #""log":{"bsonType":"objectId"},"home":"#),
      "logs": #"{"title":"Log","bsonType":"object","properties":{"line":{"bsonType":"string"}}}"#,
    ])
    app.writeRelationships(
      ##"{"log":{"ref":"#/relationship/s/d/logs","foreign_key":"_id","is_list":false}}"##,
      of: "people"
    )
    let error = #expect(throws: ConfigurationError.self) { try AppDirectory.load(app.path) }
    #expect(error?.description.contains(#"the collection "d/logs" has no schema with an _id"#) == true)
  }
}
