// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// `NSPredicate`, and the arguments that predicates can have.
@Suite struct PredicateTests {
  private let realm: Realm
  private let ada = Person("Ada", age: 36)
  private let bob = Person("Bob", age: 20)

  init() throws {
    realm = try LocalFile().open()
    ada.friends.append(bob)
    try realm.write { realm.add(ada) }
  }

  private func names(_ predicate: NSPredicate) -> [String] {
    realm.objects(Person.self).filter(predicate).map(\.name).sorted()
  }

  @Test func aTextWithArgumentsSelects() {
    #expect(names(NSPredicate(format: "age > %d AND name BEGINSWITH %@", 30, "A")) == ["Ada"])
    #expect(names(NSPredicate(format: "%K == %@", argumentArray: ["name", "Bob"])) == ["Bob"])
    #expect(names(NSPredicate(format: "age BETWEEN %@", [20, 30])) == ["Bob"])
    #expect(names(NSPredicate(format: "name IN %@", ["Ada", "Cyd"])) == ["Ada"])
  }

  @Test func objectsOfFoundationAreArguments() {
    #expect(names(NSPredicate(format: "age == %@", NSNumber(value: 20))) == ["Bob"])
    #expect(names(NSPredicate(format: "name == %@", NSString(string: "Ada"))) == ["Ada"])
  }

  @Test func constantsAndCombinationsSelect() {
    let isAda = NSPredicate(format: "name == %@", "Ada")
    let isOld = NSPredicate(format: "age > %@", 50)
    #expect(names(NSPredicate(value: true)) == ["Ada", "Bob"] && names(NSPredicate(value: false)).isEmpty)
    #expect(names(NSCompoundPredicate(andPredicateWithSubpredicates: [isAda, isOld])).isEmpty)
    #expect(names(NSCompoundPredicate(orPredicateWithSubpredicates: [isAda, isOld])) == ["Ada"])
    #expect(names(NSCompoundPredicate(notPredicateWithSubpredicate: isAda)) == ["Bob"])
    #expect(names(NSCompoundPredicate(andPredicateWithSubpredicates: [])) == ["Ada", "Bob"])
    #expect(names(NSCompoundPredicate(orPredicateWithSubpredicates: [])).isEmpty)
  }

  @Test func aPredicateFindsAnIndexAndJudgesAnObject() {
    let isBob = NSPredicate(format: "name == 'Bob'")
    #expect(ada.friends.index(matching: isBob) == 0)
    #expect(isBob.evaluate(with: bob) && !isBob.evaluate(with: ada))
  }

  @Test func aBlockStopsTheProgram() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try LocalFile().open().objects(Person.self).filter(NSPredicate { _, _ in true })
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("Only support compound, comparison, and constant predicates"))
  }

  // MARK: - Objects as arguments

  @Test func anObjectInNoRealmEqualsNone() throws {
    let people = realm.objects(Person.self)
    #expect(people.filter("ANY friends == %@", Person("Bob")).isEmpty)
    #expect(people.where { $0.friends.contains(Person("Bob")) }.isEmpty)
    #expect(people.where { $0.friends.contains(bob) }.map(\.name) == ["Ada"])
    #expect(people.filter("dog == %@", Dog()).isEmpty && people.filter("dog != %@", Dog()).count == 2)
    #expect(people.filter("dog == nil").count == 2)
  }

  @Test func aDeletedObjectEqualsNone() throws {
    try realm.write { realm.delete(bob) }
    #expect(realm.objects(Person.self).where { $0.friends.contains(bob) }.isEmpty)
  }

  @Test func embeddedObjectsAreCompared() throws {
    let contact = Contact(1, name: "Ada")
    let home = Address("Elm")
    contact.home = home
    try realm.write { realm.add(contact) }
    let contacts = realm.objects(Contact.self)
    #expect(contacts.where { $0.home == home }.count == 1)
    #expect(contacts.where { $0.home == Address("Elm") }.isEmpty)
    #expect(contacts.where { $0.home != Address("Elm") }.count == 1)
  }

  @Test func anObjectOfAnotherRealmStopsTheProgram() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, other) = (try LocalFile().open(), try LocalFile().open())
      let stranger = try other.write { other.create(Person.self, value: ["name": "Cyd"]) }
      _ = realm.objects(Person.self).filter("ANY friends == %@", stranger)
    }
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains("Object must be from the Realm being queried"))
  }

  // MARK: - Collections in no realm

  @Test func elementsOfACollectionInNoRealmAreFound() {
    let cyd = Person("Cyd", age: 40)
    cyd.friends.append(objectsIn: [Person("Dan", age: 3), Person("Eve", age: 5), Person("Eve", age: 7)])
    #expect(cyd.friends.index(matching: "age = %@", 5) == 1)
    #expect(cyd.friends.index(matching: NSPredicate(format: "age > 6")) == 2)
    #expect(cyd.friends.index(matching: { $0.name == "Eve" }) == 1)
    #expect(cyd.friends.index(matching: { $0.name == "Ada" }) == nil)
    #expect(cyd.realm == nil && cyd.friends[0].realm == nil)
  }

  @Test func plainElementsOfACollectionInNoRealmAreFound() {
    let lists = Lists()
    lists.ints.append(objectsIn: [5, 6, 7])
    lists.optionalStrings.append(objectsIn: ["a", nil])
    #expect(lists.ints.index(matching: NSPredicate(format: "self == 7")) == 2)
    #expect(lists.ints.index(matching: { $0 == 6 && $0 < 456 }) == 1)
    #expect(lists.ints.index(matching: { $0 == 9 }) == nil)
    #expect(lists.optionalStrings.index(matching: "self == nil") == 1)
  }

  @Test func searchingAddsNoClassToTheProgram() throws {
    #expect(!realm.schema.objectSchema.contains { $0.className == "SearchedElement" })
  }
}
