// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// What the C interface promises for all of its handles, structs and callbacks.
@Suite struct ContractTests {
  let folder = TemporaryFolder()

  private func openRealm() throws -> TestRealm { try TestRealm(path: folder.file("contract.realm")) }

  private func taskKey(_ realm: TestRealm) throws -> flx_class_key_t {
    var info = flx_class_info_t()
    try "Task".withC { name in try attempt { flx_realm_find_class(realm.handle, name, &info, $0) } }
    return info.key
  }

  @Test func aRetainedRealmStaysOpenUntilItIsReleasedForTheLastTime() throws {
    let realm = try openRealm()
    let retained = flx_realm_retain(realm.handle)
    #expect(retained == realm.handle)
    flx_realm_release(retained)
    #expect(try realm.objects("Task").count == 0)
    let again = flx_realm_retain(realm.handle)
    realm.release()
    #expect(flx_realm_class_count(again) == 2)
    flx_realm_release(again)
  }

  @Test func collectionsAndQueriesOutliveOneOfTwoReferences() throws {
    let realm = try openRealm()
    var query: OpaquePointer?
    let taskKey = try taskKey(realm)
    try "TRUEPREDICATE".withC { text in
      try attempt { flx_query_create(realm.handle, taskKey, text, nil, 0, &query, $0) }
    }
    let first = try #require(query)
    flx_query_release(flx_query_retain(first))
    #expect(flx_query_canonical(first).text == "TRUEPREDICATE")
    flx_query_release(first)
  }

  @Test func theThreadOfARealmCanBeCheckedWithoutUsingIt() throws {
    let realm = try openRealm()
    try attempt { flx_realm_check_thread(realm.handle, $0) }
    try attempt { flx_realm_begin_write(realm.handle, $0) }
    let handle = UInt(bitPattern: realm.handle)
    let other = OtherThread { () -> flx_status_t in
      OpaquePointer(bitPattern: handle).map { flx_realm_check_thread($0, nil) } ?? .FLX_STATUS_OK
    }
    #expect(other.join() == .FLX_STATUS_WRONG_THREAD)
    try attempt { flx_realm_cancel_write(realm.handle, $0) }
  }

  @Test func structsWhoseRoomIsNotZeroAreRefused() throws {
    let realm = try openRealm()
    let results = try realm.objects("Task")
    let message = expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
      try "taskName".withC { path in
        var key = flx_sort_key_t(key_path: path, is_ascending: true)
        key.reserved.1 = 1
        var sorted: OpaquePointer?
        try attempt { flx_results_sort(results.handle, &key, 1, &sorted, $0) }
      }
    }
    #expect(message.hasPrefix("flx_sort_key_t.reserved is not zero."))
  }

  @Test func stoppingATokenWaitsForACallThatIsRunningOnAnotherThread() throws {
    let gate = CallbackGate()
    let token = NotificationToken {}
    token.control(gate)
    let (isInside, mayLeave, isLeft, isStopped) = (Flag(), Flag(), Flag(), Flag())
    let caller = OtherThread {
      gate.pass {
        isInside.raise()
        mayLeave.wait()
        isLeft.raise()
      }
    }
    #expect(isInside.wait())
    let stopper = OtherThread { () -> Bool in
      token.stop()
      isStopped.raise()
      return isLeft.isRaised
    }
    #expect(!isStopped.wait(milliseconds: 50))
    mayLeave.raise()
    #expect(stopper.join() == true)
    _ = caller.join()
    gate.pass { Issue.record("a call after the end of the observation") }
  }

  @Test func aTokenThatIsStoppedInItsOwnCallbackDoesNotWait() throws {
    let gate = CallbackGate()
    let token = NotificationToken {}
    token.control(gate)
    var count = 0
    gate.pass {
      count += 1
      token.stop()
      gate.pass { count += 1 }
    }
    #expect(count == 1)
  }

  @Test func uuidsAreReadWrittenAndMade() throws {
    var uuid = flx_uuid_t()
    let text = "01234567-89ab-cdef-0123-456789abcdef"
    #expect(text.uppercased().withC { flx_uuid_parse($0, &uuid) })
    #expect(written(uuid) == text)
    #expect(!"0123456789abcdef0123456789abcdef".withC { flx_uuid_parse($0, &uuid) })
    let groups = written(flx_uuid_generate()).split(separator: "-")
    #expect(groups.map(\.count) == [8, 4, 4, 4, 12])
    #expect(groups[2].hasPrefix("4") && "89ab".contains(groups[3].prefix(1)))
  }

  @Test func aClosedRealmSaysSoAndIsReleasedAsUsual() throws {
    let realm = try openRealm()
    let results = try realm.objects("Task")
    #expect(!flx_realm_is_closed(realm.handle))
    try attempt { flx_realm_close(realm.handle, $0) }
    try attempt { flx_realm_close(realm.handle, $0) }
    #expect(flx_realm_is_closed(realm.handle))
    expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { _ = try results.count }
    realm.release()
  }

  @Test func anObjectIsFoundOrCreated() throws {
    let realm = try openRealm()
    func findOrCreate(_ key: Cell) throws -> Bool {
      var object: OpaquePointer?
      var isNew = false
      let taskKey = try taskKey(realm)
      try key.withC { key in
        var key = key
        try attempt { flx_object_find_or_create(realm.handle, taskKey, &key, &object, &isNew, $0) }
      }
      flx_object_release(object)
      return isNew
    }
    expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) { _ = try findOrCreate(.int(1)) }
    try realm.write {
      let outcomes = [try findOrCreate(.int(1)), try findOrCreate(.int(1))]
      #expect(outcomes == [true, false])
    }
    #expect(try realm.objects("Task").count == 1)
  }

  @Test func severalPropertiesAreReadAndWrittenAtOnce() throws {
    let realm = try openRealm()
    try realm.write {
      let object = try realm.create("Task", .int(1))
      let keys = try ["_id", "name"].map { try realm.property("Task", $0).key }
      try "Read".withC { text in
        var value = flx_value_t()
        value.type = .FLX_TYPE_STRING
        value.string = text
        try attempt { flx_object_set_values(object.handle, [keys[1]], &value, 1, $0) }
      }
      var values = [flx_value_t](repeating: flx_value_t(), count: 2)
      try attempt { flx_object_get_values(object.handle, keys, 2, &values, $0) }
      #expect(values[0].integer == 1)
      #expect(values[1].string.text == "Read")
      let message = expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
        try attempt { flx_object_get_values(object.handle, nil, 2, nil, $0) }
      }
      #expect(message.contains("properties is NULL"))
    }
  }

  @Test func noPropertiesAtAllNeedAnObjectAsWell() throws {
    let realm = try openRealm()
    let object = try realm.write { try realm.create("Task", .int(1)) }
    try attempt { flx_object_get_values(object.handle, nil, 0, nil, $0) }
    expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) {
      try attempt { flx_object_set_values(object.handle, nil, nil, 0, $0) }
    }
    try realm.write {
      try attempt { flx_object_set_values(object.handle, nil, nil, 0, $0) }
      try object.delete()
    }
    expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) {
      try attempt { flx_object_get_values(object.handle, nil, 0, nil, $0) }
    }
    try attempt { flx_realm_close(realm.handle, $0) }
    let message = expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) {
      try attempt { flx_object_get_values(object.handle, nil, 0, nil, $0) }
    }
    #expect(message == "The realm is closed.")
  }

  private func written(_ uuid: flx_uuid_t) -> String {
    var uuid = uuid
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 37) { characters in
      characters.baseAddress.map { start in
        flx_uuid_format(&uuid, start)
        return String(cString: start)
      } ?? ""
    }
  }

  @Test func aListFindsTheFirstElementThatEqualsAValue() throws {
    let realm = try TestRealm(
      path: folder.file("lists.realm"),
      classes: [
        TestClass(
          name: "Thing",
          properties: [
            TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true),
            TestProperty(name: "words", type: .FLX_TYPE_STRING, collection: .FLX_COLLECTION_LIST),
          ]
        )
      ]
    )
    try realm.write {
      let list = try realm.create("Thing", .int(1)).list("words")
      for (index, word) in ["a", "b", "b"].enumerated() { try list.insert(.string(word), at: index) }
      #expect(try find(.string("b"), in: list) == 1)
      #expect(try find(.string("c"), in: list) == -1)
      #expect(try find(.int(1), in: list) == -1)
      let tooLong = String(repeating: "b", count: 1 << 24)
      #expect(try find(.string(tooLong), in: list) == -1)
    }
  }

  @Test func aListFindsWhatIsNotANumberAndZeroesOfEitherSign() throws {
    let realm = try TestRealm(path: folder.file("notes.realm"), classes: .notes)
    let other = Double(bitPattern: 0xfff8_0000_0000_0123)
    try realm.write {
      let list = try realm.create("Note", .int(1)).list("anything")
      for (index, cell) in [.double(other), .double(-0.0), .float(-0.0)].enumerated()
        as EnumeratedSequence<[Cell]>
      {
        try list.insert(cell, at: index)
      }
      #expect(try find(.double(.nan), in: list) == 0 && find(.float(.nan), in: list) == 0)
      #expect(try find(.double(0), in: list) == 1 && find(.int(0), in: list) == 1)
    }
  }

  @Test func embeddedObjectsOfAListAreFound() throws {
    let realm = try TestRealm(path: folder.file("embedded.realm"), classes: .contacts)
    try realm.write {
      let contact = try realm.create("Contact", .int(1))
      let list = try contact.list("addresses")
      let addresses = try (0..<3).map { try list.insertEmbedded(realm, "Address", at: $0) }
      for (index, address) in addresses.enumerated() { #expect(try find(address.link, in: list) == index) }
      #expect(try find(contact.link, in: list) == -1)
      try list.erase(0)
      #expect(try find(addresses[1].link, in: list) == 0)
    }
  }

  private func find(_ cell: Cell, in list: TestList) throws -> Int {
    var index = 0
    try cell.withC { value in
      var value = value
      try attempt { flx_list_find(list.handle, &value, &index, $0) }
    }
    return index
  }
}
