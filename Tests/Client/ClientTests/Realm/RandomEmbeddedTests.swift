// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

/// Random writes to embedded objects of a synced realm, with a subscription to the class that embeds them only.
@Suite struct RandomEmbeddedTests {
  @Test(arguments: 0..<6)
  func changesetsMakeTheSameObjectsElsewhere(_ round: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    let account = try TestAccount()
    let realm = try account.open(memory: "embedded-\(seed)", classes: .contacts)
    try realm.updateSubscriptions { try $0.add(realm.objects("Contact")) }
    for _ in 0..<30 {
      try realm.beginWrite()
      for _ in 0..<Int.random(in: 0...10, using: &generator) { try change(realm, &generator) }
      if Int.random(in: 0..<6, using: &generator) == 0 { try realm.cancel() } else { try realm.commit() }
    }
    try expectChangesetsMakeTheSameObjects(realm, seed)
  }

  @Test func insideOfObjectsOfOtherClassesNothingCanBeWritten() throws {
    let account = try TestAccount()
    let realm = try account.open(memory: "embedded-\(UInt64.random(in: 0...UInt64.max))", classes: .contacts)
    try realm.updateSubscriptions { try $0.add(realm.objects("Contact")) }
    let contact = try realm.write { try realm.create("Contact", .int(1)) }
    let home = try realm.write { try contact.setEmbedded("home", "Address") }
    try realm.updateSubscriptions { _ = $0.removeAll() }
    try realm.write {
      #expect(
        expectFailure(.FLX_STATUS_NO_SUBSCRIPTION_FOR_WRITE) { try home.set("street", .string("Elm")) }
          == "Cannot write to class Contact when no flexible sync subscription has been created."
      )
      expectFailure(.FLX_STATUS_NO_SUBSCRIPTION_FOR_WRITE) { try home.delete() }
      expectFailure(.FLX_STATUS_NO_SUBSCRIPTION_FOR_WRITE) { _ = try contact.setEmbedded("home", "Address") }
      expectFailure(.FLX_STATUS_NO_SUBSCRIPTION_FOR_WRITE) {
        _ = try contact.list("addresses").insertEmbedded(realm, "Address", at: 0)
      }
    }
  }

  private func change(_ realm: TestRealm, _ generator: inout SeededGenerator) throws {
    let key = Cell.int(Int64.random(in: 0..<4, using: &generator))
    let contact = try realm.find("Contact", key) ?? realm.create("Contact", key)
    let list = try contact.list("addresses")
    switch Int.random(in: 0..<14, using: &generator) {
    case 0: try contact.delete()
    case 1, 2: try changeInside(contact.setEmbedded("home", "Address"), realm, &generator)
    case 3: try contact.set("home", .null)
    case 4...6:
      if let home = try contact.linked("home", "Address") { try changeInside(home, realm, &generator) }
    case 7: if let home = try contact.linked("home", "Address") { try home.delete() }
    case 8: if try list.count > 5 { try list.clear() }
    default: try change(list, realm, &generator)
    }
  }

  private func change(_ list: TestList, _ realm: TestRealm, _ generator: inout SeededGenerator) throws {
    let count = try list.count
    let index = Int.random(in: 0...count, using: &generator)
    let operation = Int.random(in: 0..<8, using: &generator)
    guard operation > 2, index < count else {
      return try changeInside(list.insertEmbedded(realm, "Address", at: index), realm, &generator)
    }
    switch operation {
    case 3: try changeInside(list.setEmbedded(realm, "Address", at: index), realm, &generator)
    case 4: try list.move(index, Int.random(in: 0..<count, using: &generator))
    case 5: try list.erase(index)
    case 6: try list.linked(realm, "Address", at: index).delete()
    default: try changeInside(list.linked(realm, "Address", at: index), realm, &generator)
    }
  }

  private func changeInside(
    _ address: TestObject,
    _ realm: TestRealm,
    _ generator: inout SeededGenerator
  ) throws {
    switch Int.random(in: 0..<7, using: &generator) {
    case 0: try address.set("street", .string("s\(Int.random(in: 0..<9, using: &generator))"))
    case 1: try address.add(Int64.random(in: -9...9, using: &generator), to: "number")
    case 2: try address.setEmbedded("country", "Country").set("name", .string("Peru"))
    case 3: try address.set("country", .null)
    case 4: try address.linked("country", "Country")?.set("name", .string("Chile"))
    case 5: try address.list("tags").append(.string("t"))
    default: try address.set("landlord", realm.find("Contact", .int(0))?.link ?? .null)
    }
  }
}
