// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// Maps: of all value types, before and after their object is added.
@Suite struct MapTests {
  let file: LocalFile
  let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
  }

  private func makeMaps(managed: Bool) throws -> Maps {
    let maps = Maps()
    if managed { try realm.write { realm.add(maps) } }
    return maps
  }

  /// Runs an edit in a write transaction if the map needs one.
  private func edit(_ maps: Maps, _ change: () -> Void) throws {
    if maps.realm == nil { change() } else { try realm.write(change) }
  }

  @Test(arguments: [false, true])
  func entriesAreSetReadAndRemoved(managed: Bool) throws {
    let maps = try makeMaps(managed: managed)
    let ints = maps.ints
    try edit(maps) {
      ints["b"] = 2
      ints["a"] = 9
      ints.updateValue(1, forKey: "a")
      ints[""] = 0
    }
    #expect(ints.keys == ["", "a", "b"] && ints.values == [0, 1, 2] && ints.count == 3)
    #expect(ints["b"] == 2 && ints["c"] == nil)
    #expect(ints.map { "\($0.key)\($0.value)" } == ["0", "a1", "b2"])
    #expect(ints.asKeyValueSequence().last?.key == "b")
    try edit(maps) {
      ints["a"] = nil
      ints.removeObject(for: "")
      ints.removeObject(for: "z")
    }
    #expect(ints.keys == ["b"])
    try edit(maps) { ints.merge([(key: "b", value: 5), (key: "c", value: 6)]) { $0 + $1 } }
    #expect(ints["b"] == 7 && ints["c"] == 6)
    try edit(maps) { ints.merge(["b": 1, "d": 2] as Map<String, Int>) { _, new in new } }
    #expect(ints.values == [1, 6, 2])
    #expect(ints.min() == 1 && ints.max() == 6 && ints.sum() == 9 && ints.average() == 3)
    try edit(maps) { ints.removeAll() }
    #expect(ints.isEmpty)
  }

  @Test(arguments: [false, true])
  func anOptionalValueMayBeNil(managed: Bool) throws {
    let maps = try makeMaps(managed: managed)
    let ints = maps.optionalInts
    try edit(maps) {
      ints["a"] = .some(nil)
      ints["b"] = 1
    }
    #expect(ints.keys == ["a", "b"] && ints.values == [nil, 1])
    #expect(ints["a"] == .some(nil) && ints["c"] == nil)
    #expect(ints.sum() == 1)
    try edit(maps) { ints["a"] = nil }
    #expect(ints.keys == ["b"])
  }

  @Test func aKeyThatCannotBeSyncedFailsTheTransaction() throws {
    let file = try LocalFile()
    let realm = try file.open()
    #expect(throws: Realm.Error.self) {
      try realm.write { realm.create(Maps.self, value: ["_id": 1]).ints["$a"] = 1 }
    }
    #expect(realm.objects(Maps.self).isEmpty)
  }

  @Test func valuesOfAllTypesSurviveReopening() throws {
    let id = ObjectId.generate()
    let uuid = UUID()
    let maps = Maps()
    maps.bools["k"] = true
    maps.ints["k"] = .min
    maps.floats["k"] = 1.5
    maps.doubles["k"] = .pi
    maps.strings["k"] = "ä"
    maps.datas["k"] = Data([1, 2])
    maps.dates["k"] = .distantPast
    maps.objectIds["k"] = id
    maps.uuids["k"] = uuid
    maps.priorities["k"] = .high
    maps.optionalInts["k"] = .some(nil)
    maps.optionalStrings["k"] = "x"
    maps.objects["k"] = Everything(2)
    maps.objects["none"] = .some(nil)
    try realm.write { realm.add(maps) }

    let found = try #require(try file.open().objects(Maps.self).first)
    #expect(found.bools["k"] == true && found.ints["k"] == .min && found.floats["k"] == 1.5)
    #expect(found.doubles["k"] == .pi && found.strings["k"] == "ä" && found.datas["k"] == Data([1, 2]))
    #expect(found.dates["k"] == .distantPast && found.objectIds["k"] == id && found.uuids["k"] == uuid)
    #expect(found.priorities["k"] == .high)
    #expect(found.optionalInts["k"] == .some(nil) && found.optionalStrings["k"] == "x")
    #expect(found.objects["k"]??._id == 2 && found.objects["none"] == .some(nil))
  }

  @Test func aMapHeldFromBeforeAddingIsTheMapOfTheRow() throws {
    let maps = Maps()
    let ints = maps.ints
    ints["a"] = 1
    try realm.write { realm.add(maps) }
    try realm.write { ints["b"] = 2 }
    #expect(maps.ints.keys == ["a", "b"])
    #expect(ints.realm == realm)
  }

  @Test func assigningReplacesTheEntries() throws {
    let maps = try makeMaps(managed: true)
    try realm.write { maps.ints = ["a": 1, "b": 2] }
    try realm.write { maps.ints = maps.ints }
    #expect(maps.ints.keys == ["a", "b"])
    try realm.write { maps.ints = ["c": 3] }
    #expect(maps.ints.keys == ["c"])
  }

  @Test func settingAnObjectAddsItToTheRealmAndDeletingLeavesNil() throws {
    let maps = try makeMaps(managed: true)
    let object = Everything(5)
    try realm.write { maps.objects["a"] = object }
    #expect(object.realm == realm && maps.objects["a"] == object)
    try realm.write { realm.delete(object) }
    #expect(maps.objects["a"] == .some(nil) && maps.objects.count == 1)
  }

  @Test func createTakesValuesAndCopiesMaps() throws {
    try realm.write {
      let maps = realm.create(
        Maps.self,
        value: ["_id": 1, "ints": ["a": 1, "b": 2], "objects": ["o": ["_id": 9, "int": 5]]]
      )
      #expect(maps.ints.values == [1, 2] && maps.objects["o"]??.int == 5)
      realm.create(Maps.self, value: ["_id": 1, "ints": ["c": 3]], update: .modified)
      #expect(maps.ints.keys == ["c"] && maps.objects.count == 1)
    }
    let other = try LocalFile().open()
    try other.write {
      let copy = other.create(Maps.self, value: try #require(realm.objects(Maps.self).first))
      #expect(copy.ints["c"] == 3 && copy.objects["o"]??.realm == other)
    }
  }
}
