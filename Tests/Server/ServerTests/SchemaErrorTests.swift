// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncWire
import Testing

@testable import FlexSyncConfiguration
@testable import FlexSyncEngine
@testable import FlexSyncRules

@Suite("Schemas of clients that the server does not take (protocol §10)")
struct SchemaErrorTests {
  private static let schemas = [
    "notes": #"""
    {"title":"Note","bsonType":"object","required":["_id","text"],"properties":{"_id":{"bsonType":"objectId"},
    "text":{"bsonType":"string"},"count":{"bsonType":"int"},"tags":{"bsonType":"array","items":{"bsonType":"string"}},
    "home":{"title":"Home","bsonType":"object","properties":{"street":{"bsonType":"string"}}}}}
    """#
  ]
  private static let note = ClassSchema(
    name: "Note",
    primaryKey: PropertySchema(name: "_id", type: .objectId),
    properties: [
      PropertySchema(name: "text", type: .string),
      PropertySchema(name: "count", type: .int, isNullable: true),
      PropertySchema(name: "tags", type: .string, collection: .list),
      PropertySchema(name: "home", type: .link, isNullable: true, linkTarget: "Home"),
    ]
  )
  private static let home = ClassSchema(
    name: "Home",
    kind: .embedded,
    primaryKey: nil,
    properties: [PropertySchema(name: "street", type: .string, isNullable: true)]
  )

  private static func declarations(_ classes: [ClassSchema]) -> [Instruction] {
    ObjectStore.declarations(of: Schema(classes))
  }

  /// What the server says to declarations; nil if it takes them.
  private func refusal(_ declarations: [Instruction], isDevelopmentMode: Bool = false) throws -> String? {
    let app = SmallApp(isDevelopmentMode: isDevelopmentMode, schemas: Self.schemas)
    let harness = try Harness(app: app.path)
    let engine = try #require(harness.server.apps[Harness.appID]).engine
    do {
      _ = try engine.store.write { try engine.schema.accept(declarations) }
      return nil
    } catch let failure as SessionFailure {
      #expect(failure.code == .invalidSchemaChange && failure.action == .applicationBug && !failure.tryAgain)
      let prefix = "Invalid schema change (UPLOAD): "
      #expect(failure.message.hasPrefix(prefix))
      return String(failure.message.dropFirst(prefix.count))
    }
  }

  private func changed(_ change: (inout ClassSchema) -> Void) -> [Instruction] {
    var note = Self.note
    change(&note)
    return Self.declarations([note, Self.home])
  }

  @Test("A schema that agrees is taken, also part of it", arguments: [false, true])
  func agreement(isDevelopmentMode: Bool) throws {
    #expect(
      try refusal(Self.declarations([Self.note, Self.home]), isDevelopmentMode: isDevelopmentMode) == nil
    )
    #expect(try refusal(changed { $0.properties.removeLast(2) }, isDevelopmentMode: isDevelopmentMode) == nil)
  }

  @Test("New classes and properties are for development mode only, and all are named")
  func additions() throws {
    let extra = ClassSchema(
      name: "Extra",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: []
    )
    var note = Self.note
    note.properties += [PropertySchema(name: "a", type: .int), PropertySchema(name: "b", type: .int)]
    let declarations = Self.declarations([note, Self.home, extra])
    #expect(
      try refusal(declarations)
        == #"non-breaking schema change: adding schema for Realm table "Extra", schema changes from clients are "#
        + #"restricted when developer mode is disabled; so are property "Note.a", property "Note.b""#
    )
    #expect(try refusal(declarations, isDevelopmentMode: true) == nil)
  }

  @Test("What differs is said, in development mode, too", arguments: [false, true])
  func differences(isDevelopmentMode: Bool) throws {
    func expect(_ message: String, _ change: (inout ClassSchema) -> Void) throws {
      #expect(try refusal(changed(change), isDevelopmentMode: isDevelopmentMode) == message)
    }
    try expect(#"property "Note.text" is a single int, but a single string on the server"#) {
      $0.properties[0].type = .int
    }
    try expect(#"property "Note.text" is optional, but required on the server ("required" in schema.json)"#) {
      $0.properties[0].isNullable = true
    }
    try expect(#"property "Note.count" is required, but optional on the server ("required" in schema.json)"#)
    {
      $0.properties[1].isNullable = false
    }
    try expect(#"property "Note.tags" has elements that are optional, but required on the server"#) {
      $0.properties[2].isNullable = true
    }
    try expect(#"property "Note.tags" is a set of string, but a list of string on the server"#) {
      $0.properties[2].collection = .set
    }
    try expect(
      #"property "Note.home" is a single optional link to "Note", but a single optional link to "Home" on the server"#
    ) {
      $0.properties[3].linkTarget = "Note"
    }
    try expect(
      #"class "Note" has the primary key "_id" (a single string), but the primary key "_id" (a single objectId) on the server"#
    ) { $0.primaryKey?.type = .string }
    try expect(
      #"class "Note" has the primary key "_id" (a single optional objectId), but the primary key "_id" (a single objectId) on the server"#
    ) { $0.primaryKey?.isNullable = true }
    try expect(#"class "Note" is an asymmetric class, but a class of top-level objects on the server"#) {
      $0.kind = .asymmetric
    }
  }

  @Test("Names that Realm's SDKs refuse are not taken for all clients")
  func names() throws {
    func refusal(className: String = "New", property: String = "text") throws -> String? {
      let new = ClassSchema(
        name: className,
        primaryKey: PropertySchema(name: "_id", type: .int),
        properties: [PropertySchema(name: property, type: .string)]
      )
      return try self.refusal(Self.declarations([new]), isDevelopmentMode: true)
    }
    func name(_ count: Int) -> String { String(repeating: "n", count: count) }
    #expect(try refusal(className: name(57), property: name(63)) == nil)
    #expect(try refusal(className: "Straße", property: "größe_😀") == nil)
    #expect(
      try refusal(className: name(58))
        == "the name of class \"\(name(58))\" has 58 bytes; 1 to 57 are allowed"
    )
    #expect(try refusal(className: "") == #"the name of class "" has 0 bytes; 1 to 57 are allowed"#)
    #expect(
      try refusal(property: name(64))
        == "the name of property \"\(name(64))\" of class \"New\" has 64 bytes; 1 to 63 are allowed"
    )
    #expect(try refusal(className: name(300))?.contains("has 300 bytes") == true)
    #expect(try refusal(property: "")?.contains("has 0 bytes") == true)
    for bad in ["a\u{0}b", "a\nb", "a\u{7f}", "\u{9b}x"] {
      #expect(try refusal(className: bad)?.hasSuffix("has control characters") == true)
      #expect(try refusal(property: bad)?.hasSuffix("has control characters") == true)
    }
    for bad in ["$set", "a.b"] {
      #expect(try refusal(property: bad)?.hasSuffix(#"begins with "$" or contains ".""#) == true)
    }
  }

  @Test("A name is its bytes: another that only Unicode calls equal is not taken")
  func spellings() throws {
    let (composed, decomposed) = ("Caf\u{e9}", "Cafe\u{301}")
    func new(_ name: String, _ property: String, target: String? = nil) -> ClassSchema {
      let link = PropertySchema(name: property, type: .link, isNullable: true, linkTarget: target)
      let text = PropertySchema(name: property, type: .string)
      return ClassSchema(
        name: name,
        primaryKey: PropertySchema(name: "_id", type: .int),
        properties: [target == nil ? text : link]
      )
    }
    func refusal(_ second: ClassSchema) throws -> String? {
      var all = ObjectStore.declarations(of: Schema([new(composed, composed)]))
      all += ObjectStore.declarations(of: Schema([second]))
      return try self.refusal(all, isDevelopmentMode: true)
    }
    #expect(try refusal(new(composed, composed)) == nil)
    let other = "consist of other characters in Unicode; use the same characters for both"
    #expect(
      try refusal(new(decomposed, "text"))
        == "the names of class \"\(decomposed)\" and class \"\(composed)\" look the same, but \(other)"
    )
    #expect(
      try refusal(new(composed, decomposed))
        == "the names of property \"\(composed).\(decomposed)\" and property \"\(composed).\(composed)\" look the same, "
        + "but \(other)"
    )
    #expect(
      try refusal(new("Other", "link", target: decomposed))?.hasSuffix("look the same, but \(other)") == true
    )
  }

  @Test("The keys of a dictionary can only be texts")
  func keyTypes() throws {
    let counts = PropertySchema(name: "counts", type: .int, collection: .dictionary)
    #expect(
      try refusal([.addColumn(table: "Note", counts, keyType: .int)], isDevelopmentMode: true)
        == #"property "Note.counts" is a dictionary with keys of type int; keys must be of type string"#
    )
    #expect(
      try refusal([.addColumn(table: "Note", counts, keyType: .string)], isDevelopmentMode: true) == nil
    )
  }

  @Test("No error tells a client how and where the server stores what it has")
  func noInternals() throws {
    let new = ClassSchema(
      name: "New",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: (0..<3_000).map { PropertySchema(name: "number\($0)", type: .int) }
    )
    let message = try #require(try refusal(Self.declarations([new]), isDevelopmentMode: true))
    for word in ["sqlite", "/", "CREATE", "ALTER", "column"] {
      #expect(!message.contains(word), "\(message)")
    }
  }

  @Test("Primary keys are named _id and have one of four types")
  func primaryKeys() throws {
    func refusal(_ key: PropertySchema?) throws -> String? {
      try self.refusal(
        Self.declarations([ClassSchema(name: "New", primaryKey: key, properties: [])]),
        isDevelopmentMode: true
      )
    }
    for type in [ValueType.int, .string, .objectId, .uuid] {
      #expect(try refusal(PropertySchema(name: "_id", type: type)) == nil)
      #expect(try refusal(PropertySchema(name: "_id", type: type, isNullable: true)) == nil)
    }
    #expect(try refusal(nil) == #"class "New" needs a primary key named "_id""#)
    #expect(
      try refusal(PropertySchema(name: "id", type: .int)) == #"class "New" needs a primary key named "_id""#
    )
    #expect(
      try refusal(PropertySchema(name: "_id", type: .double))
        == #"the primary key of class "New" is a single double; it must be an int, string, objectId or uuid"#
    )
  }

  @Test("Nothing is removed")
  func removals() throws {
    #expect(
      try refusal([.eraseTable(name: "Note")], isDevelopmentMode: true) == #"class "Note" cannot be removed"#
    )
    #expect(
      try refusal([.eraseColumn(table: "Note", name: "text")], isDevelopmentMode: true)
        == #"property "Note.text" cannot be removed"#
    )
  }

  @Test("A property of a class that nobody has declared is refused")
  func orphans() throws {
    #expect(
      try refusal(
        [.addColumn(table: "Nowhere", PropertySchema(name: "x", type: .int), keyType: nil)],
        isDevelopmentMode: true
      ) == #"property "Nowhere.x" belongs to a class that is not declared"#
    )
  }

  // MARK: Directories

  @Test("Types of properties become those of the wire (protocol §10.4)")
  func types() throws {
    let app = SmallApp(schemas: [
      "all": #"""
      {"title":"All","bsonType":"object","required":["_id","s"],"properties":{"_id":{"bsonType":"uuid"},
      "s":{"bsonType":"string"},"i":{"bsonType":"int"},"l":{"bsonType":"long"},"b":{"bsonType":"bool"},
      "d":{"bsonType":"date"},"f":{"bsonType":"float"},"o":{"bsonType":"double"},"m":{"bsonType":"decimal"},
      "u":{"bsonType":"uuid"},"x":{"bsonType":"binData"},"a":{"bsonType":"mixed"},"j":{"bsonType":"objectId"},
      "ls":{"bsonType":"array","items":{"bsonType":"int"}},
      "ln":{"bsonType":"array","items":{"bsonType":["int","null"]}},
      "st":{"bsonType":"array","uniqueItems":true,"items":{"bsonType":"string"}},
      "di":{"bsonType":"object","additionalProperties":{"bsonType":"double"}}}}
      """#
    ])
    let all = try #require(try AppDirectory.load(app.path).schema["All"])
    func property(_ name: String) -> PropertySchema? { all.property(named: name) }
    #expect(property("_id") == PropertySchema(name: "_id", type: .uuid))
    #expect(property("s") == PropertySchema(name: "s", type: .string))
    let optional: [(String, ValueType)] = [
      ("i", .int), ("l", .int), ("b", .bool), ("d", .timestamp), ("f", .float), ("o", .double),
      ("m", .decimal),
      ("u", .uuid), ("x", .binary), ("a", .mixed), ("j", .objectId),
    ]
    for (name, type) in optional {
      #expect(property(name) == PropertySchema(name: name, type: type, isNullable: true), "\(name)")
    }
    #expect(property("ls") == PropertySchema(name: "ls", type: .int, collection: .list))
    #expect(property("ln") == PropertySchema(name: "ln", type: .int, isNullable: true, collection: .list))
    #expect(property("st") == PropertySchema(name: "st", type: .string, collection: .set))
    #expect(property("di") == PropertySchema(name: "di", type: .double, collection: .dictionary))
  }

  @Test(
    "What is wrong with a schema.json is said with its key",
    arguments: [
      (#"{"bsonType":"object","properties":{"_id":{"bsonType":"int"}}}"#, nil, "title is missing"),
      (#"{"title":"A","bsonType":"object"}"#, nil, "properties is missing"),
      (
        #"{"title":"A","properties":{"_id":{"bsonType":"double"}}}"#, "properties._id",
        #"bsonType is "double"; a primary key must be an objectId, string, int, long or uuid"#
      ),
      (
        #"{"title":"A","properties":{"_id":{"bsonType":"int"},"x":{"bsonType":"number"}}}"#, "properties.x",
        #"unknown bsonType "number""#
      ),
      (
        #"{"title":"A","properties":{"_id":{"bsonType":"int"},"x":{"bsonType":"array"}}}"#, "properties.x",
        "items is missing; it must give the type of the array's elements"
      ),
      (
        #"{"title":"A","properties":{"_id":{"bsonType":"int"},"x":{"bsonType":["int","string"]}}}"#,
        "properties.x.bsonType", #"must be one type, or one type and "null"; use "mixed" for several"#
      ),
      (
        #"{"title":"A","properties":{"_id":{"bsonType":"int"},"x":{"bsonType":"object"}}}"#, "properties.x",
        "an object must have properties (embedded object) or additionalProperties (dictionary)"
      ),
    ] as [(String, String?, String)]
  )
  func directory(schema: String, key: String?, message: String) throws {
    let app = SmallApp(schemas: ["as": schema])
    let error = #expect(throws: ConfigurationError.self) { try AppDirectory.load(app.path) }
    let problem = try #require(error?.problems.first)
    #expect(problem.file == "data_sources/s/d/as/schema.json" && problem.key == key)
    #expect(problem.message.hasPrefix(message), "\(problem)")
  }

  @Test("A required field without a declaration is reported")
  func missingRequired() throws {
    let app = SmallApp(schemas: [
      "as": #"{"title":"A","required":["_id","gone"],"properties":{"_id":{"bsonType":"int"}}}"#
    ])
    let warnings = try AppDirectory.load(app.path).warnings.map(\.description)
    #expect(
      warnings.contains(
        #"data_sources/s/d/as/schema.json: required: names "gone", which is not among the properties"#
      )
    )
  }

  @Test("Without development mode some collection must have a schema")
  func noSchemas() {
    let app = SmallApp()
    let error = #expect(throws: ConfigurationError.self) { try AppDirectory.load(app.path) }
    #expect(
      error?.description.contains(
        "no collection has a schema.json with an _id; without development mode, one is required"
      ) == true
    )
  }
}
