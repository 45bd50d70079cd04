// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

class PersonCard: Projection<Person> {
  @Projected(\Person.name) var title
  @Projected(\Person.name.count) var length
  @Projected(\Person.dog?.name) var dogName
  @Projected(\Person.friends) var friends
  @Projected(\Person.friends.projectTo.age) var ages: ProjectedCollection<Int>
}

extension PersonCard: ObjectKeyIdentifiable {}

extension PersonCard {
  fileprivate var firstLetter: String { String(title.prefix(1)) }
}

/// Views of objects.
@Suite struct ProjectionTests {
  let file: LocalFile
  let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
    try realm.write {
      let ada = Person("Ada", age: 30, dog: Dog())
      ada.friends.append(objectsIn: [Person("Bob", age: 5), Person("Carl", age: 6)])
      realm.add(ada)
    }
  }

  private var ada: PersonCard {
    get throws { try #require(realm.objects(PersonCard.self).filter("name == 'Ada'").first) }
  }

  @Test func propertiesAreThoseOfTheObject() throws {
    let ada = try ada
    #expect(ada.title == "Ada" && ada.length == 3 && ada.dogName == "Rex" && ada.friends.count == 2)
    #expect(ada.realm == realm && !ada.isInvalidated)
    try realm.write { ada.rootObject.dog?.name = "Fido" }
    #expect(ada.dogName == "Fido")
    let unmanaged = PersonCard(projecting: Person("Eve"))
    unmanaged.title = "Evi"
    #expect(unmanaged.rootObject.name == "Evi" && unmanaged.realm == nil)
  }

  @Test func projectionsAreFoundSortedAndCompared() throws {
    let cards = realm.objects(PersonCard.self)
    #expect(cards.count == 3 && cards.sorted(byKeyPath: "age").map(\.title) == ["Bob", "Carl", "Ada"])
    #expect(try cards.filter("name == 'Bob'").first != ada)
    let same = PersonCard(projecting: try #require(realm.object(ofType: Person.self, forPrimaryKey: "Ada")))
    #expect(try ada == same && ada.id == same.id && cards.index(of: same) == 0)
    let any = AnyRealmCollection(cards)
    #expect(any.map(\.title).count == 3 && any.last?.title == cards[2].title)
  }

  @Test func valuesByNameAreThoseOfTheObjects() throws {
    let cards = realm.objects(PersonCard.self).sorted(byKeyPath: "age")
    #expect(cards.value(forKey: "age") as? [Int] == [5, 6, 30])
    try realm.write { cards.setValue(8, forKey: "age") }
    #expect(cards.max(ofProperty: "age") == 8)
  }

  @Test func projectionsHaveSections() {
    let sections = realm.objects(PersonCard.self).sectioned(by: \.firstLetter, ascending: false)
    #expect(sections.allKeys == ["C", "B", "A"] && sections[0][0].title == "Carl")
  }

  @Test func projectedCollectionsFollowTheCollection() throws {
    let ages = try ada.ages
    #expect(Array(ages) == [5, 6] && ages.index(of: 6) == 1 && ages.realm == realm && !ages.isInvalidated)
    #expect(ages.description == "ProjectedCollection<Int> {\n\t[0] 5\n\t[1] 6\n}")
    var updates: [[Int]] = []
    let token = ages.observe {
      if case .update(let ages, _, _, let modified) = $0 { updates.append(modified + Array(ages)) }
    }
    realm.refresh()
    try realm.write { ages[0] = 7 }
    #expect(updates == [[0, 7, 6]])
    try realm.write { try ada.friends.remove(at: 1) }
    #expect(Array(ages) == [7] && updates.last == [7])
    token.invalidate()
  }

  @Test func observersLearnOfProjectedPropertiesOnly() throws {
    let ada = try ada
    var changed: [String] = []
    var isDeleted = false
    let token = ada.observe { change in
      switch change {
      case .change(let card, let properties):
        changed += properties.map { "\($0.name) \(card.rootObject.age)" }
      case .deleted: isDeleted = true
      case .error: break
      }
    }
    realm.refresh()
    try realm.write { ada.rootObject.age = 31 }
    #expect(changed.isEmpty)
    try realm.write { ada.rootObject.dog = nil }
    #expect(changed == ["dogName 31"])
    try realm.write { ada.friends.removeLast() }
    #expect(changed.dropFirst() == ["friends 31", "ages 31"])
    try realm.write { realm.delete(ada.rootObject) }
    #expect(isDeleted && ada.isInvalidated)
    token.invalidate()
  }

  @Test func observersLearnOfNestedProperties() throws {
    let ada = try ada
    var changed: [String] = []
    let tokens = [
      ada.observe { change in
        guard case .change(_, let properties) = change else { return }
        changed += properties.map { "all \($0.name)" }
      },
      ada.observe(keyPaths: [\.dogName]) { change in
        guard case .change(_, let properties) = change else { return }
        changed += properties.map { "one \($0.name) \($0.newValue ?? "nil")" }
      },
    ]
    realm.refresh()
    try realm.write { ada.rootObject.dog?.name = "Fido" }
    #expect(Set(changed) == ["all dogName", "one dogName Fido"] && changed.count == 2)
    try realm.write { ada.friends.removeLast() }
    #expect(changed.dropFirst(2) == ["all friends", "all ages"])
    for token in tokens { token.invalidate() }
  }

  @Test func observersLearnThePreviousValues() async throws {
    let ada = try ada
    var changed: [String] = []
    let token = ada.observe(keyPaths: ["dog.name"]) { change in
      guard case .change(_, let properties) = change else { return }
      changed += properties.map { "\($0.name) \($0.oldValue ?? "nil") \($0.newValue ?? "nil")" }
    }
    realm.refresh()
    let file = file
    try await inBackground {
      let other = try file.open()
      try other.write { other.object(ofType: Person.self, forPrimaryKey: "Ada")?.dog = nil }
    }
    realm.refresh()
    #expect(changed == ["dogName Rex nil"])
    token.invalidate()
  }

  @Test func anUnknownProjectedPropertyStopsTheProgram() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try LocalFile().open()
      let person = Person("Ada")
      try realm.write { realm.add(person) }
      _ = PersonCard(projecting: person).observe(keyPaths: ["age"]) { _ in }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("'age' is not a @Projected property of PersonCard"))
  }

  @Test func projectionsCanBeReferredTo() throws {
    let reference = ThreadSafeReference(to: try ada)
    #expect(realm.resolve(reference)?.title == "Ada")
    let ages = ThreadSafeReference(to: try ada.ages)
    #expect(realm.resolve(ages).map { Array($0) } == [5, 6])
  }

  @Test func descriptionsShowTheProjectedProperties() throws {
    let lines = try ada.description.split(separator: "\n")
    #expect(lines[0].hasPrefix("PersonCard<Person> <0x"))
    #expect(lines[1] == "\t\ttitle(\\.name) = Ada;" && lines[2] == "\tlength(\\.name) = 3;")
    #expect(lines[3] == "\tdogName(\\.dog.name) = Optional(\"Rex\");")
    #expect(lines.contains("\tages(\\.friends) = ProjectedCollection<Int> {"))
  }

  @Test func aProjectionOfAnotherPropertyStopsTheProgram() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = WrongCard(projecting: Person())
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("@Projected property 'invalid' must be a part of Realm object"))
  }
}

private class WrongCard: Projection<Person> {
  @Projected(\Person.isInvalidated) var invalid
}
