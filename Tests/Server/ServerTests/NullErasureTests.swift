// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncCore
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncServer

/// Realm clients upload an instruction for it that they do not accept from others.
@Suite("Null that a client takes out of a typed set")
struct NullErasureTests {
  private static let schema = Schema([
    ClassSchema(
      name: "Box",
      primaryKey: PropertySchema(name: "_id", type: .int),
      properties: [
        PropertySchema(name: "labels", type: .string, isNullable: true, collection: .set),
        PropertySchema(name: "numbers", type: .int, collection: .set),
      ]
    )
  ])
  private static let box = ObjectReference(table: "Box", key: .int(1))
  private static let labels = PropertyPath(object: box, field: "labels")
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

  private func client(_ harness: Harness) throws -> SyncClient {
    let client = try SyncClient(harness, schema: Self.schema)
    try client.connect()
    client.subscribe(#"{"Box":"(TRUEPREDICATE)"}"#)
    try client.synchronize()
    return client
  }

  private static func text(_ value: String) -> Instruction { .setInsert(labels, .value(.string(value))) }

  /// Does as a Realm client.
  private func eraseNull(_ objects: ObjectStore) throws -> [Instruction] {
    let table = try #require(try objects.table(named: "Box"))
    let row = try #require(try objects.row(of: Self.box))
    _ = try objects.setErase(.null, row: row, try #require(table.column(named: "labels")))
    return [.setErase(Self.labels, .value(.null))]
  }

  @Test("Everyone has what the client has")
  func everyoneHasIt() throws {
    let harness = try Harness(app: app.path)
    let author = try client(harness)
    let reader = try client(harness)
    try author.write(
      .createObject(Self.box),
      Self.text("a"),
      .setInsert(Self.labels, .value(.null)),
      Self.text("b")
    )
    try author.synchronize()
    try reader.synchronize()
    try author.write { objects in
      try objects.apply(Self.text("c"))
      return try [Self.text("c")] + eraseNull(objects)
    }
    try reader.write(Self.text("d"))
    for _ in 0..<2 { for client in [author, reader] { try client.synchronize() } }

    let expected = try harness.openState().contents(of: "Box")
    for client in [author, reader] {
      #expect(client.failures.isEmpty, "\(client.failures)")
      #expect(try client.objects.contents(of: "Box") == expected)
    }
    let labels = try #require(try reader.objects.nullableSet(at: Self.labels))
    #expect(try reader.objects.setContains(.null, row: labels.row, labels.column) == false)
    #expect(try reader.objects.setContains(.string("c"), row: labels.row, labels.column) == true)
  }

  @Test("An object that is gone does not keep the rest from being taken")
  func goneObject() throws {
    let harness = try Harness(app: app.path)
    let author = try client(harness)
    let reader = try client(harness)
    try author.write(.createObject(Self.box), .setInsert(Self.labels, .value(.null)))
    try author.synchronize()
    try reader.synchronize()
    let other = ObjectReference(table: "Box", key: .int(2))
    try author.write { objects in
      try objects.apply(.createObject(other))
      return try eraseNull(objects) + [.createObject(other)]
    }
    try reader.write { try $0.localErase(Self.box) }
    try reader.synchronize()
    for _ in 0..<2 { for client in [author, reader] { try client.synchronize() } }
    let expected = try harness.openState().contents(of: "Box")
    for client in [author, reader] {
      #expect(client.failures.isEmpty, "\(client.failures)")
      #expect(try client.objects.contents(of: "Box") == expected)
    }
    #expect(expected.count == 1)
  }

  /// Lets an author with a set of ten texts and null upload more instructions, and returns what a reader gets of them.
  private func told(_ instructions: [Instruction]) throws -> [Instruction] {
    let harness = try Harness(app: app.path)
    let author = try client(harness)
    let reader = try client(harness)
    let texts = (0..<10).map { Self.text("text \($0)") }
    try author.write([.createObject(Self.box)] + texts + [Self.insertNull])
    try author.synchronize()
    try reader.synchronize()
    var told: [Instruction] = []
    reader.onChangeset = { told += $0 }
    try author.write { _ in instructions }
    try author.synchronize()
    try reader.synchronize()
    for client in [author, reader] { #expect(client.failures.isEmpty, "\(client.failures)") }
    return told
  }

  private static let insertNull = Instruction.setInsert(labels, .value(.null))
  private static let removeNull = Instruction.setErase(labels, .value(.null))

  @Test("The set is rewritten once, however often the client takes null out of it")
  func repetition() throws {
    let told = try told(Array(repeating: Self.removeNull, count: 50))
    #expect(told.count == 11 && told.first == .clear(Self.labels, .set))
  }

  @Test("Null that the same changeset has put in is left out with its removal")
  func alternation() throws {
    let pairs = (0..<50).flatMap { _ in [Self.removeNull, Self.insertNull, Self.insertNull] }
    let told = try told(pairs + [Self.removeNull, Self.text("more")])
    #expect(told.count == 12 && told.last == Self.text("more"))
  }

  @Test("Nothing is sent for null that is not in the set")
  func absentNull() throws {
    let told = try told([Self.removeNull, .clear(Self.labels, .set), Self.removeNull, Self.removeNull])
    #expect(told.last == .clear(Self.labels, .set) && told.count == 12)
  }

  @Test("Null that a set cannot hold cannot be taken out of it")
  func impossibleNull() throws {
    let harness = try Harness(app: app.path)
    let author = try client(harness)
    let numbers = PropertyPath(object: Self.box, field: "numbers")
    try author.write(.createObject(Self.box), .setInsert(numbers, .value(.int(1))))
    try author.synchronize()
    try author.write { _ in [.setErase(numbers, .value(.null))] }
    try harness.run(until: { !author.failures.isEmpty }, "error")
    #expect(author.failures.map(\.code) == [.badChangeset])
  }
}
