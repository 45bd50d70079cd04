// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport
import FlexSyncWire
import Testing

@testable import FlexSyncConfiguration
@testable import FlexSyncServer

/// Clients compare names by their bytes, so for them "é" in one character and in two are different names.
@Suite("Names that look the same and differ in their bytes")
struct NameSpellingTests {
  private static let composed = "Caf\u{e9}"
  private static let decomposed = "Cafe\u{301}"
  private static let schema = Schema([
    ClassSchema(
      name: composed,
      primaryKey: PropertySchema(name: "_id", type: .string),
      properties: [
        PropertySchema(name: composed, type: .int, isNullable: true),
        PropertySchema(name: "home", type: .link, isNullable: true, linkTarget: "Home"),
        PropertySchema(name: "next", type: .link, isNullable: true, linkTarget: composed),
        PropertySchema(name: "any", type: .mixed, isNullable: true),
        PropertySchema(name: "counts", type: .int, collection: .dictionary),
      ]
    ),
    ClassSchema(
      name: "Home",
      kind: .embedded,
      primaryKey: nil,
      properties: [PropertySchema(name: composed, type: .int, isNullable: true)]
    ),
  ])
  private static let everything = #"{"\#(composed)":"(TRUEPREDICATE)"}"#
  private static let cafe = object(composed)
  private let app = SmallApp(isDevelopmentMode: true)
  private let harness: Harness

  init() throws { harness = try Harness(app: app.path) }

  private static func object(_ className: String, key: String = "1") -> ObjectReference {
    ObjectReference(table: className, key: .string(key))
  }

  private static func set(_ value: Value, _ object: ObjectReference, _ steps: String...) -> Instruction {
    let path = steps.dropFirst().map(PathElement.name)
    return .update(
      PropertyPath(object: object, field: steps[0], path: path),
      .value(value),
      .isDefault(false)
    )
  }

  private func client() throws -> SyncClient {
    let client = try SyncClient(harness, schema: Self.schema)
    try client.connect()
    client.subscribe(Self.everything)
    try client.synchronize()
    return client
  }

  @Test("A class, property or target in another spelling is unknown")
  func unknownNames() throws {
    let home = PropertyPath(object: Self.cafe, field: "home")
    let begin: [Instruction] = [.createObject(Self.cafe), .update(home, .object, .isDefault(false))]
    let link = Value.link(Link(className: Self.decomposed, key: .string("1")))
    let bad: [Instruction] = [
      .createObject(Self.object(Self.decomposed)), Self.set(.int(1), Self.cafe, Self.decomposed),
      Self.set(.int(1), Self.cafe, "home", Self.decomposed), Self.set(link, Self.cafe, "next"),
      Self.set(link, Self.cafe, "any"),
    ]
    for instruction in bad {
      let client = try client()
      try client.write { _ in begin + [instruction] }
      try harness.run(until: { !client.failures.isEmpty || client.historyCount == 0 }, "answer")
      #expect(client.failures.map(\.code) == [.badChangeset], "\(instruction)")
      #expect(client.failures.first?.info.message.contains("in other characters of Unicode") == true)
    }
  }

  @Test("Keys of objects and dictionaries are different keys in each spelling")
  func keys() throws {
    let author = try client()
    let reader = try client()
    for key in [Self.composed, Self.decomposed] {
      let object = Self.object(Self.composed, key: key)
      try author.write(
        .createObject(object),
        Self.set(.int(1), object, Self.composed),
        Self.set(.int(2), object, "counts", Self.composed),
        Self.set(.int(3), object, "counts", Self.decomposed)
      )
    }
    try author.synchronize()
    try reader.synchronize()
    #expect(author.failures.isEmpty && author.rejections.isEmpty)
    #expect(try reader.objects.contents(of: Self.composed).count == 2)
    let counts = try #require(try reader.objects.table(named: Self.composed)?.column(named: "counts"))
    let row = try #require(try reader.objects.row(of: Self.object(Self.composed, key: Self.decomposed)))
    #expect(try reader.objects.dictionaryCount(row: row, counts) == 2)
  }

  @Test("A subscription to a class in another spelling is one to no class")
  func subscription() throws {
    let client = try client()
    client.subscribe("{\"\(Self.decomposed)\":\"(TRUEPREDICATE)\"}")
    try client.synchronize()
    #expect(client.queryErrors.values.first?.hasSuffix("the table does not exist") == true)
    #expect(client.queryBody == Self.everything)
  }

  @Test("An app directory with two names that look the same is refused")
  func appDirectory() throws {
    func schema(_ title: String, _ properties: String...) -> String {
      let members = properties.map { #","\#($0)":{"bsonType":"int"}"# }.joined()
      return
        #"{"title":"\#(title)","bsonType":"object","properties":{"_id":{"bsonType":"int"}\#(members)}}"#
    }
    func problems(_ schemas: [String: String]) -> [String] {
      let app = SmallApp(schemas: schemas)
      return AppDirectory.check(app.path).errors.map(\.message)
    }
    #expect(problems(["a": schema(Self.composed, Self.decomposed, "x")]) == [])
    let words = "look the same, but consist of other characters in Unicode; use the same characters for both"
    #expect(
      problems(["a": schema("A", Self.composed, Self.decomposed)])
        == ["the names of property \"\(Self.decomposed)\" and property \"\(Self.composed)\" \(words)"]
    )
    #expect(
      problems(["a": schema(Self.composed), "b": schema(Self.decomposed)])
        == ["the names of class \"\(Self.decomposed)\" and class \"\(Self.composed)\" \(words)"]
    )
  }
}
