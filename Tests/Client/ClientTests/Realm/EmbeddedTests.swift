// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

@Suite struct EmbeddedTests {
  let realm: TestRealm
  let contact: TestObject

  init() throws {
    realm = try TestRealm(memory: "embedded-\(UInt64.random(in: 0...UInt64.max))", classes: .contacts)
    contact = try realm.write { [realm] in try realm.create("Contact", .int(1)) }
  }

  @Test func embeddedObjectsAreCreatedReadAndReplaced() throws {
    let home = try realm.write {
      let home = try contact.setEmbedded("home", "Address")
      try home.set("street", .string("Elm"))
      try home.setEmbedded("country", "Country").set("name", .string("Peru"))
      return home
    }
    #expect(try contact.get("home") == home.link)
    let read = try #require(try contact.linked("home", "Address"))
    #expect(try read.get("street") == .string("Elm"))
    let country = try #require(try read.linked("country", "Country"))
    #expect(try country.get("name") == .string("Peru"))
    let other = try realm.write { try contact.setEmbedded("home", "Address") }
    #expect(!home.isValid && !country.isValid && other.isValid)
    #expect(try other.get("street") == .string(""))
    #expect(try realm.objects("Address").count == 1)
    try realm.write { try contact.set("home", .null) }
    #expect(!other.isValid)
    #expect(try contact.get("home") == .null)
    #expect(try realm.objects("Country").count == 0)
  }

  @Test func listsOfEmbeddedObjectsAreChanged() throws {
    let list = try contact.list("addresses")
    var rows: [TestObject] = []
    try realm.write {
      for number in 0..<3 {
        let address = try list.insertEmbedded(realm, "Address", at: number)
        try address.set("number", .int(Int64(number)))
        rows.append(address)
      }
      try list.move(0, 2)
    }
    let numbers = try (0..<3).map { try list.linked(realm, "Address", at: $0).get("number") }
    #expect(numbers == [.int(1), .int(2), .int(0)])
    #expect(try list.get(2) == rows[0].link)
    try realm.write { try list.setEmbedded(realm, "Address", at: 0).set("number", .int(9)) }
    #expect(!rows[1].isValid && rows[2].isValid)
    try realm.write { try rows[2].delete() }
    #expect(!rows[2].isValid)
    #expect(try list.count == 2)
    try realm.write { try list.clear() }
    #expect(!rows[0].isValid)
    #expect(try realm.objects("Address").count == 0)
  }

  @Test func deletingAnObjectDeletesWhatItEmbeds() throws {
    let home = try realm.write { try contact.setEmbedded("home", "Address") }
    try realm.write { try contact.delete() }
    #expect(!home.isValid)
    let other = try realm.write { try realm.create("Contact", .int(2)).setEmbedded("home", "Address") }
    try realm.write { try other.delete() }
    #expect(try realm.find("Contact", .int(2))?.get("home") == .null)
  }

  @Test func embeddedObjectsCannotBeLinkedTo() throws {
    let home = try realm.write { try contact.setEmbedded("home", "Address") }
    try realm.beginWrite()
    let message = expectFailure(.FLX_STATUS_TYPE_MISMATCH) { try contact.set("home", home.link) }
    #expect(
      message == "The property 'Contact.home' holds embedded objects, which cannot be linked to. "
        + "Create one in its place with flx_object_set_embedded."
    )
  }

  @Test func otherPropertiesDoNotHoldEmbeddedObjects() throws {
    expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) { _ = try contact.setEmbedded("home", "Address") }
    try realm.beginWrite()
    let message = expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try contact.setEmbedded("name", "Address") }
    #expect(message == "The property 'Contact.name' does not hold embedded objects.")
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try contact.setEmbedded("addresses", "Address") }
    expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) {
      _ = try contact.list("addresses").insertEmbedded(realm, "Address", at: 1)
    }
  }

  @Test func embeddedObjectsHaveNoKeys() throws {
    try realm.beginWrite()
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { try realm.create("Address", .int(1)) }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try realm.find("Address", .int(1)) }
  }

  @Test func canceledEmbeddedObjectsAreInvalid() throws {
    try realm.beginWrite()
    let home = try contact.setEmbedded("home", "Address")
    try realm.cancel()
    #expect(!home.isValid)
    let next = try realm.write { try contact.setEmbedded("home", "Address") }
    #expect(next.isValid && !home.isValid)
  }

  @Test func changesInsideAreReportedToObserversOfTheOwner() throws {
    let home = try realm.write { try contact.setEmbedded("home", "Address") }
    let object = try contact.observe()
    let results = try realm.objects("Contact").observe()
    let filtered = try realm.objects("Contact").filter("home.street == 'Elm'").observe()
    try realm.refresh()
    (_, _, _) = (object.take(), results.take(), filtered.take())
    try realm.write { try home.set("street", .string("Elm")) }
    #expect(object.take() == [[try realm.property("Contact", "home").key]])
    #expect(results.take() == [Change(modifications: [0])])
    #expect(filtered.take() == [Change(insertions: [0])])
  }

  @Test func queriesLookInsideOfEmbeddedObjects() throws {
    try realm.write {
      try contact.setEmbedded("home", "Address").setEmbedded("country", "Country").set(
        "name",
        .string("Peru")
      )
      let addresses = try contact.list("addresses")
      try addresses.insertEmbedded(realm, "Address", at: 0).set("number", .int(7))
      try realm.create("Contact", .int(2))
    }
    let contacts = try realm.objects("Contact")
    #expect(try contacts.filter("home.country.name == 'Peru'").values("_id") == [.int(1)])
    #expect(try contacts.filter("ANY addresses.number == 7").values("_id") == [.int(1)])
    #expect(try contacts.filter("home == null").values("_id") == [.int(2)])
    #expect(try contacts.filter("addresses.@count == 1").count == 1)
  }
}

@Suite struct BacklinkTests {
  let realm: TestRealm

  init() throws {
    realm = try TestRealm(memory: "backlinks-\(UInt64.random(in: 0...UInt64.max))", classes: .contacts)
    try realm.write { [realm] in
      for key in 1...4 { try realm.create("Contact", .int(Int64(key))) }
    }
  }

  private func contact(_ key: Int64) throws -> TestObject {
    try #require(try realm.find("Contact", .int(key)))
  }

  @Test func backlinksAreLiveAndInTheOrderOfTheOrigins() throws {
    let target = try contact(1)
    let backlinks = try target.backlinks(from: "Contact", "friend")
    #expect(try backlinks.count == 0)
    let observation = try backlinks.observe()
    try realm.refresh()
    _ = observation.take()
    try realm.write {
      try contact(4).set("friend", target.link)
      try contact(2).set("friend", target.link)
    }
    #expect(try backlinks.values("_id") == [.int(2), .int(4)])
    #expect(observation.take() == [Change(insertions: [0, 1])])
    #expect(try backlinks.filter("_id > 2").values("_id") == [.int(4)])
    #expect(try backlinks.sort("_id", ascending: false).values("_id") == [.int(4), .int(2)])
    try realm.write { try contact(2).set("friend", .null) }
    #expect(try backlinks.values("_id") == [.int(4)])
    try realm.write { try target.delete() }
    #expect(try backlinks.count == 0)
  }

  @Test func anObjectThatLinksTwiceIsThereTwice() throws {
    let target = try contact(1)
    try realm.write {
      for key in [3, 2, 3] as [Int64] { try contact(key).list("friends").append(target.link) }
    }
    let backlinks = try target.backlinks(from: "Contact", "friends")
    #expect(try backlinks.values("_id") == [.int(2), .int(3), .int(3)])
    #expect(try backlinks.filter("_id == 3").count == 2)
  }

  @Test func linksOfEmbeddedObjectsCount() throws {
    let target = try contact(1)
    let home = try realm.write {
      let home = try contact(2).setEmbedded("home", "Address")
      try home.set("street", .string("Elm"))
      try home.set("landlord", target.link)
      return home
    }
    let backlinks = try target.backlinks(from: "Address", "landlord")
    #expect(try backlinks.values("street") == [.string("Elm")])
    try realm.write { try target.delete() }
    #expect(try home.get("landlord") == .null)
  }

  @Test func theBacklinksOfAnEmbeddedObjectAreWhatHoldsIt() throws {
    let (home, address) = try realm.write {
      _ = try contact(1)
      let contact = try contact(2)
      return (
        try contact.setEmbedded("home", "Address"),
        try contact.list("addresses").insertEmbedded(realm, "Address", at: 0)
      )
    }
    let holders = try home.backlinks(from: "Contact", "home")
    #expect(try holders.values("_id") == [.int(2)])
    #expect(try holders.filter("_id > 2").count == 0)
    #expect(try address.backlinks(from: "Contact", "addresses").values("_id") == [.int(2)])
    #expect(try address.backlinks(from: "Contact", "home").count == 0)
    try realm.write { try home.delete() }
    #expect(try holders.count == 0)
  }

  @Test func propertiesThatDoNotLinkToTheClassAreRefused() throws {
    let target = try contact(1)
    #expect(
      expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try target.backlinks(from: "Contact", "name") }
        == "The property 'Contact.name' does not link to 'Contact'."
    )
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try target.backlinks(from: "Contact", "home") }
  }
}
