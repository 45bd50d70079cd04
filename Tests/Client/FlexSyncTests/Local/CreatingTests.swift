// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

private class OldTask: Object {
  let number = RealmProperty<Int?>()
  let draft = RealmProperty<Int?>()
  @Persisted var title: String
  @Persisted var owner: String

  override class func primaryKey() -> String? { "number" }
  override class func indexedProperties() -> [String] { ["title"] }
  override class func ignoredProperties() -> [String] { ["draft"] }
}

/// Two Swift classes for one class of the schema, each with properties of its own.
private class Bicycle: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var color: String
  @Persisted var owner: BicycleOwner?

  override class func _realmObjectName() -> String? { "Bike" }
}

private class BicycleOwner: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var other: BicycleSummary?
}

private class BicycleSummary: Object {
  @Persisted(primaryKey: true) var _id: Int
  @Persisted var shade: String
  @Persisted var wheels = 2

  override class func _realmObjectName() -> String? { "Bike" }
  override class func propertiesMapping() -> [String: String] { ["shade": "color"] }
}

/// What becomes of the values that objects are created from.
@Suite struct CreatingTests {
  private let file: LocalFile
  private let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
  }

  @Test func keysThatNameNoPropertyAreIgnored() throws {
    #expect(Person(value: ["name": "Ada", "shoeSize": 38]).name == "Ada")
    let ada = try realm.write {
      realm.create(Person.self, value: ["name": "Ada", "etag": "x", "dog": ["name": "Rex", "breed": 1]])
    }
    #expect(ada.dog?.name == "Rex")
  }

  @Test func nestedValuesWriteOnlyWhatTheyName() throws {
    let dog = Dog(value: ["name": "Laika", "owner": ["name": "Yuri", "age": 27]])
    try realm.write { realm.add(dog) }
    try realm.write {
      realm.create(
        Person.self,
        value: ["name": "Ada", "dog": ["id": dog.id], "friends": [["name": "Yuri", "age": 28]]],
        update: .modified
      )
    }
    #expect(dog.name == "Laika" && dog.owner?.age == 28)
    try realm.write {
      realm.create(Person.self, value: ["name": "Ada", "friends": [["name": "Yuri"]]], update: .all)
    }
    #expect(dog.owner?.age == 28 && realm.objects(Person.self).count == 2)
  }

  @Test func objectsOutsideOfARealmAreCopied() throws {
    let (yuri, dog) = (Person("Yuri"), Dog())
    dog.owner = yuri
    yuri.dog = dog
    let ada = try realm.write {
      realm.create(Person.self, value: ["name": "Ada", "dog": dog, "friends": [yuri, yuri]])
    }
    #expect(yuri.realm == nil && dog.realm == nil)
    #expect(ada.friends.map(\.name) == ["Yuri", "Yuri"] && ada.friends[0].dog == ada.dog)
    #expect(realm.objects(Person.self).count == 2 && realm.objects(Dog.self).count == 1)
    let home = Address("Elm")
    let contact = try realm.write {
      realm.create(Contact.self, value: ["_id": 1, "home": home, "addresses": [home]])
    }
    #expect(home.realm == nil && contact.home?.street == "Elm" && contact.addresses.count == 1)
  }

  @Test func anEmbeddedObjectOfTheRealmIsCopied() throws {
    let contacts = try realm.write {
      let first = realm.create(Contact.self, value: ["_id": 1, "home": ["street": "Elm"]])
      return [first, realm.create(Contact.self, value: ["_id": 2, "home": first.home as Any])]
    }
    #expect(contacts.map { $0.home?.street } == ["Elm", "Elm"] && contacts[0].home != contacts[1].home)
  }

  @Test func updatingFromAnObjectOfTheRealmReturnsIt() throws {
    let ada = try realm.write { realm.create(Person.self, value: ["name": "Ada"]) }
    let same = try realm.write { realm.create(Person.self, value: ada, update: .modified) }
    #expect(same === ada)
  }

  @Test func nullStandsForAnEmptyCollectionAndNoLink() throws {
    let ada = try realm.write {
      realm.create(
        Person.self,
        value: ["name": "Ada", "friends": NSNull(), "dog": NSNull()] as [String: Any]
      )
    }
    #expect(ada.friends.isEmpty && ada.dog == nil)
    #expect(Person(value: ["name": "Ada", "friends": NSNull()] as [String: Any]).friends.isEmpty)
  }

  @Test func aClassMayNameItsPrimaryKeyAndIndexes() throws {
    let schema = OldTask().objectSchema
    #expect(schema.primaryKeyProperty?.name == "number")
    #expect(schema["title"]?.isIndexed == true && schema["owner"]?.isIndexed == false)
    #expect(schema["draft"] == nil)
    try realm.write {
      realm.create(OldTask.self, value: ["number": 1, "title": "a"])
      realm.create(OldTask.self, value: ["number": 1, "title": "b"], update: .modified)
      realm.create(OldTask.self, value: ["title": "c"])
    }
    #expect(realm.object(ofType: OldTask.self, forPrimaryKey: 1)?.title == "b")
    #expect(realm.objects(OldTask.self).count == 2)
  }

  @Test func twoSwiftClassesMayHaveTheSameName() throws {
    let types = [Bicycle.self, BicycleOwner.self, BicycleSummary.self] as [ObjectBase.Type]
    let other = try LocalFile()
    var configuration = other.configuration
    configuration.objectTypes = types
    let realm = try Realm(configuration: configuration)
    try realm.write {
      let owner = realm.create(BicycleOwner.self, value: ["_id": 2, "other": ["_id": 1, "shade": "red"]])
      realm.create(Bicycle.self, value: ["_id": 3, "owner": owner, "color": "blue"])
    }
    #expect(realm.objects(Bicycle.self).map(\.color) == ["red", "blue"])
    #expect(realm.objects(BicycleSummary.self).map(\.shade) == ["red", "blue"])
  }
}

/// Loops that change what they loop over.
@Suite struct ChangingWhileIteratingTests {
  @Test(arguments: [true, false])
  func aLoopThatAppendsEnds(isManaged: Bool) throws {
    let realm = try LocalFile().open()
    let (lists, team) = (Lists(), Team("a", members: ["x", "y"], tasks: [Task("1"), Task("2")]))
    lists.ints.append(objectsIn: [1, 2, 3])
    if isManaged { try realm.write { realm.add([lists, team] as [Object]) } }
    try realm.write {
      var seen: [String] = []
      for number in lists.ints {
        seen.append("\(number)")
        lists.ints.append(number)
      }
      for task in team.tasks {
        seen.append(task.taskName)
        team.tasks.append(task)
      }
      #expect(seen == ["1", "2", "3", "1", "2"])
    }
    #expect(lists.ints.count == 6 && team.tasks.count == 4)
  }

  @Test func aLoopMayDeleteTheObjects() throws {
    let realm = try LocalFile().open()
    let team = Team("a", tasks: [Task("1"), Task("2"), Task("3")])
    let sets = Sets()
    sets.objects.insert(objectsIn: [Everything(1), Everything(2), Everything(3)])
    try realm.write { realm.add([team, sets] as [Object]) }
    try realm.write {
      for task in team.tasks { realm.delete(task) }
      for object in sets.objects { realm.delete(object) }
    }
    #expect(realm.objects(Task.self).isEmpty && realm.objects(Everything.self).isEmpty)
  }

  @Test func aRangeOfAListCanBeReplaced() throws {
    let realm = try LocalFile().open()
    let lists = Lists()
    lists.ints.append(objectsIn: [1, 2, 3, 4])
    try realm.write {
      realm.add(lists)
      lists.ints[1..<3] = lists.ints[0..<1]
    }
    #expect(Array(lists.ints) == [1, 1, 4] && Array(lists.ints[1..<3]) == [1, 4])
  }
}
