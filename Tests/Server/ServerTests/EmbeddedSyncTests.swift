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

@Suite("Embedded objects")
struct EmbeddedSyncTests {
  private static let schema = Schema([
    ClassSchema(
      name: "Contact",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "name", type: .string, isNullable: true),
        PropertySchema(name: "home", type: .link, isNullable: true, linkTarget: "Address"),
        PropertySchema(name: "others", type: .link, collection: .list, linkTarget: "Address"),
        PropertySchema(
          name: "places",
          type: .link,
          isNullable: true,
          collection: .dictionary,
          linkTarget: "Address"
        ),
      ]
    ),
    ClassSchema(
      name: "Address",
      kind: .embedded,
      primaryKey: nil,
      properties: [
        PropertySchema(name: "street", type: .string),
        PropertySchema(name: "number", type: .int, isNullable: true),
        PropertySchema(name: "country", type: .link, isNullable: true, linkTarget: "Country"),
        PropertySchema(name: "landlord", type: .link, isNullable: true, linkTarget: "Contact"),
        PropertySchema(name: "tags", type: .string, collection: .list),
      ]
    ),
    ClassSchema(
      name: "Country",
      kind: .embedded,
      primaryKey: nil,
      properties: [PropertySchema(name: "name", type: .string)]
    ),
  ])
  private static let everything = #"{"Contact":"(TRUEPREDICATE)"}"#
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

  private func client(_ harness: Harness, _ query: String = everything) throws -> SyncClient {
    let client = try SyncClient(harness, schema: Self.schema)
    try client.connect()
    client.subscribe(query)
    try client.synchronize()
    return client
  }

  private func contact(_ key: Int64) -> ObjectReference { ObjectReference(table: "Contact", key: .int(key)) }

  private func path(_ key: Int64, _ field: String, _ steps: PathElement...) -> PropertyPath {
    PropertyPath(object: contact(key), field: field, path: steps)
  }

  // MARK: Random histories

  @Test("Whatever clients do to them, in the end each has what the server has", arguments: 1...12)
  func randomHistory(seed: Int) throws {
    var dice = SeededGenerator(seed: UInt64(seed))
    let limits = DeliveryLimits(messageByteCount: 100, changesetByteCount: 60)
    let harness = try Harness(app: app.path, limits: limits)
    let clients = try (0..<3).map { _ in try client(harness) }
    for _ in 0..<100 {
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
    let expected = try harness.openState().contents(of: "Contact")
    for client in clients {
      #expect(client.failures.isEmpty, "seed \(seed): \(client.failures)")
      #expect(try client.objects.contents(of: "Contact") == expected, "seed \(seed)")
    }
  }

  /// Applies a change and returns it.
  private func randomChange(_ objects: ObjectStore, _ dice: inout SeededGenerator) throws -> [Instruction] {
    let key = Int64.random(in: 1...3, using: &dice)
    guard let table = try objects.table(named: "Contact"), let row = try objects.row(of: contact(key))
    else {
      try objects.apply(.createObject(contact(key)))
      return [.createObject(contact(key))]
    }
    if Int.random(in: 0..<30, using: &dice) == 0 { return try objects.localErase(contact(key)) }
    let others = try #require(table.column(named: "others"))
    let changes = try changes(of: key, others: objects.listCount(row: row, others), objects, &dice)
    try objects.apply(changes)
    return changes
  }

  private func changes(
    of key: Int64,
    others count: Int,
    _ objects: ObjectStore,
    _ dice: inout SeededGenerator
  ) throws -> [Instruction] {
    let home = path(key, "home")
    let entry = path(key, "places", .name(["k", "m"].randomElement(using: &dice) ?? ""))
    let index = Int.random(in: 0...count, using: &dice)
    let element = path(key, "others", .index(UInt32(index)))
    let street = Value.string("s\(Int.random(in: 0..<9, using: &dice))")
    switch Int.random(in: 0..<16, using: &dice) {
    case 0: return [.update(home, .value(.null), .isDefault(false))]
    case 1..<3: return [.update(home, .object, .isDefault(false)), set(home, "street", street)]
    case 3:
      return [null(home), .update(home, .object, .isDefault(false)), set(home, "street", street)]
    case 4..<6:
      return [null(entry), .update(entry, .object, .isDefault(false)), set(entry, "street", street)]
    case 6: return [.update(entry, .erased, .isDefault(false))]
    case 7..<10:
      return [.arrayInsert(element, .object, priorSize: UInt32(count)), set(element, "street", street)]
    case 10 where index < count: return [.arrayErase(element, priorSize: UInt32(count))]
    case 11 where index == 0: return [.clear(path(key, "others"), .list)]
    default: return try inside([home, entry, element], objects, &dice)
    }
  }

  /// Changes inside of an embedded object that is there.
  private func inside(_ places: [PropertyPath], _ objects: ObjectStore, _ dice: inout SeededGenerator) throws
    -> [Instruction]
  {
    let number = Value.int(.random(in: 0...9, using: &dice))
    let landlord = Value.link(Link(className: "Contact", key: .int(.random(in: 1...3, using: &dice))))
    for place in places.shuffled(using: &dice) {
      let country = place.appending(.name("country"))
      let change: [Instruction] =
        switch Int.random(in: 0..<4, using: &dice) {
        case 0: [set(place, "number", number)]
        case 1: [.addInteger(place.appending(.name("number")), delta: 3)]
        case 2: [set(place, "landlord", landlord)]
        default: [.update(country, .object, .isDefault(false)), set(country, "name", .string("Peru"))]
        }
      // Tried on a copy, because a change that is refused half-way would stay by half.
      if try objects.accepts(change) { return change }
    }
    return []
  }

  private func set(_ place: PropertyPath, _ name: String, _ value: Value) -> Instruction {
    .update(place.appending(.name(name)), .value(value), .isDefault(false))
  }

  private func null(_ place: PropertyPath) -> Instruction {
    .update(place, .value(.null), .isDefault(false))
  }

  // MARK: Import

  @Test("Documents inside of documents are imported")
  func imported() throws {
    let address = """
      {"title":"Address","bsonType":"object","required":["street"],"properties":{
        "street":{"bsonType":"string"},"number":{"bsonType":"long"},
        "country":{"title":"Country","bsonType":"object","required":["name"],
          "properties":{"name":{"bsonType":"string"}}},
        "landlord":{"bsonType":"long"},
        "tags":{"bsonType":"array","items":{"bsonType":"string"}}}}
      """
    app.write(
      """
      {"title":"Contact","bsonType":"object","required":["_id"],"properties":{
        "_id":{"bsonType":"long"},"name":{"bsonType":"string"},"home":\(address),
        "others":{"bsonType":"array","items":\(address)},
        "places":{"bsonType":"object","additionalProperties":\(address)}}}
      """,
      to: "data_sources/s/d/contacts/schema.json"
    )
    let relationship = ##"{"ref":"#/relationship/s/d/contacts","foreign_key":"_id","is_list":false}"##
    app.write(
      #"{"home.landlord":\#(relationship),"others.[].landlord":\#(relationship),"places.landlord":\#(relationship)}"#,
      to: "data_sources/s/d/contacts/relationships.json"
    )
    app.write(
      """
      {"_id":1,"name":"Ada","home":{"street":"Elm","number":0,"country":{"name":"Peru"},"tags":["a","b"]},\
      "others":[{"street":"","landlord":2},{"street":"Oak"}],"places":{"x":{"street":"Ash"},"w":null}}
      {"_id":2}
      """,
      to: "contacts.json"
    )
    let harness = try Harness(app: app.path)
    #expect(try AppDirectory.load(app.path).schema == Self.schema)
    let importer = try DataImport(
      appDirectory: app.path,
      dataFolder: "\(harness.folder.path)/data",
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    let home = path(1, "home")
    let (first, second) = (path(1, "others", .index(0)), path(1, "others", .index(1)))
    let country = home.appending(.name("country"))
    let tags = home.appending(.name("tags"))
    let landlord = Value.link(Link(className: "Contact", key: .int(2)))
    let expected: [Instruction] = [
      .createObject(contact(1)), .update(path(1, "name"), .value(.string("Ada")), .isDefault(false)),
      .update(home, .object, .isDefault(false)), set(home, "street", .string("Elm")),
      set(home, "number", .int(0)), .update(country, .object, .isDefault(false)),
      set(country, "name", .string("Peru")),
      .arrayInsert(tags.appending(.index(0)), .value(.string("a")), priorSize: 0),
      .arrayInsert(tags.appending(.index(1)), .value(.string("b")), priorSize: 1),
      .arrayInsert(first, .object, priorSize: 0), set(first, "landlord", landlord),
      .arrayInsert(second, .object, priorSize: 1), set(second, "street", .string("Oak")),
      null(path(1, "places", .name("w"))),
      .update(path(1, "places", .name("x")), .object, .isDefault(false)),
      set(path(1, "places", .name("x")), "street", .string("Ash")),
    ]
    // Once more, over what is there.
    for _ in 0..<2 {
      #expect(try importer.run(file: "\(app.path)/contacts.json", collection: "contacts").documentCount == 2)
      let client = try client(harness)
      let table = try #require(try client.objects.table(named: "Contact"))
      let row = try #require(try client.objects.row(of: contact(1)))
      #expect(try client.objects.fullState(of: row, in: table) == expected)
    }
  }

  @Test("They cannot be subscribed to on their own")
  func subscription() throws {
    let harness = try Harness(app: app.path)
    let client = try client(harness)
    client.subscribe(#"{"Address":"(TRUEPREDICATE)"}"#)
    try client.synchronize()
    #expect(!client.queryErrors.isEmpty)
  }
}

extension ObjectStore {
  /// Whether instructions can be applied; they are taken back.
  fileprivate func accepts(_ instructions: [Instruction]) throws -> Bool {
    struct Undo: Error {}
    do {
      try database.nested {
        try apply(instructions)
        throw Undo()
      }
    } catch is Undo {
      return true
    } catch is ApplyError {
      return false
    }
    return false
  }
}
