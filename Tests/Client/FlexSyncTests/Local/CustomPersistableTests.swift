// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

private struct Weight: CustomPersistable {
  var grams: Double

  init(_ grams: Double) { self.grams = grams }
  init(persistedValue: Double) { grams = persistedValue }
  var persistableValue: Double { grams }
}

/// Holds even numbers only.
private struct Even: FailableCustomPersistable {
  let number: Int

  init?(persistedValue: Int) {
    guard persistedValue.isMultiple(of: 2) else { return nil }
    number = persistedValue
  }
  var persistableValue: Int { number }
}

private class Parcel: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var weight: Weight
  @Persisted var weights: List<Weight>
  @Persisted var count: Even
  @Persisted var maybe: Even?

  convenience init(_ id: Int, _ grams: Double) {
    self.init()
    _id = id
    weight = Weight(grams)
    weights.append(Weight(grams / 2))
    maybe = Even(persistedValue: id * 2)
  }
}

private class Spot: EmbeddedObject {
  @Persisted var x: Int
  @Persisted var y: Int
}

/// Is stored as an embedded object.
private struct Position: CustomPersistable {
  var x = 0
  var y = 0

  init(_ x: Int, _ y: Int) { (self.x, self.y) = (x, y) }
  init(persistedValue spot: Spot) { (x, y) = (spot.x, spot.y) }
  var persistableValue: Spot { Spot(value: ["x": x, "y": y]) }
}

private class Route: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var start: Position
  @Persisted var end: Position?
  @Persisted var stops: List<Position>
  @Persisted var named: Map<String, Position>
  @Persisted var notes: Map<String, Position?>
}

/// Properties of the program's own types.
@Suite struct CustomPersistableTests {
  @Test func valuesStoredAsEmbeddedObjectsAreComparedByTheirProperties() throws {
    let realm = try LocalFile().open()
    try realm.write {
      realm.create(Route.self, value: ["_id": 1, "start": Position(1, 2), "stops": [Position(5, 6)]])
      realm.create(Route.self, value: ["_id": 2, "start": Position(1, 3), "end": Position(7, 8)])
      realm.create(Route.self, value: ["_id": 3, "stops": [Position(5, 0), Position(0, 6)]])
    }
    let routes = realm.objects(Route.self)
    #expect(routes.where { $0.start == Position(1, 2) }.map(\._id) == [1])
    #expect(routes.where { $0.start != Position(1, 2) }.map(\._id) == [2, 3])
    #expect(routes.where { $0.end == Position(7, 8) || $0._id == 1 }.map(\._id) == [1, 2])
    #expect(routes.where { $0.stops == Position(5, 6) }.map(\._id) == [1])
    #expect(routes.where { $0.stops != Position(5, 6) }.map(\._id) == [3])
    #expect(routes.where { $0.end == nil }.map(\._id) == [1, 3])
  }

  @Test func nullReadsAsTheDefaultOfAnEmbeddedObjectExceptInLists() throws {
    let realm = try LocalFile().open()
    let value = ["_id": 1, "start": NSNull(), "end": NSNull(), "named": ["a": NSNull()]] as [String: Any]
    #expect(Route(value: value).start.x == 0 && Route(value: value).named["a"]?.x == 0)
    let route = try realm.write { realm.create(Route.self, value: value) }
    #expect(route.start.x == 0 && route.end == nil && route.named["a"]?.x == 0)
    try realm.write {
      realm.create(
        Route.self,
        value: ["_id": 1, "start": Position(1, 2), "stops": [Spot(value: ["x": 3]), ["y": 4]]],
        update: .modified
      )
    }
    #expect(route.start.y == 2 && route.stops.map(\.x) == [3, 0] && route.stops.map(\.y) == [0, 4])
  }

  @Test func valuesAreStoredAsWhatTheyPersist() throws {
    let realm = try LocalFile().open()
    try realm.write { realm.add(Parcel(1, 500)) }
    let parcel = try #require(realm.object(ofType: Parcel.self, forPrimaryKey: 1))
    #expect(parcel.weight == Weight(500))
    #expect(Array(parcel.weights) == [Weight(250)])
    #expect(parcel.count.number == 0)
    #expect(parcel.maybe?.number == 2)
  }

  @Test func conditionsCompareWhatIsStored() throws {
    let realm = try LocalFile().open()
    try realm.write { for id in 1...3 { realm.add(Parcel(id, Double(id) * 100)) } }
    let parcels = realm.objects(Parcel.self)
    #expect(parcels.where { $0.weight == Weight(200) }.map(\._id) == [2])
    #expect(parcels.where { $0.weight > Weight(100) }.map(\._id) == [2, 3])
    #expect(parcels.where { $0.weight.persistableValue <= 200 }.map(\._id) == [1, 2])
    #expect(parcels.where { $0.weights.contains(Weight(150)) }.map(\._id) == [3])
  }

  @Test func aValueCanBeStoredAsAnEmbeddedObject() throws {
    let realm = try LocalFile().open()
    let route = Route(value: ["_id": 1])
    route.start = Position(1, 2)
    route.stops.append(objectsIn: [Position(3, 4), Position(5, 6)])
    route.named["home"] = Position(7, 8)
    try realm.write { realm.add(route) }
    #expect(route.start == Position(1, 2) && route.end == nil)
    #expect(Array(route.stops) == [Position(3, 4), Position(5, 6)])
    #expect(route.named["home"] == Position(7, 8))
    try realm.write {
      route.end = Position(9, 9)
      route.start = Position(0, 1)
      route.stops[0] = Position(2, 2)
      route.named["home"] = Position(1, 1)
      route.notes["none"] = .some(nil)
    }
    #expect(route.end == Position(9, 9) && route.start == Position(0, 1))
    #expect(route.stops.first == Position(2, 2) && route.named["home"] == Position(1, 1))
    #expect(route.notes["none"] == .some(nil))
    let empty = try realm.write { realm.create(Route.self, value: ["_id": 2]) }
    #expect(empty.start == Position(0, 0), "no object reads as the default")
  }
}
