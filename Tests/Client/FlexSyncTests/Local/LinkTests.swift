// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Testing

/// Links between objects.
@Suite struct LinkTests {
  let file: LocalFile
  let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
  }

  @Test func addingAnObjectAddsWhatItLinksTo() throws {
    let ada = Person("Ada", dog: Dog())
    ada.friends.append(Person("Charles"))
    try realm.write { realm.add(ada) }
    #expect(realm.objects(Dog.self).count == 1 && realm.objects(Person.self).count == 2)
    #expect(ada.dog == realm.objects(Dog.self).first)
    #expect(ada.friends.first?.realm == realm)
  }

  @Test func objectsMayLinkToEachOtherInCircles() throws {
    let ada = Person("Ada")
    let dog = Dog()
    ada.dog = dog
    dog.owner = ada
    ada.friends.append(ada)
    try realm.write { realm.add(ada) }
    #expect(ada.dog?.owner == ada && ada.friends.first == ada)
    #expect(realm.objects(Person.self).count == 1)
  }

  @Test func settingALinkAddsTheTargetAndNilRemovesTheLink() throws {
    let ada = Person("Ada")
    try realm.write {
      realm.add(ada)
      ada.dog = Dog()
    }
    #expect(ada.dog?.name == "Rex")
    try realm.write { ada.dog = nil }
    #expect(ada.dog == nil && realm.objects(Dog.self).count == 1)
  }

  @Test func deletingATargetClearsLinksAndLists() throws {
    let charles = Person("Charles")
    let ada = Person("Ada", dog: Dog())
    ada.friends.append(objectsIn: [charles, Person("Grace"), charles])
    try realm.write { realm.add(ada) }
    try realm.write {
      realm.delete(charles)
      realm.delete(realm.objects(Dog.self))
    }
    #expect(ada.dog == nil)
    #expect(ada.friends.map(\.name) == ["Grace"])
  }

  @Test func queriesFollowLinks() throws {
    let ada = Person("Ada", age: 36, dog: Dog())
    try realm.write {
      realm.add(ada)
      ada.dog?.owner = ada
      realm.add(Dog())
    }
    #expect(realm.objects(Dog.self).where { $0.owner.age > 30 }.count == 1)
    #expect(realm.objects(Dog.self).where { $0.owner.dog.owner.name == "Ada" }.count == 1)
    #expect(realm.objects(Dog.self).where { $0.owner == ada }.count == 1)
    #expect(realm.objects(Dog.self).where { $0.owner == nil }.count == 1)
    #expect(realm.objects(Dog.self).filter("owner == %@", ada).count == 1)
  }
}
