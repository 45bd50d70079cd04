// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// Lists: of all element types, before and after their object is added.
@Suite struct ListTests {
  let file: LocalFile
  let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
  }

  private func makeLists(managed: Bool) throws -> Lists {
    let lists = Lists()
    if managed { try realm.write { realm.add(lists) } }
    return lists
  }

  /// Runs an edit in a write transaction if the list needs one.
  private func edit(_ lists: Lists, _ change: () -> Void) throws {
    if lists.realm == nil { change() } else { try realm.write(change) }
  }

  @Test(arguments: [false, true])
  func elementsAreInsertedMovedReplacedAndRemoved(managed: Bool) throws {
    let lists = try makeLists(managed: managed)
    let strings = lists.strings
    try edit(lists) { strings.append(objectsIn: ["a", "b", "d"]) }
    #expect(Array(strings) == ["a", "b", "d"])
    try edit(lists) { strings.insert("c", at: 2) }
    #expect(Array(strings) == ["a", "b", "c", "d"])
    try edit(lists) { strings.move(from: 0, to: 3) }
    #expect(Array(strings) == ["b", "c", "d", "a"])
    try edit(lists) { strings.move(from: 2, to: 1) }
    #expect(Array(strings) == ["b", "d", "c", "a"])
    try edit(lists) { strings.swapAt(0, 3) }
    #expect(Array(strings) == ["a", "d", "c", "b"])
    try edit(lists) {
      strings[1] = "x"
      strings.replace(index: 2, object: "y")
    }
    #expect(Array(strings) == ["a", "x", "y", "b"])
    try edit(lists) {
      strings.removeFirst()
      strings.removeLast()
      strings.remove(at: 0)
    }
    #expect(Array(strings) == ["y"])
    #expect(strings.contains("y") && strings.index(of: "y") == 0 && strings.index(of: "z") == nil)
    #expect(strings.first == "y" && strings.last == "y")
    try edit(lists) { strings.removeAll() }
    #expect(strings.isEmpty && strings.first == nil)
  }

  @Test func elementsOfAllTypesSurviveReopening() throws {
    let id = ObjectId.generate()
    let uuid = UUID()
    let lists = Lists()
    lists.bools.append(objectsIn: [true, false, true])
    lists.ints.append(objectsIn: [.min, 0, .max])
    lists.floats.append(objectsIn: [1.5, -.infinity])
    lists.doubles.append(objectsIn: [.pi, -0.0])
    lists.strings.append(objectsIn: ["", "ä"])
    lists.datas.append(objectsIn: [Data(), Data([1, 2])])
    lists.dates.append(objectsIn: [.distantPast, .distantFuture])
    lists.objectIds.append(id)
    lists.uuids.append(uuid)
    lists.priorities.append(objectsIn: [.high, .low])
    lists.optionalInts.append(objectsIn: [nil, 1, nil])
    lists.optionalStrings.append(objectsIn: ["", nil])
    lists.objects.append(objectsIn: [Everything(2), Everything(1)])
    try realm.write { realm.add(lists) }

    let found = try #require(try file.open().objects(Lists.self).first)
    #expect(Array(found.bools) == [true, false, true])
    #expect(Array(found.ints) == [.min, 0, .max])
    #expect(Array(found.floats) == [1.5, -.infinity])
    #expect(Array(found.doubles) == [.pi, -0.0])
    #expect(Array(found.strings) == ["", "ä"])
    #expect(Array(found.datas) == [Data(), Data([1, 2])])
    #expect(Array(found.dates) == [.distantPast, .distantFuture])
    #expect(Array(found.objectIds) == [id] && Array(found.uuids) == [uuid])
    #expect(Array(found.priorities) == [.high, .low])
    #expect(Array(found.optionalInts) == [nil, 1, nil])
    #expect(Array(found.optionalStrings) == ["", nil])
    #expect(found.objects.map(\._id) == [2, 1])
  }

  @Test func aListHeldFromBeforeAddingIsTheListOfTheRow() throws {
    let lists = Lists()
    let ints = lists.ints
    ints.append(1)
    try realm.write { realm.add(lists) }
    try realm.write { ints.append(2) }
    #expect(Array(lists.ints) == [1, 2])
    #expect(ints.realm == realm)
  }

  @Test func assigningReplacesTheElements() throws {
    let lists = try makeLists(managed: true)
    try realm.write { lists.ints = [1, 2, 3] }
    #expect(Array(lists.ints) == [1, 2, 3])
    try realm.write { lists.ints = lists.ints }
    #expect(Array(lists.ints) == [1, 2, 3])
    try realm.write { lists.ints = List() }
    #expect(lists.ints.isEmpty)
  }

  @Test func appendingAnObjectAddsItToTheRealm() throws {
    let lists = try makeLists(managed: true)
    let object = Everything(5)
    try realm.write { lists.objects.append(object) }
    #expect(object.realm == realm && lists.objects.first == object)
    try realm.write { realm.delete(lists.objects) }
    #expect(lists.objects.isEmpty && realm.objects(Everything.self).isEmpty)
  }

  @Test func queriesLookIntoLists() throws {
    try realm.write {
      realm.create(Lists.self, value: ["_id": 1, "strings": ["a", "b"], "ints": [1, 2, 3]])
      realm.create(Lists.self, value: ["_id": 2, "strings": ["b"], "objects": [["_id": 9, "int": 5]]])
      realm.create(Lists.self, value: ["_id": 3])
    }
    let all = realm.objects(Lists.self)
    #expect(all.where { $0.strings.contains("b") }.map(\._id) == [1, 2])
    #expect(all.where { $0.strings.containsAny(in: ["a", "z"]) }.map(\._id) == [1])
    #expect(all.where { $0.ints.count == 3 }.map(\._id) == [1])
    #expect(all.where { $0.strings.count > 0 }.map(\._id) == [1, 2])
    #expect(all.where { $0.objects.int > 4 }.map(\._id) == [2])
    #expect(all.where { !$0.strings.contains("b") }.map(\._id) == [3])
  }
}
