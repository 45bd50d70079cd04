// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// Sets: of all element types, before and after their object is added.
@Suite struct SetTests {
  let file: LocalFile
  let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
  }

  private func makeSets(managed: Bool) throws -> Sets {
    let sets = Sets()
    if managed { try realm.write { realm.add(sets) } }
    return sets
  }

  /// Runs an edit in a write transaction if the set needs one.
  private func edit(_ sets: Sets, _ change: () -> Void) throws {
    if sets.realm == nil { change() } else { try realm.write(change) }
  }

  @Test(arguments: [false, true])
  func elementsAreInsertedOnceAndRemoved(managed: Bool) throws {
    let sets = try makeSets(managed: managed)
    let strings = sets.strings
    try edit(sets) {
      strings.insert("a")
      strings.insert(objectsIn: ["b", "a", "c"])
    }
    #expect(Array(strings) == ["a", "b", "c"])
    #expect(strings.contains("b") && !strings.contains("z"))
    #expect(strings.index(of: "c") == 2 && strings.index(of: "z") == nil)
    try edit(sets) {
      strings.remove("b")
      strings.remove("z")
    }
    #expect(Array(strings) == ["a", "c"] && strings.count == 2)
    try edit(sets) { strings.removeAll() }
    #expect(strings.isEmpty && strings.first == nil)
  }

  @Test(arguments: [false, true])
  func setsAreComparedAndCombined(managed: Bool) throws {
    let sets = try makeSets(managed: managed)
    let ints = sets.ints
    try edit(sets) { ints.insert(objectsIn: [1, 2, 3]) }
    #expect(ints.isSubset(of: [1, 2, 3, 4]) && !ints.isSubset(of: [1, 2]))
    #expect(ints.isSuperset(of: [1, 2]) && !ints.isSuperset(of: [1, 4]))
    #expect(ints.intersects([3, 4]) && ints.isDisjoint(with: [4]))
    #expect(ints.union([4]).sorted() == [1, 2, 3, 4])
    #expect(ints.intersection([2, 9]).sorted() == [2])
    #expect(ints.subtracting([2]).sorted() == [1, 3])
    #expect(ints.sorted() == [1, 2, 3])
    try edit(sets) { ints.formUnion([4, 5]) }
    #expect(ints.sorted() == [1, 2, 3, 4, 5])
    try edit(sets) { ints.formIntersection([2, 3, 4, 9]) }
    #expect(ints.sorted() == [2, 3, 4])
    try edit(sets) { ints.subtract([3]) }
    #expect(ints.sorted() == [2, 4])
    try edit(sets) { ints.formSymmetricDifference([4, 6, 6]) }
    #expect(ints.sorted() == [2, 6])
    #expect(ints.min() == 2 && ints.max() == 6 && ints.sum() == 8 && ints.average() == 4)
    try edit(sets) { sets.optionalInts.insert(objectsIn: [nil, 1, 2]) }
    #expect(sets.optionalInts.sum() == 3 && sets.optionalInts.average() == 1.5)
    #expect(sets.optionalInts.min() == 1 && sets.optionalInts.max() == 2)
  }

  @Test func elementsOfAllTypesSurviveReopening() throws {
    let id = ObjectId.generate()
    let uuid = UUID()
    let sets = Sets()
    sets.bools.insert(objectsIn: [true, false, true])
    sets.ints.insert(objectsIn: [.max, 0, .min])
    sets.floats.insert(objectsIn: [1.5, -.infinity])
    sets.doubles.insert(objectsIn: [.pi, -1])
    sets.strings.insert(objectsIn: ["ä", ""])
    sets.datas.insert(objectsIn: [Data([1, 2]), Data()])
    sets.dates.insert(objectsIn: [.distantFuture, .distantPast])
    sets.objectIds.insert(id)
    sets.uuids.insert(uuid)
    sets.priorities.insert(objectsIn: [.low, .high])
    sets.optionalInts.insert(objectsIn: [1, nil, nil])
    sets.optionalStrings.insert(objectsIn: ["", nil])
    sets.objects.insert(objectsIn: [Everything(2), Everything(1)])
    try realm.write { realm.add(sets) }

    let found = try #require(try file.open().objects(Sets.self).first)
    #expect(Array(found.bools) == [false, true])
    #expect(Array(found.ints) == [.min, 0, .max])
    #expect(Array(found.floats) == [-.infinity, 1.5])
    #expect(Array(found.doubles) == [-1, .pi])
    #expect(Array(found.strings) == ["", "ä"])
    #expect(Array(found.datas) == [Data(), Data([1, 2])])
    #expect(Array(found.dates) == [.distantPast, .distantFuture])
    #expect(Array(found.objectIds) == [id] && Array(found.uuids) == [uuid])
    #expect(Array(found.priorities) == [.high, .low])
    #expect(Array(found.optionalInts) == [nil, 1])
    #expect(Array(found.optionalStrings) == [nil, ""])
    #expect(found.objects.map(\._id) == [1, 2])
  }

  @Test func aSetHeldFromBeforeAddingIsTheSetOfTheRow() throws {
    let sets = Sets()
    let ints = sets.ints
    ints.insert(1)
    try realm.write { realm.add(sets) }
    try realm.write { ints.insert(2) }
    #expect(Array(sets.ints) == [1, 2])
    #expect(ints.realm == realm)
  }

  @Test func assigningReplacesTheElements() throws {
    let sets = try makeSets(managed: true)
    try realm.write { sets.ints = [3, 1, 2, 1] }
    #expect(Array(sets.ints) == [1, 2, 3])
    try realm.write { sets.ints = sets.ints }
    #expect(Array(sets.ints) == [1, 2, 3])
    try realm.write { sets.ints = MutableSet() }
    #expect(sets.ints.isEmpty)
  }

  @Test func insertingAnObjectAddsItToTheRealmAndDeletingTakesItOut() throws {
    let sets = try makeSets(managed: true)
    let object = Everything(5)
    #expect(!sets.objects.contains(object))
    try realm.write { sets.objects.insert(object) }
    #expect(object.realm == realm && sets.objects.first == object && sets.objects.contains(object))
    try realm.write { realm.delete(object) }
    #expect(sets.objects.isEmpty)
  }

  @Test func createTakesValuesAndCopiesSets() throws {
    try realm.write {
      let sets = realm.create(
        Sets.self,
        value: ["_id": 1, "ints": [3, 1, 3], "strings": Set(["a"]), "objects": [["_id": 9, "int": 5]]]
      )
      #expect(Array(sets.ints) == [1, 3] && Array(sets.strings) == ["a"] && sets.objects[0].int == 5)
      realm.create(Sets.self, value: ["_id": 1, "ints": [1, 4]], update: .modified)
      #expect(Array(sets.ints) == [1, 4] && Array(sets.strings) == ["a"])
    }
    let other = try LocalFile().open()
    try other.write {
      let copy = other.create(Sets.self, value: try #require(realm.objects(Sets.self).first))
      #expect(Array(copy.ints) == [1, 4] && copy.objects[0].realm == other)
    }
  }
}
