// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// Objects: building, adding, finding, identity, deleting.
@Suite struct ObjectTests {
  let file: LocalFile
  let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
  }

  @Test func anObjectBelongsToNoRealmUntilItIsAdded() throws {
    let person = Person("Ada")
    #expect(person.realm == nil)
    #expect(realm.objects(Person.self).isEmpty)
    try realm.write { realm.add(person) }
    #expect(person.realm == realm)
    #expect(person.name == "Ada" && person.age == 18)
  }

  @Test func addedAndFoundObjectsAreTheSameRow() throws {
    let ada = Person("Ada")
    try realm.write { realm.add(ada) }
    let found = try #require(realm.object(ofType: Person.self, forPrimaryKey: "Ada"))
    #expect(found !== ada)
    #expect(found == ada && found.isSameObject(as: ada) && found.hashValue == ada.hashValue)
    try realm.write { found.age = 36 }
    #expect(ada.age == 36)
    let elsewhere = try file.open().object(ofType: Person.self, forPrimaryKey: "Ada")
    #expect(ada.isSameObject(as: elsewhere))
  }

  @Test func objectsThatWereNotAddedAreEqualOnlyToThemselves() {
    let ada = Person("Ada")
    #expect(ada == ada)
    #expect(ada != Person("Ada"))
    #expect(!ada.isSameObject(as: nil))
  }

  @Test func addingAnObjectTwiceChangesNothing() throws {
    let ada = Person("Ada")
    try realm.write {
      realm.add(ada)
      realm.add(ada)
    }
    #expect(realm.objects(Person.self).count == 1)
  }

  @Test func sequencesOfObjectsCanBeAddedAndDeleted() throws {
    try realm.write { realm.add([Person("Ada"), Person("Grace"), Person("Edsger")]) }
    #expect(realm.objects(Person.self).count == 3)
    try realm.write { realm.delete([realm.objects(Person.self)[0], realm.objects(Person.self)[1]]) }
    #expect(realm.objects(Person.self).map(\.name) == ["Edsger"])
  }

  @Test func objectsAreBuiltFromDictionariesArraysAndObjects() {
    let fromDictionary = Person(value: ["name": "Ada", "age": 36, "friends": [["name": "Grace"]]])
    #expect(fromDictionary.name == "Ada" && fromDictionary.age == 36)
    #expect(fromDictionary.friends.map(\.name) == ["Grace"])
    let fromArray = Person(value: ["Edsger", 72])
    #expect(fromArray.name == "Edsger" && fromArray.age == 72)
    let copy = Person(value: fromDictionary)
    #expect(copy.name == "Ada" && copy.friends.count == 1)
    copy.friends.removeAll()
    #expect(fromDictionary.friends.count == 1)
  }

  @Test func objectsAreCreatedFromValuesInTheRealm() throws {
    let dog = try realm.write {
      realm.create(Dog.self, value: ["name": "Laika", "owner": ["name": "Yuri", "age": 27]])
    }
    #expect(dog.name == "Laika" && dog.owner?.name == "Yuri" && dog.owner?.age == 27)
    let defaults = try realm.write { realm.create(Person.self, value: ["name": "Valentina"]) }
    #expect(defaults.age == 18 && defaults.dog == nil)
    let otherFile = try LocalFile()
    let other = try otherFile.open()
    let copy = try other.write { other.create(Dog.self, value: dog) }
    #expect(copy.name == "Laika" && copy.id == dog.id && copy.realm == other)
    #expect(copy.owner?.name == "Yuri" && copy.owner?.realm == other)
  }

  @Test func objectsAreCreatedFromWhatJSONSerializationReads() throws {
    let json = #"""
      {"_id": 5, "bool": true, "int": 7, "int8": 1, "double": 2, "float": 0.5, "level": 9, "priority": "high",
       "optionalInt": null, "optionalBool": false, "optionalDouble": 1, "link": {"_id": 6, "int64": 9007199254740993}}
      """#
    let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
    let object = try realm.write { realm.create(Everything.self, value: value) }
    #expect(object.bool && object.int == 7 && object.int8 == 1 && object.double == 2 && object.float == 0.5)
    #expect(object.level == .nine && object.priority == .high)
    #expect(object.optionalInt == nil && object.optionalBool == false && object.optionalDouble == 1)
    #expect(object.link?.int64 == 9_007_199_254_740_993)
  }

  @Test func decimalsMixedValuesAndCollectionsAreCreatedFromWhatJSONSerializationReads() throws {
    let json = #"""
      {"_id": 5, "price": 7, "discount": 1.5, "prices": [1, 2.5], "any": 1, "anything": [1, true, 0.5, null, "a"],
       "byName": {"one": 1, "yes": true, "list": [2]}}
      """#
    let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
    let note = Note(value: value)
    #expect(note.price == 7 && note.discount == "1.5" && Array(note.prices) == [1, "2.5"])
    #expect(note.any == .int(1))
    #expect(Array(note.anything) == [.int(1), .bool(true), .double(0.5), .none, .string("a")])
    #expect(note.byName["one"] == .int(1) && note.byName["yes"] == .bool(true))
    #expect(note.byName["list"]?.listValue?.first == .int(2))
  }

  @Test func circlesOfObjectsAreCopiedToAnotherRealm() throws {
    let ada = Person("Ada", dog: Dog())
    ada.friends.append(objectsIn: [ada, Person("Charles")])
    try realm.write {
      realm.add(ada)
      ada.dog?.owner = ada
    }
    let otherFile = try LocalFile()
    let other = try otherFile.open()
    let copy = try other.write { other.create(Person.self, value: ada) }
    #expect(copy.dog?.owner == copy && copy.friends.map(\.name) == ["Ada", "Charles"])
    #expect(other.objects(Person.self).count == 2 && other.objects(Dog.self).count == 1)
  }

  @Test func propertiesAreReadAndWrittenByName() throws {
    let person = Person("Ada")
    person["age"] = 30
    #expect(person["age"] as? Int == 30)
    #expect(person["dog"] == nil)
    try realm.write {
      realm.add(person)
      person["age"] = 31
    }
    #expect(person.age == 31 && person["name"] as? String == "Ada")
  }

  @Test func descriptionsShowThePropertiesAndWhatTheyLeadTo() throws {
    let person = Person("Ada", dog: Dog())
    person.friends.append(Person("Bob"))
    try realm.write { realm.add(person) }
    let lines = "\(person)".split(separator: "\n")
    #expect(lines.prefix(4) == ["Person {", "\tname = Ada;", "\tage = 18;", "\tdog = Dog {"])
    #expect(lines[7] == "\t};" && lines[8].hasPrefix("\tfriends = List<Person> <0x"))
    #expect(
      lines[9...12] == ["\t\t[0] Person {", "\t\t\tname = Bob;", "\t\t\tage = 18;", "\t\t\tdog = (null);"]
    )
    try realm.write { realm.delete(person) }
    #expect("\(person)" == "[invalid object]")
  }

  @Test func descriptionsEndAtTheFifthLevel() throws {
    let person = Person("Ada")
    person.friends.append(person)
    #expect("\(person)".components(separatedBy: "name = Ada;").count == 4)
    #expect("\(person)".contains("<Maximum depth exceeded>"))
  }

  @Test func unknownPrimaryKeysFindNothing() throws {
    try realm.write { realm.add(Everything(1)) }
    #expect(realm.object(ofType: Everything.self, forPrimaryKey: 2) == nil)
    #expect(realm.object(ofType: Everything.self, forPrimaryKey: 1) != nil)
    #expect(realm.object(ofType: Person.self, forPrimaryKey: "nobody") == nil)
  }

  @Test func aDeletedObjectIsInvalidatedEverywhere() throws {
    let ada = Person("Ada")
    try realm.write { realm.add(ada) }
    let found = try #require(realm.objects(Person.self).first)
    try realm.write { realm.delete(ada) }
    #expect(ada.isInvalidated && found.isInvalidated)
    #expect(realm.objects(Person.self).isEmpty)
    #expect(realm.object(ofType: Person.self, forPrimaryKey: "Ada") == nil)
  }

  @Test func aPrimaryKeyCanBeUsedAgainAfterDeletion() throws {
    let first = Person("Ada", age: 1)
    try realm.write { realm.add(first) }
    try realm.write {
      realm.delete(first)
      realm.add(Person("Ada", age: 2))
    }
    #expect(realm.objects(Person.self).map(\.age) == [2])
    #expect(first.isInvalidated)
  }

  @Test func everythingCanBeDeleted() throws {
    try realm.write {
      realm.add([Person("Ada"), Person("Grace")])
      realm.add(Dog())
    }
    #expect(!realm.isEmpty)
    try realm.write { realm.deleteAll() }
    #expect(realm.isEmpty && realm.objects(Dog.self).isEmpty && realm.objects(Person.self).isEmpty)
  }

  // MARK: Update policies

  @Test(arguments: [Realm.UpdatePolicy.modified, .all])
  func updatingWritesAllPropertiesOfTheNewObjectToTheOld(policy: Realm.UpdatePolicy) throws {
    let ada = Person("Ada", age: 36, dog: Dog())
    ada.friends.append(Person("Charles"))
    try realm.write { realm.add(ada) }
    let replacement = Person("Ada", age: 37)
    try realm.write { realm.add(replacement, update: policy) }
    #expect(realm.objects(Person.self).where { $0.name == "Ada" }.count == 1)
    #expect(replacement == ada && ada.age == 37 && ada.dog == nil && ada.friends.isEmpty)
  }

  @Test func updatingExtendsToLinkedObjects() throws {
    try realm.write { realm.add(Person("Charles", age: 20)) }
    let ada = Person("Ada")
    ada.friends.append(Person("Charles", age: 50))
    try realm.write { realm.add(ada, update: .modified) }
    #expect(realm.objects(Person.self).count == 2)
    #expect(realm.object(ofType: Person.self, forPrimaryKey: "Charles")?.age == 50)
    #expect(ada.friends.first?.age == 50)
  }

  @Test func creatingWithUpdateTouchesOnlyTheGivenProperties() throws {
    try realm.write { realm.add(Person("Ada", age: 36, dog: Dog())) }
    let ada = try realm.write {
      realm.create(Person.self, value: ["name": "Ada", "age": 40], update: .modified)
    }
    #expect(ada.age == 40 && ada.dog != nil)
    #expect(realm.objects(Person.self).count == 1)
  }

  @Test func modifiedWritesOnlyWhatDiffers() throws {
    let ada = Person("Ada", age: 36)
    ada.friends.append(Person("Charles"))
    try realm.write { realm.add(ada) }
    var changed: [String] = []
    let token = ada.observe { change in
      if case .change(_, let properties) = change { changed += properties.map(\.name) }
    }
    let same = Person("Ada", age: 37)
    same.friends.append(try #require(realm.object(ofType: Person.self, forPrimaryKey: "Charles")))
    try realm.write { realm.add(same, update: .modified) }
    #expect(changed == ["age"])
    changed = []
    let values: [String: Any] = ["name": "Ada", "age": 38, "friends": Array(same.friends)]
    try realm.write { realm.create(Person.self, value: values, update: .modified) }
    #expect(changed == ["age"])
    changed = []
    try realm.write { realm.create(Person.self, value: values, update: .all) }
    #expect(changed.sorted() == ["age", "friends"])
    token.invalidate()
  }
}
