// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

private class Plant: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var height = 7
  @Persisted var mapped: Int
  @Persisted var priority: Priority
  @Persisted var any: AnyRealmValue
  @Persisted var pot: Pot?
  @Persisted var neighbor: Plant?
  @Persisted var leaves: List<Int?>
  @Persisted var friends: List<Plant>
  @Persisted var pests: MutableSet<Plant>
  @Persisted var byName: Map<String, Plant?>
  @Persisted var pots: List<Pot>

  override class func propertiesMapping() -> [String: String] { ["mapped": "the_column"] }
}

private class Pot: EmbeddedObject {
  @Persisted var size: Int
  @Persisted var saucer: Plant?
}

/// Objects by the names of their classes: of Swift classes, and of classes that only the file has.
@Suite struct DynamicObjectTests {
  private let file: LocalFile
  private let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
    try realm.write {
      let fern = Plant(
        value: ["name": "fern", "height": 3, "pot": ["size": 5], "leaves": [1, nil]] as [String: Any]
      )
      let moss = Plant(value: ["name": "moss", "neighbor": fern, "friends": [fern], "byName": ["f": fern]])
      moss.any = .object(fern)
      moss.pests.insert(fern)
      realm.add(moss)
    }
  }

  /// A realm in which the Swift classes are not used.
  private func strange() throws -> Realm {
    var configuration = file.configuration
    configuration.objectTypes = []
    return try Realm(configuration: configuration)
  }

  private func plant(_ name: String, in realm: Realm) throws -> DynamicObject {
    try #require(realm.dynamicObject(ofType: "Plant", forPrimaryKey: name))
  }

  @Test(arguments: [false, true]) func propertiesAreRead(isStrange: Bool) throws {
    let moss = try plant("moss", in: isStrange ? strange() : realm)
    let fern = try plant("fern", in: isStrange ? strange() : realm)
    #expect(fern["height"] as? Int == 3 && fern.height as? Int == 3 && fern.priority as? String == "low")
    #expect((fern["pot"] as? ObjectBase)?["size"] as? Int == 5 && moss["pot"] == nil)
    #expect((fern.leaves as? List<Int?>).map(Array.init) == [1, nil])
    #expect((moss.friends as? List<DynamicObject>)?.first == fern)
    #expect((moss.pests as? MutableSet<DynamicObject>)?.first == fern)
    #expect((moss.byName as? Map<String, DynamicObject?>)?["f"] == fern)
    #expect(moss.any as? Object == fern && moss.neighbor as? Object == fern)
    #expect(moss.neighbor is DynamicObject == isStrange && moss.neighbor is Plant == !isStrange)
    #expect(moss.value(forKeyPath: "neighbor.pot.size") as? Int == 5)
    #expect(moss.value(forUndefinedKey: "height") as? Int == 7)
  }

  @Test(arguments: [false, true]) func propertiesAreWritten(isStrange: Bool) throws {
    let realm = try isStrange ? strange() : realm
    let moss = try plant("moss", in: realm)
    let fern = try plant("fern", in: realm)
    try realm.write {
      moss["height"] = 9
      moss.priority = "high"
      moss.setValue("text", forKey: "any")
      moss.setValue([3, nil] as [Int?], forKey: "leaves")
      moss.pot = ["size": 2, "saucer": fern] as [String: Any]
      moss.pots = [["size": 1], ["size": 2]]
      moss.neighbor = nil
      moss.friends = [
        fern, ["name": "ivy", "height": 1, "priority": "low", isStrange ? "the_column" : "mapped": 0],
      ]
      moss.pests = NSNull()
      moss.byName = ["m": moss]
    }
    #expect(moss.height as? Int == 9 && moss.priority as? String == "high" && moss.any as? String == "text")
    #expect((moss.leaves as? List<Int?>).map(Array.init) == [3, nil])
    #expect(moss.value(forKeyPath: "pot.saucer.name") as? String == "fern")
    #expect(moss.value(forKeyPath: "pots.size") as? [Int] == [1, 2])
    #expect(
      moss["neighbor"] == nil && moss.value(forKeyPath: "friends.name") as? [String] == ["fern", "ivy"]
    )
    #expect((moss.pests as? MutableSet<DynamicObject>)?.isEmpty == true)
    #expect(moss.value(forKeyPath: "byName.m.name") as? String == "moss")
    let pot = moss["pot"]
    try realm.write { moss["pot"] = pot }
    #expect(moss.value(forKeyPath: "pot.size") as? Int == 2)
    try realm.write { moss["friends"] = moss["friends"] }
    #expect(moss.value(forKeyPath: "friends.@count") as? Int == 2)
  }

  @Test(arguments: [false, true]) func objectsAreQueriedAndObserved(isStrange: Bool) throws {
    let realm = try isStrange ? strange() : realm
    let plants = realm.dynamicObjects("Plant").sorted(byKeyPath: "height")
    #expect(plants.value(forKey: "name") as? [String] == ["fern", "moss"])
    #expect(plants.filter("neighbor.height == 3").map { $0["name"] as? String } == ["moss"])
    #expect(plants.max(ofProperty: "height") == 7)
    let moss = try plant("moss", in: realm)
    #expect(moss.dynamicList("friends").filter("height > 1").count == 1)
    var names: [String] = []
    let token = moss.observe { change in
      if case .change(_, let changes) = change { names += changes.map(\.name) }
    }
    realm.refresh()
    try realm.write { moss.height = 1 }
    realm.refresh()
    #expect(names == ["height"])
    token.invalidate()
  }

  @Test(arguments: [false, true]) func objectsAreCreatedUpdatedAndDeleted(isStrange: Bool) throws {
    let realm = try isStrange ? strange() : realm
    var values: [String: Any] = ["name": "ivy", "height": 2, "priority": "low"]
    values[isStrange ? "the_column" : "mapped"] = 4
    let ivy = try realm.write {
      values["neighbor"] = try plant("moss", in: realm)
      values["pot"] = ["size": 3]
      return realm.dynamicCreate("Plant", value: values)
    }
    #expect(ivy.value(forKeyPath: "neighbor.name") as? String == "moss")
    #expect(ivy.value(forKeyPath: "pot.size") as? Int == 3)
    try realm.write {
      let same = realm.dynamicCreate("Plant", value: ["name": "ivy", "height": 8], update: .modified)
      #expect(same == ivy)
    }
    #expect(ivy.height as? Int == 8 && ivy.value(forKeyPath: "pot.size") as? Int == 3)
    try realm.write { realm.delete(ivy) }
    #expect(ivy.isInvalidated && realm.dynamicObjects("Plant").count == 2)
  }

  @Test func defaultsAreThoseOfTheSwiftClass() throws {
    let ivy = try realm.write { realm.dynamicCreate("Plant", value: ["name": "ivy"]) }
    #expect(ivy.height as? Int == 7 && ivy.mapped as? Int == 0)
  }

  @Test func swiftObjectsAreTheSameObjects() throws {
    let moss = try #require(realm.object(ofType: Plant.self, forPrimaryKey: "moss"))
    let dynamic = try plant("moss", in: realm)
    #expect(moss.isSameObject(as: dynamic) && dynamic.isSameObject(as: moss))
    #expect(moss.dynamicList("friends")[0].isSameObject(as: moss.friends[0]))
    #expect(moss.dynamicMutableSet("pests")[0].isSameObject(as: moss.friends[0]))
    let map: Map<String, DynamicObject?> = moss.dynamicMap("byName")
    #expect(map["f"]??.isSameObject(as: moss.friends[0]) == true)
    #expect(moss.any.dynamicObject?.height as? Int == 3)
    try realm.write {
      dynamic.neighbor = moss
      moss.setValue(dynamic, forKey: "neighbor")
      moss.setValue([dynamic], forKey: "friends")
    }
    #expect(moss.neighbor == moss && moss.friends[0] == moss)
  }

  @Test func aMixedValueHoldsDynamicObjectsOfStrangeClasses() throws {
    try realm.write {
      let note = Note()
      note.any = .object(try #require(realm.object(ofType: Plant.self, forPrimaryKey: "moss")))
      realm.add(note)
    }
    let strange = try strange()
    let note = try #require(strange.objects(Note.self).first)
    #expect(strange.dynamicObjects("Plant").count == 2)
    #expect(note.any.object(DynamicObject.self)?.height as? Int == 7)
    #expect(note.any.dynamicObject?.value(forKeyPath: "neighbor.name") as? String == "fern")
    #expect(note.value(forKeyPath: "any.height") as? Int == 7)
  }

  @Test(arguments: [false, true]) func objectsAreCopiedToAnotherRealm(isStrange: Bool) throws {
    let target = try LocalFile().open()
    _ = target.objects(Plant.self)
    let moss = try plant("moss", in: isStrange ? strange() : realm)
    var values: [String: Any] = ["name": "copy", "neighbor": moss]
    if isStrange {
      try target.write { target.dynamicCreate("Plant", value: ["name": "copy", "height": 1]) }
    } else {
      values["any"] = moss
    }
    let copy = try target.write { target.dynamicCreate("Plant", value: values, update: .modified) }
    #expect(copy.value(forKeyPath: "neighbor.neighbor.pot.size") as? Int == 5)
    #expect(target.objects(Plant.self).map(\.name).sorted() == ["copy", "fern", "moss"])
    #expect(isStrange || copy.value(forKeyPath: "any.name") as? String == "moss")
  }

  @Test func theSwiftClassMayBeUsedLater() throws {
    let strange = try strange()
    let dynamic = try plant("moss", in: strange)
    #expect(dynamic["the_column"] as? Int == 0)
    let moss = try #require(strange.object(ofType: Plant.self, forPrimaryKey: "moss"))
    #expect(moss == dynamic && moss.friends.count == 1)
    #expect(try plant("moss", in: strange).mapped as? Int == 0)
  }

  @Test func theSchemaHasSwiftNamesIfThereAreAny() throws {
    let moss = try plant("moss", in: realm)
    #expect(
      moss.objectSchema == Plant.sharedSchema() && moss.objectSchema["mapped"]?.columnName == "the_column"
    )
    let stranger = try plant("moss", in: strange())
    #expect(stranger.objectSchema["the_column"]?.type == .int)
    #expect(
      stranger.objectSchema.objectClass == DynamicObject.self && stranger.objectSchema.className == "Plant"
    )
    #expect(stranger.objectSchema.primaryKeyProperty?.name == "name")
    #expect((stranger.neighbor as? DynamicObject)?.value(forKey: "pot") is DynamicObject)
    #expect(stranger.description.contains("height = 7;"))
  }

  @Test func aClassThatDoesNotExistStopsTheProgram() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try LocalFile().open().dynamicObjects("Nothing")
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("Object type 'Nothing' is not managed by the Realm."))
  }

  @Test func aPropertyThatDoesNotExistStopsTheProgram() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try LocalFile().open()
      try realm.write { realm.add(Plant(value: ["name": "moss"])) }
      _ = realm.dynamicObjects("Plant").first?.nothing
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("Invalid property name 'nothing' for class 'Plant'."))
  }

  @Test func aValueOfAnotherTypeStopsTheProgram() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try LocalFile().open()
      try realm.write { realm.add(Plant(value: ["name": "moss"])) }
      try realm.write { realm.dynamicObjects("Plant").first?["leaves"] = ["text"] }
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("for 'int?' array property 'Plant.leaves'."))
  }

  @Test func anEmbeddedObjectIsNotCreatedByItself() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try LocalFile().open()
      _ = realm.objects(Plant.self)
      try realm.write { realm.dynamicCreate("Pot") }
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("Embedded objects cannot be created directly"))
  }
}
