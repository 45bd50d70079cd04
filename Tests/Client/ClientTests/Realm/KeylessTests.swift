// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// Classes without a primary key, which only local realms can have.
@Suite struct KeylessTests {
  private static let classes = [
    TestClass(
      name: "Dog",
      properties: [
        TestProperty(name: "name", type: .FLX_TYPE_STRING),
        TestProperty(name: "born", type: .FLX_TYPE_TIMESTAMP, isNullable: true),
        TestProperty(name: "friend", type: .FLX_TYPE_LINK, target: "Dog"),
        TestProperty(name: "puppies", type: .FLX_TYPE_LINK, collection: .FLX_COLLECTION_LIST, target: "Dog"),
        TestProperty(name: "any", type: .FLX_TYPE_MIXED),
      ]
    ),
    TestClass(name: "Empty", properties: []),
  ]

  let folder = TemporaryFolder()

  private func open() throws -> TestRealm {
    try TestRealm(path: folder.file("test.realm"), classes: Self.classes)
  }

  @Test func objectsAreCreatedWithoutAKeyAndSurviveReopening() throws {
    do {
      let realm = try open()
      try realm.write {
        let rex = try realm.create("Dog", .null, ["name": .string("Rex"), "born": .timestamp(5, 6)])
        try realm.create("Dog", .null, ["name": .string("Ida"), "friend": rex.link, "any": rex.link])
        try realm.create("Dog", .null, ["name": .string("Rex")])
        try realm.create("Empty", .null)
        try realm.create("Empty", .null)
      }
      realm.release()
    }
    let realm = try open()
    let dogs = try realm.objects("Dog")
    #expect(try dogs.values("name") == [.string("Rex"), .string("Ida"), .string("Rex")])
    #expect(try realm.objects("Empty").count == 2)
    let ida = try dogs.object(at: 1)
    #expect(try realm.linked(ida.get("friend"), "Dog")?.get("born") == .timestamp(5, 6))
    #expect(try realm.linked(ida.get("any"), "Dog")?.get("name") == .string("Rex"))
  }

  @Test func linksAreFollowedInQueriesAndEndWithTheirTarget() throws {
    let realm = try open()
    try realm.write {
      let rex = try realm.create("Dog", .null, ["name": .string("Rex")])
      let ida = try realm.create("Dog", .null, ["name": .string("Ida"), "friend": rex.link])
      try rex.list("puppies").append(ida.link)
    }
    let dogs = try realm.objects("Dog")
    let rex = try dogs.object(at: 0)
    #expect(try dogs.filter("friend.name == 'Rex'").values("name") == [.string("Ida")])
    #expect(try dogs.filter("friend == $0", [rex.link]).values("name") == [.string("Ida")])
    #expect(try dogs.filter("@links.Dog.friend.name == 'Ida'").values("name") == [.string("Rex")])
    #expect(try dogs.filter("ANY puppies.name == 'Ida'").values("name") == [.string("Rex")])
    try realm.write { try rex.delete() }
    #expect(try dogs.values("name") == [.string("Ida")])
    #expect(try dogs.object(at: 0).get("friend") == .null)
  }

  @Test func membersOfAListAreSortedAndLimited() throws {
    let realm = try open()
    let rex = try realm.write {
      let rex = try realm.create("Dog", .null, ["name": .string("Rex")])
      for name in ["C", "A", "B"] {
        try rex.list("puppies").append(try realm.create("Dog", .null, ["name": .string(name)]).link)
      }
      try realm.create("Dog", .null, ["name": .string("0")])
      return rex
    }
    var handle: OpaquePointer?
    let list = try rex.list("puppies")
    try attempt { flx_list_get_results(list.handle, &handle, $0) }
    let members = TestResults(realm, "Dog", try #require(handle))
    #expect(try members.values("name") == [.string("C"), .string("A"), .string("B")])
    #expect(try members.sort("name").limit(2).values("name") == [.string("A"), .string("B")])
  }

  @Test func batchesNeedNoKey() throws {
    let realm = try open()
    var inserted = 0
    try realm.write {
      try realm.insert("Dog", [("name", [.string("A"), .string("B")])], inserted: &inserted)
    }
    #expect(inserted == 2)
    #expect(try realm.objects("Dog").values("name") == [.string("A"), .string("B")])
  }

  @Test func rowsAreNotReused() throws {
    let realm = try open()
    let first = try realm.write { try realm.create("Dog", .null, ["name": .string("A")]) }
    try realm.write { try first.delete() }
    try realm.write { try realm.create("Dog", .null, ["name": .string("B")]) }
    #expect(!first.isValid)
  }

  @Test func thereIsNoKeyToGiveOrToFindBy() throws {
    let realm = try open()
    try realm.beginWrite()
    let refusal = expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { try realm.create("Dog", .int(1)) }
    #expect(refusal.contains("'Dog' has no primary key"))
    try realm.cancel()
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try realm.find("Dog", .int(1)) }
  }

  @Test func aKeyCannotBeAddedOrRemovedLater() throws {
    try open().release()
    let keyed = [
      TestClass(name: "Dog", properties: [TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true)])
    ]
    let path = folder.file("test.realm")
    let message = expectFailure(.FLX_STATUS_SCHEMA_MISMATCH) { _ = try TestRealm(path: path, classes: keyed) }
    #expect(message.contains("there is no primary key, not '_id'"))
    let other = folder.file("other.realm")
    try TestRealm(path: other, classes: keyed).release()
    expectFailure(.FLX_STATUS_SCHEMA_MISMATCH) { _ = try TestRealm(path: other, classes: Self.classes) }
  }

  @Test func aSyncedRealmRequiresKeysNamedID() throws {
    func refusal(_ key: PropertySchema?) -> String? {
      let schema = ClassSchema(name: "Dog", primaryKey: key, properties: [])
      let declared = DeclaredClass(schema: schema, propertyNames: key.map { [$0.name] } ?? [])
      do {
        try SchemaDeclaration.check([declared], isSynced: true)
        return nil
      } catch {
        return "\(error)"
      }
    }
    #expect(refusal(PropertySchema(name: "_id", type: .int)) == nil)
    let none = "primary key property named '_id' on a synchronized Realm but none was found for type 'Dog'"
    #expect(refusal(nil)?.contains(none) == true)
    #expect(
      refusal(PropertySchema(name: "id", type: .int))?.contains("but found 'id' for type 'Dog'") == true
    )
  }
}
