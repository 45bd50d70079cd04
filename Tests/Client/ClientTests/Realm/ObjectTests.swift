// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@Suite struct ObjectTests {
  let folder = TemporaryFolder()
  var path: String { get throws { folder.file("test.realm") } }

  @Test func aNewObjectHasDefaultValues() throws {
    let realm = try TestRealm(path: path)
    try realm.write {
      let task = try realm.create("Task", .int(1))
      #expect(try task.get("_id") == .int(1))
      #expect(try task.get("name") == .string(""))
      #expect(try task.get("progress") == .int(0))
      #expect(try task.get("isDone") == .bool(false))
      #expect(try task.get("note") == .null)
      #expect(try task.get("weight") == .double(0))
      #expect(try task.get("owner") == .null)
    }
  }

  @Test func valuesOfAllTypesSurviveReopening() throws {
    let values: [String: Cell] = [
      "name": .string("Wäsche\u{0}☂️"), "progress": .int(.min), "isDone": .bool(true), "note": .string(""),
      "due": .timestamp(-62_135_596_800, -5), "weight": .double(-.infinity),
      "ratio": .float(.leastNonzeroMagnitude),
      "data": .binary([0, 255, 0]), "oid": .objectId("0123456789abcdef01234567"),
      "uuid": .uuid(Array(0..<16)),
    ]
    do {
      let realm = try TestRealm(path: path)
      try realm.write { try realm.create("Task", .int(7), values) }
      realm.release()
    }
    let realm = try TestRealm(path: path)
    let task = try #require(try realm.find("Task", .int(7)))
    for (name, value) in values { #expect(try task.get(name) == value, "\(name)") }
  }

  @Test func notANumberSurvives() throws {
    let realm = try TestRealm(path: path)
    try realm.write { try realm.create("Task", .int(1), ["weight": .double(.nan), "ratio": .float(.nan)]) }
    let task = try #require(try realm.find("Task", .int(1)))
    guard case .double(let weight) = try task.get("weight"), case .float(let ratio) = try task.get("ratio")
    else {
      Issue.record("no numbers")
      return
    }
    #expect(weight.isNaN && ratio.isNaN)
  }

  @Test func findingGivesNothingForUnknownKeys() throws {
    let realm = try TestRealm(path: path)
    #expect(try realm.find("Task", .int(1)) == nil)
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try realm.find("Task", .string("1")) }
    expectFailure(.FLX_STATUS_NULL_NOT_ALLOWED) { _ = try realm.find("Task", .null) }
  }

  @Test func aPrimaryKeyIsTakenOnce() throws {
    let realm = try TestRealm(path: path)
    try realm.write { try realm.create("Task", .int(1)) }
    try realm.beginWrite()
    let message = expectFailure(.FLX_STATUS_DUPLICATE_PRIMARY_KEY) { try realm.create("Task", .int(1)) }
    #expect(message.contains("Task"))
    try realm.create("Task", .int(2))
    expectFailure(.FLX_STATUS_DUPLICATE_PRIMARY_KEY) { try realm.create("Task", .int(2)) }
    try realm.commit()
  }

  @Test func writingNeedsATransaction() throws {
    let realm = try TestRealm(path: path)
    let task = try realm.write { try realm.create("Task", .int(1)) }
    expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) { try realm.create("Task", .int(2)) }
    expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) { try task.set("progress", .int(1)) }
    expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) { try task.add(1, to: "progress") }
    expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) { try task.delete() }
    expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) { try task.list("tags").append(.string("a")) }
  }

  @Test func badValuesAreRefused() throws {
    let realm = try TestRealm(path: path)
    try realm.beginWrite()
    let task = try realm.create("Task", .int(1))
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { try task.set("progress", .string("1")) }
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { try task.set("weight", .int(1)) }
    expectFailure(.FLX_STATUS_NULL_NOT_ALLOWED) { try task.set("name", .null) }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { try task.set("_id", .int(2)) }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { try task.set("due", .timestamp(1, -1)) }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { try task.set("due", .timestamp(1, 1_000_000_000)) }
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { try task.set("tags", .string("a")) }
    let message = expectFailure(.FLX_STATUS_TYPE_MISMATCH) { try task.set("tags", .int(1)) }
    #expect(message == "The property 'Task.tags' is a list.")
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try task.get("tags") }
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { try task.set("owner", task.link) }
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { try task.add(1, to: "weight") }
    let property = try realm.property("Task", "name").key
    try check("bad bytes", task.handle, property, [0xFF, 0xFE], .FLX_STATUS_INVALID_ARGUMENT)
    #expect(try task.get("progress") == .int(0))
    try realm.commit()
  }

  private func check(
    _ what: String,
    _ object: OpaquePointer,
    _ property: flx_property_key_t,
    _ bytes: [UInt8],
    _ status: flx_status_t
  ) throws {
    var value = flx_value_t()
    value.type = .FLX_TYPE_STRING
    bytes.withUnsafeBytes { bytes in
      value.string = flx_string_t(
        data: bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
        size: bytes.count
      )
      #expect(flx_object_set(object, property, &value, nil) == status, "\(what)")
    }
    value.string = flx_string_t(data: nil, size: 3)
    #expect(flx_object_set(object, property, &value, nil) == .FLX_STATUS_INVALID_ARGUMENT)
    withUnsafeBytes(of: 0) { bytes in
      value.string = flx_string_t(data: bytes.baseAddress?.assumingMemoryBound(to: CChar.self), size: -1)
      #expect(flx_object_set(object, property, &value, nil) == .FLX_STATUS_VALUE_TOO_LARGE)
    }
    value.type = flx_type_t(rawValue: 99) ?? .FLX_TYPE_NULL
    #expect(flx_object_set(object, property, &value, nil) != .FLX_STATUS_OK)
    value.type = .FLX_TYPE_NULL
    #expect(flx_object_set(object, 999, &value, nil) == .FLX_STATUS_NO_SUCH_PROPERTY)
    #expect(flx_object_get(object, 999, &value, nil) == .FLX_STATUS_NO_SUCH_PROPERTY)
  }

  @Test func aValueThatIsTooLargeIsRefused() throws {
    let realm = try TestRealm(path: path)
    try realm.beginWrite()
    let task = try realm.create("Task", .int(1))
    let large = String(repeating: "x", count: 16 * 1024 * 1024)
    expectFailure(.FLX_STATUS_VALUE_TOO_LARGE) { try task.set("name", .string(large)) }
    try realm.cancel()
  }

  @Test func additionsWrapAroundAndNullStaysNull() throws {
    var classes: [TestClass] = .tasks
    classes[0].properties.append(TestProperty(name: "maybe", type: .FLX_TYPE_INT, isNullable: true))
    let realm = try TestRealm(path: path, classes: classes)
    try realm.write {
      let task = try realm.create("Task", .int(1), ["progress": .int(.max)])
      try task.add(2, to: "progress")
      try task.add(2, to: "maybe")
      #expect(try task.get("progress") == .int(.min + 1))
      #expect(try task.get("maybe") == .null)
    }
  }

  @Test func allHandlesOfAnObjectSeeAWrite() throws {
    let realm = try TestRealm(path: path)
    let first = try realm.write { try realm.create("Task", .int(1), ["name": .string("a")]) }
    let second = try #require(try realm.find("Task", .int(1)))
    #expect(try second.get("name") == .string("a"))
    try realm.write {
      try first.set("name", .string("b"))
      try first.set("progress", .int(3))
      #expect(try first.get("name") == .string("b"))
      #expect(try first.get("progress") == .int(3))
      #expect(try second.get("name") == .string("b"))
      try second.set("name", .string("c"))
      #expect(try first.get("name") == .string("c"))
    }
    #expect(try first.get("name") == .string("c"))
  }

  @Test func aDeletedObjectIsInvalid() throws {
    let realm = try TestRealm(path: path)
    let task = try realm.write { try realm.create("Task", .int(1)) }
    let other = try #require(try realm.find("Task", .int(1)))
    try realm.write {
      try task.delete()
      #expect(!task.isValid)
      #expect(!other.isValid)
      expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { try task.set("progress", .int(1)) }
      expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { try other.delete() }
    }
    expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { _ = try other.get("name") }
    #expect(try realm.find("Task", .int(1)) == nil)
  }

  @Test func anObjectMadeAnewIsAnotherObject() throws {
    let realm = try TestRealm(path: path)
    let old = try realm.write { try realm.create("Task", .int(1)) }
    let new = try realm.write {
      try old.delete()
      return try realm.create("Task", .int(1))
    }
    #expect(!old.isValid)
    #expect(new.isValid)
  }

  @Test func cancelingTakesBackEverything() throws {
    let realm = try TestRealm(path: path)
    let kept = try realm.write { try realm.create("Task", .int(1), ["name": .string("kept")]) }
    try realm.beginWrite()
    try kept.set("name", .string("changed"))
    let dropped = try realm.create("Task", .int(2))
    #expect(dropped.isValid)
    try realm.cancel()
    #expect(try kept.get("name") == .string("kept"))
    #expect(!dropped.isValid)
    // Its row may go to another object, which the old handle must not show.
    try realm.write { try realm.create("Task", .int(3), ["name": .string("new")]) }
    #expect(!dropped.isValid)
    var message = expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) { try realm.cancel() }
    #expect(message == "There is no write transaction to cancel.")
    message = expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) { try realm.commit() }
    #expect(message == "There is no write transaction to commit.")
  }

  @Test func linksLeadToObjectsAndBecomeNullWithThem() throws {
    let realm = try TestRealm(path: path)
    let (task, person) = try realm.write {
      let person = try realm.create("Person", .string("Ann"), ["age": .int(30)])
      return (try realm.create("Task", .int(1), ["owner": person.link]), person)
    }
    let link = try task.get("owner")
    #expect(link == person.link)
    #expect(try realm.linked(link, "Person")?.get("age") == .int(30))
    try realm.write { try person.delete() }
    #expect(try task.get("owner") == .null)
    #expect(try realm.linked(link, "Person") == nil)
    try realm.write {
      expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { try task.set("owner", link) }
      // The link was set to null, so an object of the same key does not bring it back.
      try realm.create("Person", .string("Ann"))
      #expect(try task.get("owner") == .null)
    }
  }

  @Test func objectsOfAReleasedRealmAreInvalid() throws {
    let realm = try TestRealm(path: path)
    let task = try realm.write { try realm.create("Task", .int(1), ["name": .string("a")]) }
    let name = try realm.property("Task", "name").key
    let list = try task.list("tags")
    #expect(try task.get("name") == .string("a"))
    realm.release()
    #expect(!task.isValid)
    var value = flx_value_t()
    #expect(flx_object_get(task.handle, name, &value, nil) == .FLX_STATUS_OBJECT_INVALIDATED)
    expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { _ = try list.count }
  }

  @Test func releasingARealmCancelsItsWrite() throws {
    let first = try TestRealm(path: path)
    try first.beginWrite()
    try first.create("Task", .int(1))
    first.release()
    let second = try TestRealm(path: path)
    try second.write {}
    #expect(try second.find("Task", .int(1)) == nil)
  }
}
