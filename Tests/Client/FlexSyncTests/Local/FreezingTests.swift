// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// Frozen realms, objects, collections and results.
@Suite struct FreezingTests {
  let file: LocalFile
  let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
  }

  private func addAda() throws -> Person {
    let ada = Person("Ada", age: 36)
    try realm.write {
      realm.add(ada)
      ada.friends.append(objectsIn: [Person("Bob"), Person("Cyd")])
    }
    return ada
  }

  @Test @MainActor func aFrozenRealmStaysAsItWasAndThawsToTheLiveOneOfTheThread() throws {
    let realm = try file.open()
    _ = try addAda()
    realm.refresh()
    let frozen = realm.freeze()
    #expect(frozen.isFrozen)
    #expect(!realm.isFrozen)
    #expect(frozen == realm.freeze())
    #expect(frozen.freeze() == frozen)
    try realm.write { realm.deleteAll() }
    #expect(frozen.objects(Person.self).map(\.name).sorted() == ["Ada", "Bob", "Cyd"])
    #expect(frozen.object(ofType: Person.self, forPrimaryKey: "Ada")?.age == 36)
    #expect(!frozen.refresh())
    #expect(frozen.thaw() == realm)
    #expect(realm.thaw() == realm)
  }

  @Test func aFrozenObjectKeepsItsValuesAndThoseOfItsLinks() throws {
    let ada = try addAda()
    try realm.write { ada.dog = realm.create(Dog.self, value: ["name": "Rex"]) }
    let frozen = ada.freeze()
    try realm.write {
      ada.age = 37
      ada.dog?.name = "Fido"
      ada.friends.removeAll()
    }
    #expect(frozen.isFrozen && !ada.isFrozen)
    #expect(frozen.age == 36)
    #expect(frozen.dog?.name == "Rex")
    #expect(frozen.dog?.isFrozen == true)
    #expect(frozen.friends.map(\.name) == ["Bob", "Cyd"])
    #expect(frozen.friends.isFrozen)
    #expect(frozen.thaw()?.age == 37)
    #expect(frozen.thaw() == ada)
    #expect(frozen != ada)
    #expect(ada.freeze() == realm.objects(Person.self).freeze().first { $0.name == "Ada" })
  }

  @Test @MainActor func thawingDoesNotAdvanceTheRealm() async throws {
    let realm = try file.open()
    realm.autorefresh = false
    let ada = Person("Ada", age: 36)
    try realm.write { realm.add(ada) }
    let (file, reference) = (file, ThreadSafeReference(to: ada))
    nonisolated(unsafe) var changed: Person?
    nonisolated(unsafe) var new: Person?
    try await inBackground {
      let realm = try file.open()
      let ada = try #require(realm.resolve(reference))
      let dan = Person("Dan")
      try realm.write {
        ada.age = 99
        realm.add(dan)
      }
      changed = ada.freeze()
      new = dan.freeze()
    }
    let thawed = try #require(changed?.thaw())
    #expect(thawed == ada && thawed.age == 36 && new?.thaw() == nil)
    realm.refresh()
    #expect(thawed.age == 99 && new?.thaw()?.name == "Dan")
  }

  @Test func whatWasDeletedStaysReadableAndDoesNotThaw() throws {
    let ada = try addAda()
    let (frozen, friends, all) = (ada.freeze(), ada.friends.freeze(), realm.objects(Person.self).freeze())
    try realm.write { realm.delete(ada) }
    #expect(!frozen.isInvalidated)
    #expect(frozen.name == "Ada")
    #expect(frozen.thaw() == nil)
    #expect(friends.count == 2)
    #expect(friends.thaw() == nil)
    #expect(all.count == 3)
    #expect(all.thaw()?.count == 2)
  }

  @Test func collectionsAndResultsOfAllKindsFreeze() throws {
    try realm.write {
      realm.create(Sets.self, value: ["_id": 1, "ints": [1, 2]])
      realm.create(Maps.self, value: ["_id": 1, "ints": ["a": 3]])
    }
    let sets = try #require(realm.objects(Sets.self).first)
    let maps = try #require(realm.objects(Maps.self).first)
    let (ints, map) = (sets.ints.freeze(), maps.ints.freeze())
    let sorted = realm.objects(Sets.self).sorted(byKeyPath: "_id").freeze()
    try realm.write {
      sets.ints.insert(3)
      maps.ints["a"] = 4
      realm.create(Sets.self, value: ["_id": 2])
    }
    #expect(ints.sorted() == [1, 2])
    #expect(ints.thaw()?.sorted() == [1, 2, 3])
    #expect(map["a"] == 3)
    #expect(map.thaw()?["a"] == 4)
    #expect(sorted.map(\._id) == [1])
    #expect(sorted.where { $0._id > 0 }.isFrozen)
    #expect(sorted.thaw()?.map(\._id) == [1, 2])
  }

  @Test func frozenObjectsMayBeUsedOnAnyThreadAtOnce() async throws {
    try realm.write {
      for number in 0..<50 { realm.add(Person("the person with the number \(number)", age: number)) }
    }
    let people = Frozen(realm.objects(Person.self).sorted(byKeyPath: "age").freeze())
    let person = Frozen(try #require(people.value.first))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try await inBackground {
            for _ in 0..<20 {
              for (number, person) in people.value.enumerated() {
                #expect(person.name == "the person with the number \(number)")
              }
              #expect(person.value.name == "the person with the number 0")
            }
          }
        }
      }
      try realm.write { realm.deleteAll() }
      try await group.waitForAll()
    }
  }

  @Test func aFrozenObjectThawsOnAnotherThread() async throws {
    let ada = Frozen(try addAda().freeze())
    try await inBackground {
      let live = try #require(ada.value.thaw())
      try #require(live.realm).write { live.age = 40 }
    }
    realm.refresh()
    #expect(ada.value.age == 36)
    #expect(ada.value.thaw()?.age == 40)
  }

  @Test func aFrozenRealmCannotBeWritten() throws {
    let ada = try addAda().freeze()
    let frozen = realm.freeze()
    #expect(throws: Realm.Error.self) { try frozen.write {} }
    #expect(!ada.isInvalidated)
  }

  @Test func misuseStopsTheProgramWithRealmsWords() async throws {
    let modified = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try LocalFile()
      let realm = try file.open()
      let ada = Person("Ada")
      try realm.write { realm.add(ada) }
      ada.freeze().age = 3
    }
    #expect(modified?.standardErrorText.contains("call thaw on the Object instance first.") == true)
    let unmanaged = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Person("Ada").freeze()
    }
    #expect(unmanaged?.standardErrorText.contains("Unmanaged objects cannot be frozen.") == true)
    let created = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try LocalFile()
      let realm = try file.open()
      try realm.write { realm.add(Person("Bob")) }
      realm.beginWrite()
      _ = realm.create(Person.self, value: ["name": "Ada"]).freeze()
    }
    #expect(created?.standardErrorText.contains("in the same write transaction as it was created in") == true)
    let observed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try LocalFile()
      _ = try file.open().objects(Person.self).freeze().observe { _ in }
    }
    #expect(observed?.standardErrorText.contains("do not have change notifications") == true)
  }

  @Test func invalidatingEndsWhatWasObtainedBefore() throws {
    let ada = try addAda()
    let people = realm.objects(Person.self)
    realm.beginWrite()
    realm.invalidate()
    #expect(!realm.isInWriteTransaction)
    #expect(ada.isInvalidated)
    #expect(people.isInvalidated)
    #expect(people.isEmpty)
    #expect(realm.objects(Person.self).count == 3)
  }
}

/// What may be passed to other threads because it is frozen.
private struct Frozen<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

extension ExitTest.Result {
  fileprivate var standardErrorText: String { String(decoding: standardErrorContent, as: UTF8.self) }
}
