// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncChangeset
import FlexSyncModel
import Testing

@testable import FlexSyncCore

@Suite struct AsymmetricTests {
  private static let key = TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true)
  private static let event = TestClass(
    name: "Event",
    kind: .FLX_CLASS_ASYMMETRIC,
    properties: [
      key, TestProperty(name: "text", type: .FLX_TYPE_STRING),
      TestProperty(name: "place", type: .FLX_TYPE_LINK, target: "Place"),
      TestProperty(name: "any", type: .FLX_TYPE_MIXED),
    ]
  )
  private static let place = TestClass(
    name: "Place",
    kind: .FLX_CLASS_EMBEDDED,
    properties: [TestProperty(name: "name", type: .FLX_TYPE_STRING)]
  )

  private static func linking(_ name: String, to target: String, kind: flx_class_kind_t) -> TestClass {
    let link = TestProperty(name: "link", type: .FLX_TYPE_LINK, target: target)
    return TestClass(name: name, kind: kind, properties: kind == .FLX_CLASS_EMBEDDED ? [link] : [key, link])
  }

  // Feature 18
  @Test func writesAreInTheHistoryAndNotInTheFile() throws {
    let account = try TestAccount()
    let path = account.folder.file("asymmetric.realm")
    let realm = try account.open(path: path, classes: .tasks + [Self.event, Self.place])
    try realm.write {
      let event = try realm.create("Event", .int(1), ["text": .string("hello")])
      try event.setEmbedded("place", "Place").set("name", .string("Graz"))
    }
    #expect(try realm.objects("Place").count == 0)
    let file = Handle.object(realm.handle, as: Realm.self).file
    let newest = try #require(try file.uploads(after: 0, byteLimit: .max).entries.last)
    let instructions = try ChangesetCodec.decode(newest.changeset).instructions
    #expect(instructions.first == .createObject(ObjectReference(table: "Event", key: .int(1))))
    #expect(instructions.count == 4)
    let table = try #require(try file.objects.table(named: "Event"))
    #expect(try file.objects.rows(table).isEmpty)
  }

  @Test func anObjectIsGoneWithTheTransactionThatMadeIt() throws {
    let realm = try TestAccount().open(memory: "gone", classes: [Self.event, Self.place])
    let event = try realm.write {
      let event = try realm.create("Event", .int(1), ["text": .string("hello")])
      #expect(try event.get("text") == .string("hello"))
      expectFailure(.FLX_STATUS_DUPLICATE_PRIMARY_KEY) { _ = try realm.create("Event", .int(1)) }
      return event
    }
    expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { _ = try event.get("text") }
    // The same key again: the first one is gone.
    try realm.write { _ = try realm.create("Event", .int(1)) }
  }

  // Feature 17
  @Test func nothingCanBeAskedForOnTheDevice() throws {
    let realm = try TestAccount().open(memory: "unasked", classes: [Self.event, Self.place])
    let message =
      "Objects of the asymmetric class 'Event' are not kept on the device; they can be created, but not queried, found or observed."
    #expect(expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try realm.objects("Event") } == message)
    #expect(expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try realm.find("Event", .int(1)) } == message)
    try realm.write {
      let event = try realm.create("Event", .int(1))
      var token: OpaquePointer?
      #expect(
        expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
          try attempt { flx_object_observe(event.handle, { _, _ in }, nil, nil, &token, $0) }
        } == message
      )
    }
  }

  @Test func aLocalRealmRefusesTheClass() {
    #expect(
      expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
        _ = try TestRealm(memory: "local", classes: [Self.event, Self.place])
      } == "Asymmetric table 'Event' not allowed in a local Realm"
    )
  }

  @Test func linksToAsymmetricClassesAreRefused() throws {
    let toEvent = Self.linking("Task", to: "Event", kind: .FLX_CLASS_TOP_LEVEL)
    let message = expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
      _ = try TestAccount().open(memory: "links", classes: [Self.event, Self.place, toEvent])
    }
    #expect(message == "Property 'Task.link' of type 'object' cannot be a link to an asymmetric object.")
  }

  @Test func anAsymmetricObjectLinksToOneThatStays() throws {
    let account = try TestAccount()
    let path = account.folder.file("asymmetric-links.realm")
    let ping = Self.linking("Ping", to: "Task", kind: .FLX_CLASS_ASYMMETRIC)
    let realm = try account.open(path: path, classes: .tasks + [ping])
    try realm.updateSubscriptions { _ = try $0.add(realm.objects("Task")) }
    try realm.write {
      let task = try realm.create("Task", .int(1))
      let event = try realm.create("Ping", .int(2))
      var value = flx_value_t()
      value.type = .FLX_TYPE_LINK
      value.link = flx_object_link(task.handle)
      let property = try realm.property("Ping", "link").key
      try attempt { flx_object_set(event.handle, property, &value, $0) }
    }
    #expect(try realm.objects("Task").count == 1)
    let file = Handle.object(realm.handle, as: Realm.self).file
    let newest = try #require(try file.uploads(after: 0, byteLimit: .max).entries.last)
    let place = PropertyPath(object: ObjectReference(table: "Ping", key: .int(2)), field: "link", path: [])
    #expect(
      try ChangesetCodec.decode(newest.changeset).instructions.contains(
        .update(place, .value(.link(Link(className: "Task", key: .int(1)))), .isDefault(false))
      )
    )
    let table = try #require(try file.objects.table(named: "Ping"))
    #expect(try file.objects.rows(table).isEmpty)
  }

  @Test func aMixedOfAnAsymmetricObjectHoldsNoLink() throws {
    let realm = try TestAccount().open(memory: "mixed", classes: .tasks + [Self.event, Self.place])
    try realm.updateSubscriptions { _ = try $0.add(realm.objects("Task")) }
    try realm.write {
      let task = try realm.create("Task", .int(1))
      let event = try realm.create("Event", .int(1))
      let property = try realm.property("Event", "any").key
      var value = flx_value_t()
      value.type = .FLX_TYPE_LINK
      value.link = flx_object_link(task.handle)
      #expect(
        expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
          try attempt { flx_object_set(event.handle, property, &value, $0) }
        } == "Links not allowed in asymmetric tables: 'Event.any'."
      )
    }
  }
}
