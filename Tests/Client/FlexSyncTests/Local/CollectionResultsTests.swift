// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Testing

/// Queries on the objects of lists and sets.
@Suite struct CollectionResultsTests {
  let realm: Realm
  let lists = Lists()
  let sets = Sets()

  init() throws {
    realm = try LocalFile().open()
    try realm.write {
      realm.add(lists)
      realm.add(sets)
      for number in 1...6 {
        let object = Everything(number)
        object.int = number % 3
        realm.add(object)
        if number > 1 { lists.objects.insert(object, at: 0) }
        if number < 5 { sets.objects.insert(object) }
      }
      lists.objects.append(lists.objects[0])
    }
  }

  @Test func theOrderOfTheListAndRepetitionsStay() {
    #expect(lists.objects.map(\._id) == [6, 5, 4, 3, 2, 6])
    #expect(lists.objects.where { $0.int == 0 }.map(\._id) == [6, 3, 6])
    #expect(lists.objects.filter("int > 0 AND _id > $0", 2).map(\._id) == [5, 4])
    #expect(sets.objects.where { $0.int != 1 }.map(\._id) == [2, 3])
  }

  @Test func sortingAndLimitsCountWithinTheCollection() {
    let sorted = lists.objects.sorted(by: [SortDescriptor(keyPath: "int"), SortDescriptor(keyPath: "_id")])
    #expect(sorted.map(\._id) == [3, 6, 4, 2, 5])
    #expect(sorted.where { $0.int == 2 }.map(\._id) == [2, 5])
    #expect(lists.objects.filter("TRUEPREDICATE SORT(_id ASC) LIMIT(2)").map(\._id) == [2, 3])
    #expect(sets.objects.sorted(byKeyPath: "_id", ascending: false).map(\._id) == [4, 3, 2, 1])
  }

  @Test func resultsFollowTheCollection() throws {
    var changes = 0
    let found = lists.objects.where { $0.int == 0 }
    let token = found.observe { if case .update = $0 { changes += 1 } }
    realm.refresh()
    try realm.write { lists.objects.remove(at: 0) }
    #expect(found.map(\._id) == [3, 6] && changes == 1)
    try realm.write { lists.objects[0].int = 0 }
    #expect(found.map(\._id) == [5, 3, 6] && changes == 2)
    try realm.write { realm.delete(lists.objects[0]) }
    #expect(found.map(\._id) == [3, 6] && changes == 3)
    try realm.write { lists.strings.append("a") }
    #expect(changes == 3)
    try realm.write { realm.delete(lists) }
    #expect(found.isEmpty && changes == 4)
    token.invalidate()
  }
}
