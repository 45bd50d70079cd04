// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

extension Person {
  fileprivate var firstLetter: String? { name.first.map { String($0) } }
}

/// Results in sections.
@Suite struct SectionedResultsTests {
  let file: LocalFile
  let realm: Realm

  init() throws {
    file = try LocalFile()
    realm = try file.open()
    try realm.write { for name in ["Cleo", "Ada", "Carl", "Bob"] { realm.add(Person(name)) } }
  }

  private var sections: SectionedResults<String?, Person> {
    realm.objects(Person.self).sectioned(by: \.firstLetter)
  }

  private func names<Key>(_ sections: SectionedResults<Key, Person>) -> [[String]] {
    sections.map { $0.map(\.name) }
  }

  @Test func elementsWithTheSameKeyAreASection() {
    #expect(names(sections) == [["Ada"], ["Bob"], ["Carl", "Cleo"]])
    #expect(sections.allKeys == ["A", "B", "C"] && sections[2].key == "C" && sections[2].id == "C")
    #expect(sections[IndexPath(item: 1, section: 2)].name == "Cleo")
    let people = realm.objects(Person.self)
    #expect(
      names(people.sectioned(by: \.firstLetter, ascending: false)) == [["Cleo", "Carl"], ["Bob"], ["Ada"]]
    )
    let byName = [SortDescriptor(keyPath: "name"), SortDescriptor(keyPath: "age")]
    #expect(names(people.sectioned(by: \.firstLetter, sortDescriptors: byName)).count == 3)
    let byLength = people.sectioned(by: { $0.name.count }, sortDescriptors: byName)
    #expect(byLength.allKeys == [3, 4] && names(byLength) == [["Ada", "Bob"], ["Carl", "Cleo"]])
  }

  @Test func plainValuesHaveSections() throws {
    let lists = Lists()
    try realm.write {
      realm.add(lists)
      lists.ints.append(objectsIn: [4, 1, 3, 2])
    }
    let sections = lists.ints.sectioned(by: { $0 % 2 == 0 ? "even" : "odd" }, ascending: false)
    #expect(sections.allKeys == ["even", "odd"] && sections.map { Array($0) } == [[4, 2], [3, 1]])
    #expect(AnyRealmCollection(lists.ints).sectioned(by: { $0 }).count == 4)
  }

  @Test func sectionsFollowTheRealm() throws {
    let sections = sections
    let (bobs, others) = (sections[1], sections[2])
    try realm.write { realm.delete(bobs[0]) }
    #expect(bobs.isEmpty && bobs.isInvalidated && sections.count == 2)
    try realm.write { realm.add(Person("Chloe")) }
    #expect(others.map(\.name) == ["Carl", "Chloe", "Cleo"] && !others.isInvalidated)
    #expect(sections == sections && sections != self.sections && sections[1] == others)
  }

  @Test func observersLearnWhichSectionsAndElementsChange() throws {
    let sections = sections
    var changes: [SectionChange] = []
    let token = sections.observe { changes.append(SectionChange($0)) }
    realm.refresh()
    #expect(changes == [SectionChange()])

    // A section goes, another comes, and an element is inserted.
    try realm.write {
      realm.delete(sections[0][0])
      realm.add(Person("Dora"))
      realm.add(Person("Cecil"))
    }
    #expect(
      changes.last
        == SectionChange(insertions: [[1, 1], [2, 0]], insertedSections: [2], deletedSections: [0])
    )
    // An element is deleted, another modified.
    try realm.write {
      sections[0][0].age = 5
      realm.delete(sections[1][0])
    }
    #expect(changes.last == SectionChange(deletions: [[1, 0]], modifications: [[0, 0]]))
    token.invalidate()
  }

  @Test func anElementThatChangesItsSectionIsDeletedAndInserted() throws {
    let objects = realm.objects(Everything.self)
    try realm.write {
      for (id, int) in [(1, 1), (2, 1), (3, 2)] {
        realm.create(Everything.self, value: ["_id": id, "int": int])
      }
    }
    let sections = objects.sectioned(by: \.int)
    var change: SectionChange?
    let token = sections.observe { change = SectionChange($0) }
    realm.refresh()
    try realm.write { sections[0][1].int = 2 }
    #expect(change?.deletions == [[0, 1]] && change?.insertions.count == 1)
    #expect(change?.insertions.first?.first == 1 && sections.map(\.count) == [1, 2])
    token.invalidate()
  }

  @Test func observersOfASectionLearnOnlyOfIt() throws {
    let sections = sections
    var changes: [SectionChange] = []
    let token = sections[1].observe { changes.append(SectionChange($0)) }
    realm.refresh()
    try realm.write { sections[0][0].age = 1 }
    #expect(changes.count == 1)
    try realm.write { sections[1][0].age = 2 }
    #expect(changes.last == SectionChange(modifications: [[1, 0]]))
    try realm.write { realm.delete(sections[1][0]) }
    #expect(changes.last == SectionChange(deletedSections: [1]))
    try realm.write { realm.add(Person("Ben")) }
    #expect(changes.last == SectionChange(insertions: [[1, 0]], insertedSections: [1]) && changes.count == 4)
    token.invalidate()
  }

  @Test func keyPathsSayWhatIsAModification() throws {
    let sections = sections
    var changes: [SectionChange] = []
    let tokens = [
      sections[2].observe(keyPaths: ["age"]) { changes.append(SectionChange($0)) },
      sections[2].observe(keyPaths: [\.dog]) { changes.append(SectionChange($0)) },
      sections.observe(keyPaths: [\.age]) { changes.append(SectionChange($0)) },
    ]
    realm.refresh()
    changes = []
    try realm.write { sections[2][1].dog = Dog() }
    #expect(changes == [SectionChange(modifications: [[2, 1]])])
    try realm.write { sections[2][0].age = 1 }
    let age = SectionChange(modifications: [[2, 0]])
    #expect(Array(changes.dropFirst()) == [age, age])
    for token in tokens { token.invalidate() }
  }

  @Test func sectionsCanBeReferredTo() async throws {
    let sections = sections
    let (reference, section) = (ThreadSafeReference(to: sections), ThreadSafeReference(to: sections[2]))
    let file = file
    try await inBackground {
      let realm = try file.open()
      #expect(realm.resolve(reference)?.allKeys == ["A", "B", "C"])
      #expect(realm.resolve(section)?.map(\.name) == ["Carl", "Cleo"])
    }
  }
}

/// A change of sections, for comparison.
private struct SectionChange: Equatable {
  var deletions: [IndexPath] = []
  var insertions: [IndexPath] = []
  var modifications: [IndexPath] = []
  var insertedSections = IndexSet()
  var deletedSections = IndexSet()
}

extension SectionChange {
  init<Collection>(_ change: SectionedResultsChange<Collection>) {
    switch change {
    case .initial: self.init()
    case .update(_, let deletions, let insertions, let modifications, let inserted, let deleted):
      self.init(
        deletions: deletions,
        insertions: insertions,
        modifications: modifications,
        insertedSections: inserted,
        deletedSections: deleted
      )
    }
  }
}
