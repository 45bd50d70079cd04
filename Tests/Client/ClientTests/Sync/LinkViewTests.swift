// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore
@testable import FlexSyncServer

/// Links to objects that the subscriptions do not bring.
@Suite struct LinkViewTests {
  private let folder = TemporaryFolder()
  private let server: SyncServer

  private static let classes: [TestClass] = [
    TestClass(
      name: "Dog",
      properties: [
        TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true),
        TestProperty(name: "name", type: .FLX_TYPE_STRING, isNullable: true),
      ]
    ),
    TestClass(
      name: "Person",
      properties: [
        TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true),
        TestProperty(name: "dog", type: .FLX_TYPE_LINK, target: "Dog", isNullable: true),
      ]
    ),
  ]

  init() throws {
    server = try SyncServer(app: try Self.developmentApp(folder))
  }

  private static func developmentApp(_ folder: TemporaryFolder) throws -> String {
    let files = [
      "root_config.json": #"{"app_id":"tasktracker-abcde"}"#,
      "auth/providers.json": #"{"anon-user":{"type":"anon-user"}}"#,
      "sync/config.json":
        #"{"type":"flexible","state":"enabled","development_mode_enabled":true,"service_name":"s","database_name":"d"}"#,
      "data_sources/s/default_rule.json": #"""
      {"roles":[{"name":"everybody","apply_when":{},"document_filters":{"read":true,"write":true},
      "read":true,"write":true,"insert":true,"delete":true,"search":true}]}
      """#,
    ]
    return folder.write(files, under: "app")
  }

  // Feature 16, 89
  @Test func aLinkOutOfTheViewIsNilUntilASubscriptionBringsItsTarget() throws {
    let writer = try Device(server, classes: Self.classes)
    try writer.subscribe(["Dog": "TRUEPREDICATE", "Person": "TRUEPREDICATE"])
    let realm = try writer.realm
    try realm.write {
      let dog = try realm.create("Dog", .int(1), ["name": .string("Rex")])
      try realm.create("Person", .int(1)).set("dog", dog.link)
      try realm.create("Person", .int(2))
    }
    try writer.upload()
    let reader = try Device(server, classes: Self.classes)
    try reader.subscribe(["Person": "TRUEPREDICATE"])
    try reader.realm.refresh()
    let (linking, other) = (
      try #require(try reader.realm.find("Person", .int(1))),
      try #require(try reader.realm.find("Person", .int(2)))
    )
    #expect(try linking.get("dog") == .null)
    #expect(try other.get("dog") == .null)
    #expect(try linking.linkState("dog") == (.FLX_LINK_OUT_OF_VIEW, .int(1)))
    #expect(try other.linkState("dog") == (.FLX_LINK_NULL, .null))
    #expect(try reader.realm.objects("Person").filter("dog == NULL").count == 2)
    try reader.subscribe(["Person": "TRUEPREDICATE", "Dog": "name == 'Rex'"])
    try reader.realm.refresh()
    let dog = try #require(try reader.realm.linked(try linking.get("dog"), "Dog"))
    #expect(try dog.get("name") == .string("Rex"))
    #expect(try linking.linkState("dog") == (.FLX_LINK_RESOLVED, .int(1)))
    #expect(try other.get("dog") == .null)
    try reader.subscribe(["Person": "TRUEPREDICATE"])
    try reader.realm.refresh()
    #expect(try linking.get("dog") == .null)
    #expect(try linking.linkState("dog") == (.FLX_LINK_OUT_OF_VIEW, .int(1)))
  }

  @Test func aDeletionOnAnotherDeviceMakesNullOnlyTheLinksThatItHad() throws {
    let (writer, reader) = (
      try Device(server, classes: Self.classes), try Device(server, classes: Self.classes)
    )
    for device in [writer, reader] {
      try device.subscribe(["Dog": "TRUEPREDICATE", "Person": "TRUEPREDICATE"])
    }
    try writer.realm.write {
      for key in 1...2 {
        let dog = try writer.realm.create("Dog", .int(Int64(key)))
        try writer.realm.create("Person", .int(Int64(key))).set("dog", dog.link)
      }
    }
    try writer.upload()
    let keeper = try Device(server, classes: Self.classes)
    try keeper.subscribe(["Dog": "TRUEPREDICATE"])
    try writer.realm.write { try #require(try writer.realm.find("Dog", .int(1))).delete() }
    try writer.upload()
    try keeper.realm.refresh()
    try keeper.realm.write { try #require(try keeper.realm.find("Dog", .int(2))).delete() }
    try keeper.upload()
    try reader.download()
    try reader.realm.refresh()
    let first = try #require(try reader.realm.find("Person", .int(1)))
    let second = try #require(try reader.realm.find("Person", .int(2)))
    #expect(try first.linkState("dog") == (.FLX_LINK_NULL, .null))
    #expect(try second.linkState("dog") == (.FLX_LINK_OUT_OF_VIEW, .int(2)))
    #expect(try second.get("dog") == .null)
  }

  @Test func onlyLinksToObjectsOfTheirOwnHaveAState() throws {
    let realm = try TestRealm(path: folder.file("local.realm"), classes: Self.classes)
    let person = try realm.write { try realm.create("Person", .int(1)) }
    #expect(try person.linkState("dog") == (.FLX_LINK_NULL, .null))
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try person.linkState("_id") }
    try realm.write {
      let dog = try realm.create("Dog", .int(1))
      try person.set("dog", dog.link)
      #expect(try person.linkState("dog") == (.FLX_LINK_RESOLVED, .int(1)))
      try dog.delete()
    }
    #expect(try person.linkState("dog") == (.FLX_LINK_NULL, .null), "deleting an object unlinks it")
    try realm.write { try person.delete() }
    expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { _ = try person.linkState("dog") }
  }
}

extension TestObject {
  fileprivate func linkState(_ name: String) throws -> (flx_link_state_t, Cell) {
    let property = try realm.property(className, name)
    var state = flx_link_state_t.FLX_LINK_NULL
    var key = flx_value_t()
    try attempt { flx_object_get_link_state(handle, property.key, &state, &key, $0) }
    return (state, Cell(key))
  }
}
