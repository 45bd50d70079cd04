// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Embedded objects between devices, through a server.
@Suite struct EmbeddedSyncTests {
  private static let contactID = "65a000000000000000000001"

  let folder = TemporaryFolder()
  let server: SyncServer

  init() throws {
    try FileSystem.makeFolder(folder.path)
    let app = "\(folder.path)/app"
    let copy = """
      cp -R '\(PackageFolder.taskTracker)' '\(app)' && \
      cp -R '\(PackageFolder.root)/Tests/Conformance/Collections/Contact' '\(app)/data_sources/mongodb-atlas/tracker'
      """
    #expect(system(copy) == 0)
    server = try SyncServer(app: app)
  }

  private func device() throws -> Device {
    let device = try Device(server, classes: .syncedContacts)
    try device.subscribe(["Contact": "TRUEPREDICATE"])
    return device
  }

  private func contact(_ device: Device) throws -> TestObject {
    try device.realm.refresh()
    return try #require(try device.realm.find("Contact", .objectId(Self.contactID)))
  }

  /// Everything that a contact embeds, as text.
  private func summary(_ device: Device) throws -> String {
    let contact = try contact(device)
    let home = try contact.linked("home", "Address").map { try summary(of: $0) } ?? "-"
    let list = try contact.list("addresses")
    let others = try (0..<(try list.count)).map { index in
      try summary(of: list.linked(device.realm, "Address", at: index))
    }
    return "\(home) [\(others.joined(separator: ", "))]"
  }

  private func summary(of address: TestObject) throws -> String {
    let country = try address.linked("country", "Country")?.get("name")
    let tags = try address.list("tags").cells
    return "\(text(try address.get("street"))) \(text(try address.get("number"))) \(country.map(text) ?? "-")"
      + tags.map { " #\(text($0))" }.joined()
  }

  private func text(_ cell: Cell) -> String {
    switch cell {
    case .string(let text): text
    case .int(let number): "\(number)"
    default: "-"
    }
  }

  private func makeContact(_ device: Device) throws {
    let realm = try device.realm
    try realm.write {
      let contact = try realm.create("Contact", .objectId(Self.contactID), ["name": .string("Ada")])
      let home = try contact.setEmbedded("home", "Address")
      try home.set("street", .string("Elm"))
      try home.setEmbedded("country", "Country").set("name", .string("Peru"))
      try home.list("tags").append(.string("old"))
      let list = try contact.list("addresses")
      for (index, street) in ["a", "b", "c"].enumerated() {
        let address = try list.insertEmbedded(realm, "Address", at: index)
        try address.set("street", .string(street))
        try address.set("number", .int(Int64(index)))
      }
    }
    try device.upload()
  }

  @Test func embeddedObjectsArriveInBootstrapsAndAsChanges() throws {
    let first = try device()
    let early = try device()
    try makeContact(first)
    let late = try device()
    let expected = "Elm - Peru #old [a 0 -, b 1 -, c 2 -]"
    #expect(try summary(first) == expected)
    #expect(try summary(late) == expected)
    try early.expect("the contact arrives") { try early.realm.objects("Contact").count == 1 }
    #expect(try summary(early) == expected)

    try late.realm.write {
      let contact = try contact(late)
      try #require(try contact.linked("home", "Address")).add(7, to: "number")
      let list = try contact.list("addresses")
      try list.move(0, 2)
      try list.linked(late.realm, "Address", at: 2).set("street", .string("A"))
      try list.erase(0)
    }
    try late.upload()
    try first.download()
    #expect(try summary(first) == "Elm - Peru #old [c 2 -, A 0 -]")
    try first.realm.write { try contact(first).set("home", .null) }
    try first.upload()
    try late.download()
    #expect(try summary(late) == "- [c 2 -, A 0 -]")
  }

  @Test func concurrentEditsConverge() throws {
    let (left, right) = (try device(), try device())
    try makeContact(left)
    try right.download()
    try left.session.suspend()
    try right.session.suspend()
    try left.realm.write {
      let contact = try contact(left)
      try contact.list("addresses").linked(left.realm, "Address", at: 1).set("street", .string("B"))
      _ = try contact.list("addresses").insertEmbedded(left.realm, "Address", at: 0)
      try #require(try contact.linked("home", "Address")).set("street", .string("Oak"))
    }
    try right.realm.write {
      let contact = try contact(right)
      try contact.list("addresses").erase(0)
      try contact.list("addresses").linked(right.realm, "Address", at: 0).set("number", .int(9))
      try contact.setEmbedded("home", "Address").set("street", .string("Ash"))
    }
    try left.session.resume()
    try right.session.resume()
    try left.upload()
    try right.upload()
    try left.download()
    try right.download()
    #expect(try summary(left) == summary(right))
    #expect(try summary(left) == "Ash - - [ - -, B 9 -, c 2 -]")
  }
}

extension [TestClass] {
  /// The contacts that the conformance scenarios have.
  static let syncedContacts: [TestClass] = [
    TestClass(
      name: "Contact",
      properties: [
        TestProperty(name: "_id", type: .FLX_TYPE_OBJECT_ID, isPrimaryKey: true),
        TestProperty(name: "name", type: .FLX_TYPE_STRING),
        TestProperty(name: "home", type: .FLX_TYPE_LINK, target: "Address"),
        TestProperty(
          name: "addresses",
          type: .FLX_TYPE_LINK,
          collection: .FLX_COLLECTION_LIST,
          target: "Address"
        ),
        TestProperty(name: "friend", type: .FLX_TYPE_LINK, target: "Contact"),
      ]
    ),
    TestClass(
      name: "Address",
      kind: .FLX_CLASS_EMBEDDED,
      properties: [
        TestProperty(name: "street", type: .FLX_TYPE_STRING),
        TestProperty(name: "number", type: .FLX_TYPE_INT, isNullable: true),
        TestProperty(name: "tags", type: .FLX_TYPE_STRING, collection: .FLX_COLLECTION_LIST),
        TestProperty(name: "country", type: .FLX_TYPE_LINK, target: "Country"),
        TestProperty(name: "landlord", type: .FLX_TYPE_LINK, target: "Contact"),
      ]
    ),
    TestClass(
      name: "Country",
      kind: .FLX_CLASS_EMBEDDED,
      properties: [TestProperty(name: "name", type: .FLX_TYPE_STRING)]
    ),
  ]
}
