// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Testing

/// References that take objects, collections and results to other threads.
@Suite struct ThreadSafeReferenceTests {
  let file: LocalFile
  let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
  }

  @Test func anObjectIsFoundOnAnotherThread() async throws {
    let ada = Person("Ada", age: 36)
    try realm.write { realm.add(ada) }
    let reference = ThreadSafeReference(to: ada)
    let file = file
    try await inBackground {
      let realm = try file.open()
      #expect(!reference.isInvalidated)
      let ada = try #require(realm.resolve(reference))
      #expect(reference.isInvalidated)
      try realm.write { ada.age += 1 }
    }
    realm.refresh()
    #expect(ada.age == 37)
  }

  @Test func collectionsAndResultsAreFound() async throws {
    let ada = Person("Ada")
    try realm.write {
      realm.add(ada)
      ada.friends.append(objectsIn: [Person("Bob"), Person("Cyd")])
      realm.create(Sets.self, value: ["_id": 1, "ints": [1, 2]])
      realm.create(Maps.self, value: ["_id": 1, "ints": ["a": 3]])
    }
    let sets = try #require(realm.objects(Sets.self).first)
    let maps = try #require(realm.objects(Maps.self).first)
    let friends = ThreadSafeReference(to: ada.friends)
    let (ints, map) = (ThreadSafeReference(to: sets.ints), ThreadSafeReference(to: maps.ints))
    let people = ThreadSafeReference(
      to: realm.objects(Person.self).where { $0.name > "A" }.sorted(byKeyPath: "name")
    )
    let sorted = ThreadSafeReference(to: ada.friends.sorted(byKeyPath: "name", ascending: false))
    let file = file
    try await inBackground {
      let realm = try file.open()
      #expect(realm.resolve(friends)?.map(\.name) == ["Bob", "Cyd"])
      #expect(realm.resolve(ints)?.sorted() == [1, 2])
      #expect(realm.resolve(map)?["a"] == 3)
      #expect(realm.resolve(people)?.map(\.name) == ["Ada", "Bob", "Cyd"])
      #expect(realm.resolve(sorted)?.map(\.name) == ["Cyd", "Bob"])
    }
  }

  @Test func aReferenceOfAWriteTransactionLeadsToWhatItsCommitLeaves() async throws {
    let file = file
    let ada = Person("Ada")
    try realm.write { realm.add(ada) }
    let known = ThreadSafeReference(to: ada)
    let changed = try await inBackground {
      let realm = try file.open()
      let ada = try #require(realm.resolve(known))
      return try realm.write {
        let reference = ThreadSafeReference(to: ada)
        ada.age = 99
        return reference
      }
    }
    #expect(realm.resolve(changed)?.age == 99)
  }

  @Test func dynamicObjectsAreFound() async throws {
    try realm.write { realm.add(Person("Ada", age: 36)) }
    let people = realm.dynamicObjects("Person")
    let reference = ThreadSafeReference(to: try #require(people.first))
    let results = ThreadSafeReference(to: people)
    let file = file
    try await inBackground {
      let realm = try file.open()
      #expect(realm.resolve(reference)?["age"] as? Int == 36)
      #expect(realm.resolve(results)?.first?["name"] as? String == "Ada")
    }
  }

  @Test func whatWasDeletedOrIsElsewhereIsNil() async throws {
    let ada = Person("Ada")
    try realm.write { realm.add(ada) }
    let (deleted, elsewhere) = (ThreadSafeReference(to: ada), ThreadSafeReference(to: ada))
    let friends = ThreadSafeReference(to: ada.friends)
    try realm.write { realm.delete(ada) }
    let (file, other) = (file, try LocalFile())
    try await inBackground {
      let realm = try file.open()
      #expect(realm.resolve(deleted) == nil)
      #expect(realm.resolve(friends) == nil)
      #expect(try other.open().resolve(elsewhere) == nil)
    }
  }

  @Test func aThreadSafePropertyIsReadOnAnyThread() async throws {
    let ada = Person("Ada")
    try realm.write { realm.add(ada) }
    let person = ThreadSafe(wrappedValue: ada)
    try await inBackground {
      for age in 1...3 {
        let ada = try #require(person.wrappedValue)
        try ada.realm?.write { ada.age = age }
      }
    }
    realm.refresh()
    #expect(ada.age == 3)
    try realm.write { realm.delete(ada) }
    #expect(try await inBackground { person.wrappedValue == nil })
    person.wrappedValue = nil
    #expect(person.wrappedValue == nil)
  }
}
