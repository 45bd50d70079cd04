// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@Suite struct ListTests {
  let folder = TemporaryFolder()
  var path: String { get throws { folder.file("test.realm") } }

  @Test func elementsAreInsertedMovedReplacedAndErased() throws {
    let realm = try TestRealm(path: path)
    let task = try realm.write { try realm.create("Task", .int(1)) }
    let tags = try task.list("tags")
    #expect(try tags.count == 0)
    try realm.write {
      for text in ["a", "b", "c", "d"] { try tags.append(.string(text)) }
      #expect(try tags.cells == ["a", "b", "c", "d"].map { .string($0) })
      try tags.move(0, 2)
      #expect(try tags.cells == ["b", "c", "a", "d"].map { .string($0) })
      try tags.move(3, 0)
      try tags.move(1, 1)
      try tags.set(1, .string("B"))
      try tags.erase(2)
      try tags.insert(.string("é"), at: 0)
      #expect(try tags.cells == ["é", "d", "B", "a"].map { .string($0) })
    }
    #expect(try task.list("tags").cells == ["é", "d", "B", "a"].map { .string($0) })
    try realm.write { try tags.clear() }
    #expect(try tags.count == 0)
  }

  @Test func indexesAreChecked() throws {
    let realm = try TestRealm(path: path)
    try realm.write {
      let tags = try realm.create("Task", .int(1)).list("tags")
      try tags.append(.string("a"))
      let message = expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { _ = try tags.get(1) }
      #expect(message == "Index 1 is out of bounds (must be less than 1).")
      expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { _ = try tags.get(.max) }
      expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { _ = try tags.get(-1) }
      expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { try tags.insert(.string("b"), at: 2) }
      expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { try tags.erase(1) }
      expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { try tags.move(0, 1) }
      expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { try tags.set(1, .string("b")) }
      expectFailure(.FLX_STATUS_TYPE_MISMATCH) { try tags.append(.int(1)) }
      expectFailure(.FLX_STATUS_NULL_NOT_ALLOWED) { try tags.append(.null) }
    }
  }

  @Test func aCollectionThatAListCannotHoldLeavesTheElement() throws {
    let realm = try TestRealm(path: path)
    try realm.write {
      let tags = try realm.create("Task", .int(1)).list("tags")
      try tags.insert(.string("kept"), at: 0)
      expectFailure(.FLX_STATUS_TYPE_MISMATCH) { try attempt { flx_list_set_list(tags.handle, 0, $0) } }
      #expect(try tags.cells == [.string("kept")])
    }
  }

  @Test func deletedObjectsLeaveListsOfLinks() throws {
    let realm = try TestRealm(path: path)
    let person = try realm.write {
      let person = try realm.create("Person", .string("Ann"))
      let tasks = try person.list("tasks")
      for key in 1...3 { try tasks.append(try realm.create("Task", .int(Int64(key))).link) }
      return person
    }
    let tasks = try person.list("tasks")
    #expect(try tasks.count == 3)
    try realm.write { try #require(try realm.find("Task", .int(2))).delete() }
    #expect(try tasks.count == 2)
    #expect(try tasks.cells.map { try realm.linked($0, "Task")?.get("_id") } == [.int(1), .int(3)])
    try realm.write {
      try tasks.move(1, 0)
      try tasks.set(1, try #require(try realm.find("Task", .int(3))).link)
    }
    #expect(try tasks.cells.map { try realm.linked($0, "Task")?.get("_id") } == [.int(3), .int(3)])
  }

  @Test func aListEndsWithItsObject() throws {
    let realm = try TestRealm(path: path)
    let task = try realm.write { try realm.create("Task", .int(1)) }
    let tags = try task.list("tags")
    try realm.write { try task.delete() }
    expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { _ = try tags.count }
    expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { _ = try task.list("tags") }
    expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { try realm.write { try tags.append(.string("a")) } }
  }

  @Test func longListsAreReadInWindows() throws {
    let realm = try TestRealm(path: path)
    let task = try realm.write {
      let task = try realm.create("Task", .int(1))
      let tags = try task.list("tags")
      for number in 0..<700 { try tags.insert(.string("\(number)"), at: number) }
      return task
    }
    let tags = try task.list("tags")
    #expect(try tags.get(699) == .string("699"))
    #expect(try tags.get(0) == .string("0"))
    #expect(try tags.cells == (0..<700).map { .string("\($0)") })
  }
}
