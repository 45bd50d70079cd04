// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport
import Logging
import Testing

@testable import FlexSyncConfiguration
@testable import FlexSyncEngine
@testable import FlexSyncServer

@Suite("Sets and dictionaries")
struct CollectionSyncTests {
  private static let schema = Schema([
    ClassSchema(
      name: "Box",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "labels", type: .string, isNullable: true, collection: .set),
        PropertySchema(name: "inside", type: .link, collection: .set, linkTarget: "Box"),
        PropertySchema(name: "counts", type: .int, collection: .dictionary),
        PropertySchema(
          name: "beside",
          type: .link,
          isNullable: true,
          collection: .dictionary,
          linkTarget: "Box"
        ),
      ]
    )
  ])
  private static let everything = #"{"Box":"(TRUEPREDICATE)"}"#
  private static let labelledA = #"{"Box":"(ANY labels == \"a\")"}"#
  private let app = TemporaryFolder()

  init() {
    app.write(#"{"app_id":"tasktracker-abcde"}"#, to: "root_config.json")
    app.write(#"{"anon-user":{"type":"anon-user"}}"#, to: "auth/providers.json")
    app.write(
      #"{"type":"flexible","state":"enabled","development_mode_enabled":true,"service_name":"s","database_name":"d"}"#,
      to: "sync/config.json"
    )
    app.write(App.openRule, to: "data_sources/s/default_rule.json")
  }

  private func client(_ harness: Harness, _ query: String) throws -> SyncClient {
    let client = try SyncClient(harness, schema: Self.schema)
    try client.connect()
    client.subscribe(query)
    try client.synchronize()
    return client
  }

  private func box(_ key: Int64) -> ObjectReference { ObjectReference(table: "Box", key: .int(key)) }

  private func path(_ key: Int64, _ field: String, _ entry: String? = nil) -> PropertyPath {
    PropertyPath(object: box(key), field: field, path: entry.map { [.name($0)] } ?? [])
  }

  @Test("What a set has decides who sees the object")
  func viewBySet() throws {
    let harness = try Harness(app: app.path)
    let author = try client(harness, Self.everything)
    let reader = try client(harness, Self.labelledA)
    try author.write(.createObject(box(1)), .setInsert(path(1, "labels"), .value(.string("b"))))
    try author.synchronize()
    try reader.synchronize()
    #expect(try reader.objects.contents(of: "Box").isEmpty)
    try author.write(
      .setInsert(path(1, "labels"), .value(.string("a"))),
      .update(path(1, "counts", "n"), .value(.int(1)), .isDefault(false))
    )
    try author.synchronize()
    try reader.synchronize()
    let state = try harness.openState()
    #expect(try reader.objects.contents(of: "Box") == state.contents(of: "Box"))
    try author.write(.setErase(path(1, "labels"), .value(.string("a"))))
    try author.synchronize()
    try reader.synchronize()
    #expect(try reader.objects.contents(of: "Box").isEmpty)
  }

  @Test("Whatever clients do to them, in the end each has what the server has", arguments: 1...10)
  func randomHistory(seed: Int) throws {
    var dice = SeededGenerator(seed: UInt64(seed))
    let limits = DeliveryLimits(messageByteCount: 100, changesetByteCount: 60)
    let harness = try Harness(app: app.path, limits: limits)
    let clients = try (0..<3).map { _ in try client(harness, Self.everything) }
    for _ in 0..<80 {
      let client = clients[Int.random(in: 0..<3, using: &dice)]
      switch Int.random(in: 0..<10, using: &dice) {
      case 0: if client.isConnected { client.disconnect() } else { try client.connect() }
      case 1: if client.isConnected { try client.synchronize() }
      default: try client.write { try randomChange($0, &dice) }
      }
      for _ in 0..<Int.random(in: 0..<3, using: &dice) { _ = harness.loop.runPending() }
    }
    for client in clients where !client.isConnected { try client.connect() }
    for _ in 0..<2 { for client in clients { try client.synchronize() } }
    let expected = try harness.openState().contents(of: "Box")
    for client in clients {
      #expect(client.failures.isEmpty, "seed \(seed): \(client.failures)")
      #expect(try client.objects.contents(of: "Box") == expected, "seed \(seed)")
    }
  }

  /// Applies a change and returns it.
  private func randomChange(_ objects: ObjectStore, _ dice: inout SeededGenerator) throws -> [Instruction] {
    let key = Int64.random(in: 1...4, using: &dice)
    let link = Value.link(Link(className: "Box", key: .int(.random(in: 1...4, using: &dice))))
    let entry = ["", "k", "m"].randomElement(using: &dice)
    let label = Value.string(["a", "b", "c"].randomElement(using: &dice) ?? "")
    guard try objects.row(of: box(key)) != nil else {
      try objects.apply(.createObject(box(key)))
      return [.createObject(box(key))]
    }
    let change: Instruction
    switch Int.random(in: 0..<20, using: &dice) {
    case 0: return try objects.localErase(box(key))
    case 1: change = .clear(path(key, "labels"), .set)
    case 2: change = .clear(path(key, "counts"), .dictionary)
    case 3..<6: change = .setInsert(path(key, "labels"), .value(label))
    case 6..<8: change = .setErase(path(key, "labels"), .value(label))
    case 8..<10: change = .setInsert(path(key, "inside"), .value(link))
    case 10: change = .setErase(path(key, "inside"), .value(link))
    case 11: change = .update(path(key, "counts", entry), .erased, .isDefault(false))
    case 12..<16:
      let number = Value.int(.random(in: 0...9, using: &dice))
      change = .update(path(key, "counts", entry), .value(number), .isDefault(false))
    default: change = .update(path(key, "beside", entry), .value(link), .isDefault(false))
    }
    try objects.apply(change)
    return [change]
  }

  private static let samples: [ValueType: [Value]] = [
    .int: [.int(.min), .int(7)], .bool: [.bool(false), .bool(true)],
    .string: [.string(""), .string("e\u{301}"), .string("\u{e9}")],
    .binary: [.binary([]), .binary([0, 255])],
    .timestamp: [.timestamp(Timestamp(milliseconds: -1500)), .timestamp(.epoch)],
    .float: [.float(-.infinity), .float(1.5)], .double: [.double(0.1), .double(.infinity)],
    .decimal: [.decimal(Decimal128(coefficientHigh: 0, coefficientLow: 150, exponent: -2, isNegative: true))],
    .link: [.link(Link(className: "Any", key: .int(1))), .link(Link(className: "Any", key: .int(9)))],
    .objectId: [.objectId(ObjectId(high: 1, low: 2))], .uuid: [.uuid(UUIDValue(high: 3, low: 4))],
    .mixed: [
      .null, .int(1), .string("a"), .double(2.5), .link(Link(className: "Any", key: .int(1))),
      .uuid(UUIDValue(high: 3, low: 4)),
    ],
  ]

  private static let anySchema = Schema([
    ClassSchema(
      name: "Any",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: ValueType.allCases.flatMap { type in
        [CollectionKind.set, .dictionary].map { kind in
          PropertySchema(
            name: "\(type)_\(kind)",
            type: type,
            isNullable: type == .link ? kind == .dictionary : true,
            collection: kind,
            linkTarget: type == .link ? "Any" : nil
          )
        }
      }
    )
  ])

  @Test("Elements of every type reach other clients, by bootstrap and as live changes")
  func everyElementType() throws {
    let harness = try Harness(app: app.path)
    let query = #"{"Any":"(TRUEPREDICATE)"}"#
    func client() throws -> SyncClient {
      let client = try SyncClient(harness, schema: Self.anySchema)
      try client.connect()
      client.subscribe(query)
      try client.synchronize()
      return client
    }
    let author = try client()
    let witness = try client()
    let object = ObjectReference(table: "Any", key: .int(1))
    try author.write(.createObject(object))
    for (type, values) in Self.samples.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      for (index, value) in values.enumerated() {
        let entry = PropertyPath(object: object, field: "\(type)_dictionary", path: [.name("k\(index)")])
        try author.write(
          .setInsert(PropertyPath(object: object, field: "\(type)_set"), .value(value)),
          .update(entry, .value(value), .isDefault(false))
        )
      }
    }
    try author.synchronize()
    try witness.synchronize()
    let expected = try author.objects.contents(of: "Any")
    let valueCount: Int = Self.samples.values.reduce(0) { $0 + $1.count }
    let instructions: [Instruction] = expected[.int(1)] ?? []
    #expect(instructions.count == 1 + 2 * valueCount)
    #expect(try witness.objects.contents(of: "Any") == expected)
    #expect(try client().objects.contents(of: "Any") == expected)
  }

  @Test("Documents are imported with them")
  func imported() throws {
    app.write(
      """
      {"title":"Box","bsonType":"object","required":["_id"],"properties":{
        "_id":{"bsonType":"long"},
        "labels":{"bsonType":"array","uniqueItems":true,"items":{"bsonType":["string","null"]}},
        "inside":{"bsonType":"array","uniqueItems":true,"items":{"bsonType":"long"}},
        "counts":{"bsonType":"object","additionalProperties":{"bsonType":"long"}},
        "beside":{"bsonType":"object","additionalProperties":{"bsonType":"long"}}}}
      """,
      to: "data_sources/s/d/boxes/schema.json"
    )
    app.write(
      """
      {"inside":{"ref":"#/relationship/s/d/boxes","foreign_key":"_id","is_list":true},
       "beside":{"ref":"#/relationship/s/d/boxes","foreign_key":"_id","is_list":false}}
      """,
      to: "data_sources/s/d/boxes/relationships.json"
    )
    app.write(
      """
      {"_id":1,"labels":["b","a",null,"b"],"inside":[2],"counts":{"n":{"$numberLong":"5"}},"beside":{"x":2,"y":null}}
      {"_id":2}
      """,
      to: "boxes.json"
    )
    let harness = try Harness(app: app.path)
    let schema = try AppDirectory.load(app.path).schema
    #expect(schema == Self.schema)
    let importer = try DataImport(
      appDirectory: app.path,
      dataFolder: "\(harness.folder.path)/data",
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    for _ in 0..<2 {
      #expect(try importer.run(file: "\(app.path)/boxes.json", collection: "boxes").documentCount == 2)
      let client = try client(harness, Self.everything)
      let table = try #require(try client.objects.table(named: "Box"))
      let row = try #require(try client.objects.row(of: box(1)))
      let column = { try #require(table.column(named: $0)) }
      #expect(
        try client.objects.setValues(row: row, column("labels")) == [.null, .string("a"), .string("b")]
      )
      #expect(try client.objects.dictionaryEntries(row: row, column("counts")) == [.init("n", .int(5))])
      let two = Value.link(Link(className: "Box", key: .int(2)))
      #expect(try client.objects.setValues(row: row, column("inside")) == [two])
      #expect(
        try client.objects.dictionaryEntries(row: row, column("beside")) == [
          .init("x", two), .init("y", .null),
        ]
      )
    }
  }
}
