// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

private class Meal: Object {
  @Persisted var name: String
  @Persisted var price: Int
  @Persisted var weight: Float
  @Persisted var rating: Double?
  @Persisted var cost: Decimal128
  @Persisted var day: Date?
  @Persisted var priority: Priority?
  @Persisted var note: AnyRealmValue
  @Persisted var before: Meal?
  @Persisted var sides: List<Meal>
  @Persisted var tags: List<String>
  @Persisted var numbers: MutableSet<Int>
  @Persisted var parts: MutableSet<Meal>
  @Persisted var byName: Map<String, Meal?>
  @Persisted var amounts: Map<String, Int>
  @Persisted(originProperty: "sides") var sideOf: LinkingObjects<Meal>

  convenience init(_ name: String, _ price: Int, sides: [Meal] = []) {
    self.init()
    self.name = name
    self.price = price
    self.sides.append(objectsIn: sides)
  }
}

/// Key-value coding of objects and collections, in a realm and in none.
@Suite struct KeyValueTests {
  private let file: LocalFile
  private let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
  }

  /// A meal with three sides that cost 1, 2 and 3, and were rated 4, 5 and not at all.
  private func menu(inRealm: Bool) throws -> Meal {
    let menu = Meal("menu", 10, sides: [Meal("a", 3), Meal("b", 1), Meal("c", 2)])
    for (side, rating) in zip(menu.sides, [4.0, 5.0]) {
      side.rating = rating
      side.cost = Decimal128(side.price)
    }
    if inRealm { try realm.write { realm.add(menu) } }
    return menu
  }

  private func write(_ block: () -> Void) throws { try realm.write(block) }

  @Test(arguments: [false, true]) func integersByNameHaveEachTypeThatCanHoldThem(inRealm: Bool) throws {
    let everything = Everything(value: ["_id": 1, "int8": 5, "int64": 7, "optionalInt8": 9])
    if inRealm { try realm.write { realm.add(everything) } }
    #expect(everything["int8"] as? Int == 5 && everything["int8"] as? Int8 == 5)
    #expect(everything.value(forKey: "int64") as? Int == 7 && everything["int64"] as? NSNumber == 7)
    #expect(everything["optionalInt8"] as? Int == 9)
    let other = Everything()
    other["int8"] = everything["int8"]
    #expect(other.int8 == 5)
  }

  @Test(arguments: [false, true]) func valuesOfObjects(inRealm: Bool) throws {
    let menu = try menu(inRealm: inRealm)
    try write {
      menu.setValue("lunch", forKey: "name")
      menu.setValue(Priority.high, forKey: "priority")
      menu.setValue("spicy", forKey: "note")
      menu.setValue(4, forKey: "rating")
      menu.setValue(["x", "y"], forKey: "tags")
      menu.setValue(nil, forKey: "day")
    }
    #expect(menu.value(forKey: "name") as? String == "lunch")
    #expect(menu.value(forKey: "priority") as? String == "high" && menu.priority == .high)
    #expect(menu.value(forKey: "note") as? String == "spicy" && menu.note == .string("spicy"))
    #expect(menu.value(forKey: "rating") as? Double == 4 && menu.value(forKey: "day") == nil)
    #expect((menu.value(forKey: "tags") as? List<String>).map(Array.init) == ["x", "y"])
    #expect(menu.value(forKey: "self") as? Meal == menu && menu.value(forKey: "before") == nil)
    try write { menu.setValue(AnyRealmValue.none, forKey: "note") }
    #expect(menu.value(forKey: "note") == nil && menu["note"] == nil)
  }

  @Test(arguments: [false, true]) func collectionsAreReplacedByAnyOthers(inRealm: Bool) throws {
    let menu = try menu(inRealm: inRealm)
    let other = List<String>()
    other.append(objectsIn: ["x", "y"])
    try write { menu.setValue(other, forKey: "tags") }
    #expect(Array(menu.tags) == ["x", "y"])
    try write { menu.setValue(menu.tags, forKey: "tags") }
    #expect(Array(menu.tags) == ["x", "y"])
    try write {
      menu.setValue(nil, forKey: "tags")
      menu.setValue(Set([1, 2]), forKey: "numbers")
      menu.setValue(["k": 5], forKey: "amounts")
      menu.setValue([["name": "new"]], forKey: "parts")
    }
    #expect(menu.tags.isEmpty && menu.numbers.sorted() == [1, 2] && menu.amounts["k"] == 5)
    #expect(menu.parts.map(\.name) == ["new"])
    try write {
      menu.setValue(NSNull(), forKey: "numbers")
      menu.setValue(NSNull(), forKey: "amounts")
    }
    #expect(menu.numbers.isEmpty && menu.amounts.isEmpty)
  }

  @Test func resultsAreAssignedToLists() throws {
    let menu = try menu(inRealm: true)
    try realm.write { menu.setValue(realm.objects(Meal.self).filter("price < 3"), forKey: "sides") }
    #expect(menu.sides.map(\.name).sorted() == ["b", "c"])
  }

  @Test(arguments: [false, true]) func pathsFollowLinks(inRealm: Bool) throws {
    let menu = try menu(inRealm: inRealm)
    #expect(menu.value(forKeyPath: "before.name") == nil)
    try write {
      menu.before = menu.sides[0]
      menu.setValue("soup", forKeyPath: "before.name")
      menu.before?.before = menu.sides[1]
      menu.byName["best"] = menu.sides[2]
    }
    #expect(menu.value(forKeyPath: "before.name") as? String == "soup")
    #expect(menu.value(forKeyPath: "before.before.price") as? Int == 1)
    #expect(menu.value(forKeyPath: "byName.best.name") as? String == "c")
    #expect(menu.value(forKeyPath: "sides.@count") as? Int == 3)
    #expect(menu.value(forKeyPath: "sides.@sum.price") as? Int == 6)
    #expect(menu.value(forKeyPath: "sides.name") as? [String] == ["soup", "b", "c"])
    #expect(menu.value(forKeyPath: "sides.before.price") as? [Int?] == [1, nil, nil])
  }

  @Test(arguments: [false, true]) func valuesOfLists(inRealm: Bool) throws {
    let menu = try menu(inRealm: inRealm)
    #expect(anyValue(menu.sides, "name") as? [String] == ["a", "b", "c"])
    #expect(anyValue(menu.sides, "rating") as? [Double?] == [4, 5, nil])
    #expect(anyValue(menu.sides, "self") as? [Meal] == Array(menu.sides))
    let boxed: [AnyObject] = menu.sides.value(forKey: "rating")
    #expect(boxed[0] as? Double == 4 && boxed[2] is NSNull)
    #expect(
      (menu.sides.value(forKeyPath: "name") as [AnyObject]).compactMap { $0 as? String } == ["a", "b", "c"]
    )
    #expect(menu.tags.value(forKey: "self").count == 0)
    try write {
      menu.tags.append(objectsIn: ["x", "y"])
      menu.tags.setValue("z", forKey: "self")
      menu.sides.setValue(7, forKey: "price")
    }
    #expect(Array(menu.tags) == ["z", "z"] && menu.sides.map(\.price) == [7, 7, 7])
  }

  @Test(arguments: [false, true]) func operatorsOfLists(inRealm: Bool) throws {
    let sides = try menu(inRealm: inRealm).sides
    #expect(anyValue(path: "@count", sides) as? Int == 3)
    #expect(anyValue(path: "@min.price", sides) as? Int == 1)
    #expect(anyValue(path: "@max.rating", sides) as? Double == 5)
    #expect(anyValue(path: "@sum.rating", sides) as? Double == 9)
    #expect(anyValue(path: "@avg.price", sides) as? Double == 2)
    #expect(anyValue(path: "@avg.rating", sides) as? Double == 4.5)
    #expect(anyValue(path: "@sum.cost", sides) as? Decimal128 == 4)
    #expect(anyValue(path: "@min.day", sides) == nil && anyValue(path: "@avg.day", sides) == nil)
    #expect(anyValue(path: "@unionOfObjects.name", sides) as? [String] == ["a", "b", "c"])
  }

  @Test func valuesOfSets() throws {
    for inRealm in [false, true] {
      let menu = try menu(inRealm: inRealm)
      try write {
        menu.parts.insert(objectsIn: menu.sides)
        menu.sides[0].name = "b"
        menu.numbers.insert(objectsIn: [3, 4])
      }
      #expect(anyValue(menu.parts, "name") as? Set<String> == ["b", "c"])
      #expect(anyValue(path: "@sum.price", menu.parts) as? Int == 6)
      #expect(
        (menu.numbers.value(forKey: "self") as [AnyObject]).compactMap { $0 as? Int }.sorted() == [3, 4]
      )
      try write {
        menu.parts.setValue(0, forKey: "price")
        menu.numbers.setValue(9, forKey: "self")
      }
      #expect(menu.sides.map(\.price) == [0, 0, 0] && Array(menu.numbers) == [9])
    }
  }

  @Test(arguments: [false, true]) func valuesOfMaps(inRealm: Bool) throws {
    let menu = try menu(inRealm: inRealm)
    #expect(menu.amounts.value(forKey: "salt") == nil)
    try write {
      menu.amounts.setValue(5, forKey: "salt")
      menu.amounts.setValue(6, forKey: "oil")
      menu.byName.setValue(menu.sides[0], forKey: "best")
    }
    #expect(menu.amounts.value(forKey: "salt") as? Int == 5)
    #expect(menu.amounts.value(forKeyPath: "@count") as? Int == 2)
    #expect(menu.amounts.value(forKeyPath: "@sum.self") as? Int == 11)
    #expect(menu.byName.value(forKeyPath: "best.name") as? String == "a")
    try write { menu.amounts.setValue(nil, forKey: "salt") }
    #expect(menu.amounts["salt"] == nil && menu.amounts.count == 1)
  }

  @Test func valuesOfResults() throws {
    _ = try menu(inRealm: true)
    let sides = realm.objects(Meal.self).filter("price < 4").sorted(byKeyPath: "price")
    #expect(sides.value(forKey: "name") as? [String] == ["b", "c", "a"])
    #expect(sides.value(forKey: "self") as? [Meal] == Array(sides))
    #expect(sides.value(forKeyPath: "before.name") as? [String?] == [nil, nil, nil])
    #expect(sides.value(forKeyPath: "@count") as? Int == 3)
    #expect(sides.value(forKeyPath: "@min.price") as? Int == 1)
    #expect(sides.value(forKeyPath: "@max.price") as? Int == 3)
    #expect(sides.value(forKeyPath: "@sum.price") as? Int == 6)
    #expect(sides.value(forKeyPath: "@avg.price") as? Double == 2)
    #expect(sides.value(forKeyPath: "@distinctUnionOfObjects.weight") as? [Float] == [0])
    #expect((sides.value(forKey: "sides") as? [List<Meal>])?.map(\.count) == [0, 0, 0])
    // Each object leaves the results when it is changed.
    try realm.write { sides.setValue(5, forKey: "price") }
    #expect(sides.isEmpty && realm.objects(Meal.self).filter("price == 5").count == 3)
  }

  @Test func valuesOfLinkingObjects() throws {
    let menu = try menu(inRealm: true)
    let side = menu.sides[0]
    #expect((side.value(forKey: "sideOf") as? LinkingObjects<Meal>)?.first == menu)
    #expect(side.sideOf.value(forKey: "name") as? [String] == ["menu"])
    #expect(side.value(forKeyPath: "sideOf.@max.price") as? Int == 10)
    try realm.write { side.sideOf.setValue("feast", forKey: "name") }
    #expect(menu.name == "feast")
    #expect((Meal("x", 1).value(forKey: "sideOf") as? LinkingObjects<Meal>)?.count == 0)
  }

  @Test func unionsOfArraysFlattenLists() throws {
    let menu = try menu(inRealm: true)
    try realm.write {
      for side in menu.sides { side.tags.append(objectsIn: ["x", side.name]) }
    }
    let sides = menu.sides.sorted(byKeyPath: "name")
    #expect(sides.value(forKeyPath: "@unionOfArrays.tags") as? [String] == ["x", "a", "x", "b", "x", "c"])
    #expect(sides.value(forKeyPath: "@distinctUnionOfArrays.tags") as? [String] == ["x", "a", "b", "c"])
  }

  /// The casts that programs for the Realm Swift SDK have.
  @Test func valuesAreCastLikeObjectiveCValues() throws {
    let menu = try menu(inRealm: true)
    try realm.write { menu.amounts["salt"] = 5 }
    #expect((anyValue(path: "@sum.price", menu.sides) as? NSNumber)?.int64Value == 6)
    #expect(anyValue(menu.sides, "name") as? NSArray == ["a", "b", "c"])
    #expect(keyed(menu.amounts, "salt") as? Int == 5 && keyed(menu.amounts, "pepper") == nil)
    #expect(keyed(menu.amounts, "salt") as? NSNumber == 5)
    try realm.write { menu.setValue(NSNumber(value: 8), forKey: "price") }
    #expect(menu.price == 8)
  }

  @Test func unknownKeysStopTheProgram() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Meal("x", 1).value(forKey: "nothing")
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("this class is not key value coding-compliant for the key nothing"))
  }

  @Test func unknownOperatorsStopTheProgram() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let path = Meal("x", 1).value(forKeyPath: "sides.@median.price")
      print(path as Any)
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("Unsupported KVC collection operator found in key path '@median.price'"))
  }
}

/// The value that generic code gets of a collection.
private func anyValue<Elements: RealmCollection>(_ elements: Elements, _ key: String) -> Any? {
  elements.value(forKey: key)
}

private func anyValue<Elements: RealmCollection>(path: String, _ elements: Elements) -> Any? {
  elements.value(forKeyPath: path)
}

private func keyed<Entries: RealmKeyedCollection>(_ entries: Entries, _ key: String) -> AnyObject? {
  entries.value(forKey: key)
}
