// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// What all collections of a realm have in common.
@Suite struct RealmCollectionTests {
  let file: LocalFile
  let realm: Realm
  let lists = Lists()
  let sets = Sets()
  let maps = Maps()

  init() throws {
    file = try LocalFile()
    realm = try file.open()
    try realm.write {
      realm.add(lists)
      realm.add(sets)
      realm.add(maps)
      for number in 1...3 {
        let object = Everything(number)
        object.int = number * 10
        object.optionalInt = number == 2 ? nil : number
        realm.add(object)
        lists.objects.append(object)
        sets.objects.insert(object)
        maps.objects["\(9 - number)"] = object
      }
    }
  }

  /// The numbers of the objects that each kind of collection gives.
  private func numbers<Objects: RealmCollection>(_ collection: Objects) -> [Int]
  where Objects.Element == Everything {
    collection.map(\._id)
  }

  /// The same, for code that names the type of the elements as the Realm Swift SDK does.
  private func erased<Objects: RealmCollection>(_ collection: Objects) -> AnyRealmCollection<Everything>
  where Objects.ElementType == Everything {
    AnyRealmCollection(collection)
  }

  // MARK: Objects

  private func check<Objects: RealmCollection>(_ collection: Objects) where Objects.Element == Everything {
    #expect(numbers(collection.where { $0.int > 10 }) == [2, 3])
    #expect(numbers(collection.filter("int > 10 SORT(int DESC)")) == [3, 2])
    #expect(numbers(collection.sorted(by: \.int, ascending: false)) == [3, 2, 1])
    #expect(numbers(collection.sorted(by: [SortDescriptor(keyPath: \Everything.optionalInt)])) == [2, 1, 3])
    #expect(collection.distinct(by: [\.bool]).count == 1)
    #expect(collection.min(of: \.int) == 10 && collection.max(ofProperty: "int") == 30)
    #expect(collection.sum(of: \.int) == 60 && collection.average(of: \.int) == 20)
    #expect(collection.sum(ofProperty: "optionalInt") as NSNumber == 4)
    #expect(collection.index(matching: "int == 20") == 1)
    #expect(collection.index(matching: { $0.int == 50 }) == nil)
    #expect(collection.objects(at: [0, 2]).map(\._id) == [1, 3])
    #expect(collection.index(of: collection[2]) == 2)
    #expect(collection.first == collection[0] && collection.last == collection[2])
    #expect(!collection.isInvalidated && collection.realm == realm)
  }

  @Test func allCollectionsOfObjectsCanBeQueriedSortedAndAggregated() {
    check(realm.objects(Everything.self))
    check(lists.objects)
    check(sets.objects)
    check(erased(lists.objects))
    check(AnyRealmCollection(AnyRealmCollection(realm.objects(Everything.self))))
  }

  @Test func aggregatesNeedNoRealm() {
    let list = List<Everything>()
    #expect(list.min(of: \.int) == nil && list.sum(ofProperty: "int") == 0)
    list.append(objectsIn: [Everything(1), Everything(4)])
    #expect(list.max(of: \._id) == 4 && list.average(ofProperty: "_id") == 2.5)
  }

  @Test func totalsOfValuesOfAnyTypeAreDecimals() {
    let list: List<AnyRealmValue> = [.int(1), .double(1.5), .none]
    #expect(list.sum() == .decimal128(2.5) && list.average() == AnyRealmValue.decimal128(1.25))
    #expect(list.average() == 1.25 && list.max() == .double(1.5) && list.min() == .int(1))
    #expect(List<AnyRealmValue>().sum() == .int(0) && List<AnyRealmValue>().average() as Double? == nil)
  }

  @Test func keyPathsLeadThroughLinks() throws {
    try realm.write {
      for (index, object) in lists.objects.enumerated() { object.link = lists.objects[2 - index] }
    }
    let descriptor = SortDescriptor(keyPath: \Everything.link?.int)
    #expect(descriptor.keyPath == "link.int" && descriptor.reversed().ascending == false)
    #expect("\(descriptor)" == "SortDescriptor(keyPath: link.int, direction: ascending)")
    #expect(numbers(realm.objects(Everything.self).sorted(by: [descriptor])) == [3, 2, 1])
    #expect(numbers(lists.objects.sorted(by: ["_id"])) == [1, 2, 3])
  }

  @Test func mapsOfObjectsCanBeQueriedSortedAndAggregated() throws {
    let map = maps.objects
    #expect(map.filter("int >= 20").map { $0?._id } == [3, 2])
    #expect(map.where { $0.int < 20 }.first??._id == 1)
    #expect(map.sorted(by: \.int).map { $0?._id } == [1, 2, 3])
    #expect(map.sorted(byKeyPath: "int", ascending: false)[0]?._id == 3)
    #expect(map.min(of: \.int) == 10 && map.max(of: \.int) == 30 && map.average(of: \.int) == 20)
    #expect(map.contains { key, value in key == "7" && value?._id == 2 })
    let results = map.filter("int >= 20")
    try realm.write { map["6"] = nil }
    #expect(results.map { $0?._id } == [2])
  }

  // MARK: Plain values

  @Test func plainValuesAreSortedAndKeptOnce() throws {
    try realm.write {
      lists.ints.append(objectsIn: [3, 1, 2, 3])
      lists.optionalStrings.append(objectsIn: ["b", nil, "a"])
      sets.ints.insert(objectsIn: [5, 4])
      maps.strings.merge([("k", "z"), ("l", "y")].map { (key: $0.0, value: $0.1) }) { $1 }
    }
    #expect(Array(lists.ints.sorted(ascending: false)) == [3, 3, 2, 1])
    #expect(Array(lists.ints.distinct()) == [3, 1, 2])
    #expect(Array(lists.ints.distinct().sorted(byKeyPath: "self")) == [1, 2, 3])
    #expect(Array(lists.optionalStrings.sorted(ascending: true)) == [nil, "a", "b"])
    #expect(Array(sets.ints.sorted(by: [SortDescriptor(keyPath: "self", ascending: false)])) == [5, 4])
    #expect(Array(maps.strings.sorted(ascending: true)) == ["y", "z"])
    #expect(Array(AnyRealmCollection(lists.ints).sorted(ascending: true)) == [1, 2, 3, 3])
    #expect(lists.ints.sorted(ascending: true).max() == 3 && lists.ints.distinct().sum() == 6)
    #expect(lists.ints.sorted(ascending: true).index(of: 2) == 1)
  }

  @Test func sortedPlainValuesFollowTheCollection() throws {
    try realm.write { lists.ints.append(objectsIn: [3, 1]) }
    let sorted = lists.ints.sorted(ascending: true)
    var updates: [(deletions: [Int], insertions: [Int])] = []
    let token = sorted.observe { change in
      if case .update(_, let deletions, let insertions, _) = change {
        updates.append((deletions, insertions))
      }
    }
    realm.refresh()
    try realm.write {
      #expect(Array(sorted) == [1, 3])
      lists.ints.append(2)
      #expect(Array(sorted) == [1, 2, 3])
    }
    try realm.write { lists.ints.remove(at: 0) }
    #expect(Array(sorted) == [1, 2] && updates.count == 2)
    #expect(updates[0].insertions == [1] && updates[1].deletions == [2])
    realm.beginWrite()
    lists.ints.removeAll()
    #expect(sorted.isEmpty)
    realm.cancelWrite()
    #expect(Array(sorted) == [1, 2])
    token.invalidate()
  }

  @Test func sortedPlainValuesFollowOtherRealmsAndReferences() async throws {
    let sorted = lists.ints.sorted(ascending: true)
    #expect(sorted.isEmpty)
    let reference = try await inBackground { [file] in
      let other = try file.open()
      let list = try #require(other.objects(Lists.self).first)
      try other.write { list.ints.append(objectsIn: [2, 1]) }
      return ThreadSafeReference(to: list)
    }
    #expect(realm.resolve(reference)?.ints.count == 2)
    #expect(Array(sorted) == [1, 2])
  }

  @Test func sortedMapValuesAreObserved() throws {
    var count = 0
    let sorted = maps.ints.sorted(ascending: true)
    let token = sorted.observe {
      count = if case .update(let results, _, _, _) = $0 { results.count } else { 0 }
    }
    realm.refresh()
    try realm.write { maps.ints["a"] = 1 }
    #expect(count == 1)
    token.invalidate()
  }

  @Test func loopsOverLinkingObjectsMayChangeThem() throws {
    let ada = Contact(1)
    try realm.write {
      realm.add(ada)
      for id in 2...4 { realm.create(Contact.self, value: ["_id": id, "friend": ada]) }
      for contact in ada.friendOf { contact.friend = nil }
    }
    #expect(ada.friendOf.isEmpty)
    try realm.write { for contact in realm.objects(Contact.self) { contact.friend = ada } }
    let any = AnyRealmCollection(ada.friendOf)
    #expect(any.where { $0._id > 2 }.count == 2 && any.sorted(byKeyPath: "_id", ascending: false)[0]._id == 4)
    try realm.write { for contact in any { realm.delete(contact) } }
    #expect(any.isEmpty && ada.isInvalidated)
  }

  // MARK: Identity

  @Test func collectionsAreEqualIfTheyAreTheSame() throws {
    let results = realm.objects(Everything.self)
    #expect(results == results && results != realm.objects(Everything.self))
    let same = try #require(realm.objects(Lists.self).first)
    #expect(lists.ints == same.ints && lists.ints !== same.ints)
    #expect(maps.ints == (try #require(realm.objects(Maps.self).first)).ints)
    try realm.write { realm.create(Lists.self, value: ["_id": 5]) }
    #expect(lists.ints != (try #require(realm.object(ofType: Lists.self, forPrimaryKey: 5))).ints)
    #expect(AnyRealmCollection(lists.ints) == AnyRealmCollection(same.ints))
    #expect(AnyRealmCollection(results) != AnyRealmCollection(lists.objects))
  }

  @Test func collectionsOutsideOfRealmsAreEqualIfTheirElementsAre() {
    let (first, second) = (List<Int>(), List<Int>())
    #expect(first == second)
    first.append(1)
    #expect(first != second && first != lists.ints)
    let (left, right): (Map<String, Int>, Map<String, Int>) = (["a": 1], ["a": 2])
    #expect(left != right)
    right["a"] = 1
    #expect(left == right)
  }

  @Test func descriptionsShowTheElements() throws {
    try realm.write {
      lists.ints.append(objectsIn: 1...102)
      maps.strings["k"] = "v"
    }
    let text = lists.ints.description
    #expect(text.hasPrefix("List<int> <0x") && text.contains("> (\n\t[0] 1,\n\t[1] 2,\n"))
    #expect(text.hasSuffix("\t[99] 100\n\t... 2 objects skipped.\n)"))
    #expect(maps.strings.description.hasSuffix("> (\n[k]: v\n)"))
    #expect(realm.objects(Everything.self).description.hasPrefix("Results<Everything> <0x"))
    #expect(AnyRealmCollection(sets.datas).description.hasPrefix("AnyRealmCollection<data> <0x"))
  }

  // MARK: AnyRealmCollection

  @Test func anyCollectionCanBeObservedAndReferredTo() throws {
    let any = AnyRealmCollection(lists.objects)
    var counts: [Int] = []
    let token = any.observe {
      if case .update(let collection, _, _, _) = $0 { counts.append(collection.count) }
    }
    realm.refresh()
    try realm.write { lists.objects.removeLast() }
    #expect(counts == [2])
    #expect(realm.resolve(ThreadSafeReference(to: any)).map(numbers) == [1, 2])
    token.invalidate()
  }

  // MARK: Offsets

  @Test(arguments: [
    ([0], 3, [2, 3, 1, 4]), ([3], 0, [4, 1, 2, 3]), ([0, 2], 4, [2, 4, 1, 3]), ([1, 3], 0, [2, 4, 1, 3]),
    ([0, 3], 2, [2, 1, 4, 3]), ([1], 1, [1, 2, 3, 4]),
  ])
  func elementsAreMovedByOffsets(_ offsets: [Int], _ destination: Int, _ expected: [Int]) throws {
    try realm.write {
      lists.ints.append(objectsIn: 1...4)
      lists.ints.move(fromOffsets: IndexSet(offsets), toOffset: destination)
    }
    #expect(Array(lists.ints) == expected)
    try realm.write { lists.ints.remove(atOffsets: [0, 3]) }
    #expect(Array(lists.ints) == Array(expected[1...2]))
  }
}
