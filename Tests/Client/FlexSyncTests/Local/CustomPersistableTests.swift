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

/// Properties of the program's own types.
@Suite struct CustomPersistableTests {
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
}
