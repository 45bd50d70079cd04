// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import Testing

@testable import FlexSyncStore

@Suite struct EmbeddedTests {
  private func store() throws -> (ObjectStore, row: Int64) {
    let store = try contactStore()
    return (store, try store.create(.int(1), in: store.requireTable("Contact")).row)
  }

  @Test func aNewEmbeddedObjectReplacesTheFormerOne() throws {
    let (store, row) = try store()
    let home = try store.column("Contact", "home")
    let street = try store.column("Address", "street")
    let first = try store.embed(row: row, home)
    try store.set(.string("Elm"), row: first, street)
    _ = try store.embed(row: first, try store.column("Address", "country"))
    let second = try store.embed(row: row, home)
    #expect(first != second)
    #expect(try store.value(row: row, home) == .link(Link(className: "Address", key: .int(second))))
    #expect(try store.value(row: second, street) == .string(""))
    #expect(throws: ObjectError(.missingObject)) { try store.value(row: first, street) }
    #expect(try store.count(store.requireTable("Country")) == 0)
  }

  @Test func settingNullErasesTheEmbeddedObject() throws {
    let (store, row) = try store()
    let home = try store.column("Contact", "home")
    _ = try store.embed(row: row, home)
    try store.set(.null, row: row, home)
    #expect(try store.value(row: row, home) == .null)
    #expect(try store.count(store.requireTable("Address")) == 0)
  }

  @Test func linksToEmbeddedObjectsAndTopLevelCreationAreRefused() throws {
    let (store, row) = try store()
    let address = try store.embed(row: row, try store.column("Contact", "home"))
    let link = Value.link(Link(className: "Address", key: .int(address)))
    #expect(throws: ObjectError.self) { try store.set(link, row: row, try store.column("Contact", "home")) }
    #expect(throws: ObjectError.self) {
      try store.listInsert(link, at: 0, row: row, try store.column("Contact", "addresses"))
    }
    #expect(throws: ObjectError(.embeddedClass("Address"))) {
      try store.create(.int(9), in: store.requireTable("Address"))
    }
    let inside = ObjectReference(table: "Address", key: .int(address))
    #expect(throws: ApplyError.self) { try store.apply(.createObject(inside)) }
    #expect(throws: ApplyError.self) {
      try store.apply(.update(inside.path("street"), .value(.string("x")), .isDefault(false)))
    }
  }

  @Test func pathsFollowMovesInLists() throws {
    let (store, row) = try store()
    let addresses = try store.column("Contact", "addresses")
    let rows = try (0..<3).map { try store.listEmbed(at: $0, row: row, addresses) }
    let table = try store.requireTable("Address")
    let country = try store.embed(row: rows[0], try store.column("Address", "country"))
    try store.listMove(from: 0, to: 2, row: row, addresses)
    #expect(
      try store.path(to: "name", row: country, in: store.requireTable("Country"))
        == contact(1).path("addresses", 2, "country", "name")
    )
    #expect(
      try store.path(to: "street", row: rows[1], in: table) == contact(1).path("addresses", 0, "street")
    )
    #expect(try store.topLevelObject(of: country, in: store.requireTable("Country")).row == row)
  }

  @Test func deletingATargetUnlinksItInsideEmbeddedObjects() throws {
    let (store, row) = try store()
    let target = try store.create(.int(2), in: store.requireTable("Contact")).row
    let address = try store.listEmbed(at: 0, row: row, try store.column("Contact", "addresses"))
    let link = Value.link(Link(className: "Contact", key: .int(2)))
    try store.set(link, row: address, try store.column("Address", "landlord"))
    try store.listInsert(link, at: 0, row: address, try store.column("Address", "neighbours"))
    // What the object embeds goes with it and needs no unlinking.
    let own = try store.embed(row: target, try store.column("Contact", "home"))
    try store.set(link, row: own, try store.column("Address", "landlord"))
    #expect(
      try store.localErase(contact(2)) == [
        .update(contact(1).path("addresses", 0, "landlord"), .value(.null), .isDefault(false)),
        .arrayErase(contact(1).path("addresses", 0, "neighbours", 0), priorSize: 1),
        .eraseObject(contact(2)),
      ]
    )
  }

  @Test func changesInsideCountAsChangesOfTheOwners() throws {
    let (store, row) = try store()
    let address = try store.listEmbed(at: 0, row: row, try store.column("Contact", "addresses"))
    let country = try store.embed(row: address, try store.column("Address", "country"))
    try store.database.commit()
    store.recorder = ChangeRecorder()
    let changes = try store.database.write {
      try store.set(.string("Peru"), row: country, try store.column("Country", "name"))
      return try store.recordedChanges()
    }
    guard case .modified(let columns)? = changes["Contact"]?[row] else {
      Issue.record("the contact did not change")
      return
    }
    #expect(columns.contains(try store.column("Contact", "addresses").index))
    #expect(!columns.contains(try store.column("Contact", "name").index))
    #expect(changes["Address"]?[address] != nil)
  }

  @Test func embeddedClassesAreReadAgainFromTheFile() throws {
    let (store, row) = try store()
    _ = try store.embed(row: row, try store.column("Contact", "home"))
    let before = try store.schema
    try store.database.commit()
    try store.catalog.reloadAll()
    #expect(try store.schema == before)
    #expect(try store.schema == contactSchema)
    try store.database.write {
      try store.apply(.update(contact(1).path("home", "street"), .value(.string("Elm")), .isDefault(false)))
    }
    #expect(try store.state().objects["Contact"]?[.int(1)]?["home"] != nil)
  }
}
