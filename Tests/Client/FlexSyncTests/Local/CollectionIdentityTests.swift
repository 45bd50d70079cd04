// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Testing

/// When two collections are the same.
@Suite struct CollectionIdentityTests {
  private let realm: Realm

  init() throws { realm = try LocalFile().open() }

  @Test func anObjectReturnsTheSameCollectionEachTime() throws {
    let ada = Person("Ada")
    let friends = ada.friends
    #expect(ada.friends === friends)
    try realm.write {
      realm.add(ada)
      friends.append(Person("Bob"))
    }
    #expect(ada.friends === friends && friends.count == 1)
    let found = try #require(realm.object(ofType: Person.self, forPrimaryKey: "Ada"))
    #expect(found.friends === found.friends && found.friends == friends)
    try realm.write { ada.friends = List() }
    #expect(ada.friends === friends && friends.isEmpty)
  }

  @Test func theCollectionOfAnotherObjectIsCopied() throws {
    let (ada, bob) = (Person("Ada"), Person("Bob"))
    try realm.write {
      realm.add(ada)
      ada.friends.append(Person("Cyd"))
      bob.friends = ada.friends
      realm.add(bob)
      bob.friends.removeAll()
    }
    #expect(ada.friends.count == 1 && bob.friends.isEmpty && ada.friends !== bob.friends)
  }

  @Test func theCollectionOfADeletedObjectSaysSo() throws {
    let ada = Person("Ada")
    try realm.write { realm.add(ada) }
    #expect(!ada.friends.isInvalidated)
    try realm.write { realm.delete(ada) }
    #expect(ada.friends.isInvalidated)
  }

  @Test func mixedCollectionsInARealmAreEqualInTheSamePlaceOnly() throws {
    let content = AnyRealmValue.fromDictionary(["a": .fromArray([.fromArray([.int(1)]), .int(2)])])
    let (first, second) = try realm.write {
      (
        realm.create(Note.self, value: ["_id": 1, "any": content]),
        realm.create(Note.self, value: ["_id": 2, "any": content])
      )
    }
    let again = try #require(realm.object(ofType: Note.self, forPrimaryKey: 1))
    #expect(first.any == again.any && first.any != second.any && first.any == content)
    let path: (Note) -> AnyRealmValue? = { $0.any.dictionaryValue?["a"]?.listValue?[0] }
    #expect(path(first) == path(again) && path(first) != path(second))
  }

  @Test func aMixedCollectionWithTheSameContentsIsNotWrittenAgain() throws {
    let values: [String: Any] = ["_id": 1, "any": AnyRealmValue.fromArray([.fromArray([.int(1)])])]
    let note = try realm.write { realm.create(Note.self, value: values) }
    let list = note.any.listValue
    try realm.write { realm.create(Note.self, value: values, update: .modified) }
    #expect(list?.isInvalidated == false && list?.count == 1)
  }

  @Test func theSumOfNoMixedValuesInAMapIsAnInteger() throws {
    let note = try realm.write { realm.create(Note.self, value: ["_id": 1]) }
    #expect(note.byName.sum().intValue == 0)
  }
}
