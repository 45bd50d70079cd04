// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Testing

/// What observers of lists, sets and maps are told.
@Suite struct CollectionObservationTests {
  let realm: Realm
  let lists = Lists()
  let sets = Sets()
  let maps = Maps()

  init() throws {
    realm = try LocalFile().open()
    try realm.write {
      realm.add(lists)
      realm.add(sets)
      realm.add(maps)
    }
  }

  /// The changes as texts: deletions, insertions and modifications.
  private final class Log {
    private var lines: [String] = []

    func note<Collection>(_ change: RealmCollectionChange<Collection>) {
      switch change {
      case .initial: lines.append("initial")
      case .update(_, let deletions, let insertions, let modifications):
        lines.append("-\(deletions) +\(insertions) ~\(modifications)")
      case .error(let error): lines.append("\(error)")
      }
    }

    func note<Value>(_ change: RealmMapChange<Map<String, Value>>) {
      switch change {
      case .initial: lines.append("initial")
      case .update(_, let deletions, let insertions, let modifications):
        lines.append("-\(deletions.joined()) +\(insertions.joined()) ~\(modifications.joined())")
      case .error(let error): lines.append("\(error)")
      }
    }

    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  @Test func settingAnElementToWhatItIsChangesTheObjectButNotTheCollection() throws {
    let object = Everything(1)
    try realm.write {
      lists.strings.append(objectsIn: ["a", "b"])
      lists.objects.append(object)
      maps.strings["k"] = "a"
      maps.objects["k"] = object
    }
    let log = Log()
    var changed: [String] = []
    let tokens = [
      lists.strings.observe { log.note($0) }, lists.objects.observe { log.note($0) },
      maps.strings.observe { log.note($0) },
      maps.objects.observe { log.note($0) },
      lists.observe { if case .change(_, let properties) = $0 { changed += properties.map(\.name) } },
      maps.observe { if case .change(_, let properties) = $0 { changed += properties.map(\.name) } },
    ]
    realm.refresh()
    _ = log.take()
    try realm.write { lists.strings[1] = "b" }
    try realm.write { maps.strings["k"] = "a" }
    try realm.write { lists.objects[0] = object }
    try realm.write { maps.objects["k"] = object }
    #expect(changed == ["strings", "strings", "objects", "objects"])
    #expect(log.take() == [])
    for token in tokens { token.invalidate() }
  }

  @Test func listsReportElementsByIndex() throws {
    let log = Log()
    let token = lists.strings.observe { log.note($0) }
    realm.refresh()
    #expect(log.take() == ["initial"])
    try realm.write { lists.strings.append(objectsIn: ["a", "b", "b", "c"]) }
    #expect(log.take() == ["-[] +[0, 1, 2, 3] ~[]"])
    try realm.write { lists.strings[1] = "x" }
    #expect(log.take() == ["-[] +[] ~[1]"])
    try realm.write { lists.strings.move(from: 0, to: 3) }
    #expect(log.take() == ["-[0] +[3] ~[]"])
    try realm.write {
      lists.strings.remove(at: 0)
      lists.strings.insert("n", at: 2)
    }
    #expect(log.take() == ["-[0] +[2] ~[]"])
    try realm.write { lists.ints.append(1) }
    #expect(log.take() == [])
    try realm.write { realm.delete(lists) }
    #expect(log.take() == ["-[0, 1, 2, 3] +[] ~[]"])
    token.invalidate()
  }

  @Test func collectionsOfObjectsReportTheirChanges() throws {
    let log = Log()
    let objects = [Everything(1), Everything(2)]
    try realm.write {
      lists.objects.append(objectsIn: objects)
      sets.objects.insert(objectsIn: objects)
      maps.objects["k"] = objects[1]
    }
    let tokens = [
      lists.objects.observe { log.note($0) }, sets.objects.observe { log.note($0) },
      maps.objects.observe { log.note($0) },
    ]
    realm.refresh()
    #expect(log.take() == ["initial", "initial", "initial"])
    try realm.write { objects[1].int = 5 }
    #expect(log.take() == ["-[] +[] ~[1]", "-[] +[] ~[1]", "- + ~k"])
    try realm.write { realm.delete(objects[1]) }
    #expect(log.take() == ["-[1] +[] ~[]", "-[1] +[] ~[]", "- + ~k"])
    for token in tokens { token.invalidate() }
  }

  @Test func setsAndMapsReportWhatCameAndWent() throws {
    let log = Log()
    let tokens = [sets.ints.observe { log.note($0) }, maps.ints.observe { log.note($0) }]
    realm.refresh()
    #expect(log.take() == ["initial", "initial"])
    try realm.write {
      sets.ints.insert(objectsIn: [5, 1])
      maps.ints["b"] = 1
      maps.ints["a"] = 1
    }
    #expect(log.take() == ["-[] +[0, 1] ~[]", "- +ab ~"])
    try realm.write {
      sets.ints.remove(1)
      sets.ints.insert(7)
      maps.ints["b"] = 2
      maps.ints["a"] = nil
      maps.ints["c"] = 3
    }
    #expect(log.take() == ["-[0] +[1] ~[]", "-a +c ~b"])
    tokens[0].invalidate()
    try realm.write { maps.ints["c"] = 3 }
    #expect(log.take() == [])
    tokens[1].invalidate()
  }
}
