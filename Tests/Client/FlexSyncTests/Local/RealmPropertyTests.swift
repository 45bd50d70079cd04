// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

private class Sample: Object {
  @Persisted var name: String
  let count = RealmProperty<Int?>()
  let small = RealmProperty<Int8?>()
  let ratio = RealmProperty<Double?>()
  let anything = RealmProperty<AnyRealmValue>()
  @Persisted var others: List<Sample>
}

private class Rated: Object {
  let level = RealmProperty<Level?>()
}

/// A class without any `@Persisted` property.
private class OldSample: Object {
  let flag = RealmProperty<Bool?>()
}

@available(*, deprecated)
private class OlderSample: Object {
  let count = RealmOptional<Int>(5)
  let ratio = RealmOptional<Float>()
}

/// Properties that hold their value in an object of their own.
@Suite struct RealmPropertyTests {
  private let file: LocalFile
  private let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
  }

  @Test func valuesCanBeOfAnEnumeration() throws {
    let rated = Rated()
    rated.level.value = .nine
    try realm.write { realm.add(rated) }
    #expect(rated.level.value == .nine && realm.objects(Rated.self).filter("level == 9").count == 1)
    try realm.write { rated.level.value = nil }
    #expect(rated.level.value == nil)
  }

  @Test func valuesMoveToTheRealmWithTheirObject() throws {
    let sample = Sample()
    #expect(sample.count.value == nil && sample.anything.value == .none)
    sample.count.value = 3
    sample.anything.value = .string("text")
    sample.name = "x"
    try realm.write { realm.add(sample) }
    #expect(sample.count.value == 3 && sample.small.value == nil && sample.anything.value == .string("text"))
    try realm.write {
      sample.count.value = nil
      sample.small.value = -7
      sample.ratio.value = 0.5
    }
    let same = try #require(try file.open().objects(Sample.self).first)
    #expect(same.count.value == nil && same.small.value == -7 && same.ratio.value == 0.5 && same.name == "x")
    #expect(
      sample.objectSchema.properties.map(\.name) == ["name", "count", "small", "ratio", "anything", "others"]
    )
  }

  @Test func theyAreSetByName() throws {
    let sample = Sample(value: ["count": 4, "name": "x"])
    #expect(sample.count.value == 4 && sample["count"] as? Int == 4)
    let created = try realm.write {
      realm.create(
        Sample.self,
        value: ["count": 5, "anything": 1.5, "others": [["small": 1]]] as [String: Any]
      )
    }
    #expect(created.count.value == 5 && created.anything.value == .double(1.5))
    #expect(created.others[0].small.value == 1)
    try realm.write { created.setValue(6, forKey: "count") }
    #expect(
      created.value(forKey: "count") as? Int == 6 && created.value(forKey: "anything") as? Double == 1.5
    )
    #expect(realm.objects(Sample.self).filter("count == 6").count == 1)
  }

  @Test func aPropertyOutlivesItsObject() throws {
    try realm.write { realm.add(Sample(value: ["count": 4])) }
    let count = try #require(realm.objects(Sample.self).first?.count)
    #expect(count.value == 4)
    try realm.write { count.value = 5 }
    #expect(realm.objects(Sample.self).first?.count.value == 5)
  }

  @Test func aClassMayHaveNoOthers() throws {
    try realm.write { realm.create(OldSample.self, value: ["flag": true]) }
    #expect(realm.objects(OldSample.self).first?.flag.value == true)
  }

  @available(*, deprecated)
  @Test func olderOptionalsHaveDefaults() throws {
    try realm.write { realm.create(OlderSample.self) }
    let sample = try #require(realm.objects(OlderSample.self).first)
    #expect(sample.count.value == 5 && sample.ratio.value == nil)
  }

  @Test func propertiesAreComparedAndCoded() throws {
    let five = RealmProperty<Int?>()
    five.value = 5
    let other = try JSONDecoder().decode([RealmProperty<Int?>].self, from: JSONEncoder().encode([five]))
    #expect(other == [five] && other[0].value == 5)
    #expect(try JSONDecoder().decode([RealmProperty<Int?>].self, from: Data("[null]".utf8))[0].value == nil)
    #expect(five.description == "Optional(5)")
  }

  @Test func theyAreSortedByKeyPath() throws {
    try realm.write {
      for count in [2, 3, 1] { realm.create(Sample.self, value: ["count": count]) }
    }
    #expect(realm.objects(Sample.self).sorted(by: \.count.value).map(\.count.value) == [1, 2, 3])
  }
}
