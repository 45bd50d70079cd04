// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation
import Testing

/// Conditions in Swift and in Realm Query Language, orders, and live results.
@Suite struct QueryTests {
  let file: LocalFile
  let realm: Realm
  let all: Results<Task>

  init() throws {
    file = try LocalFile()
    realm = try file.open()
    all = realm.objects(Task.self)
    try realm.write {
      realm.add(Task("write", assignee: "Ada", completed: true, minutes: 120))
      realm.add(Task("review", assignee: "Grace", minutes: 60))
      realm.add(Task("publish", assignee: nil, minutes: 0))
      realm.add(Task("Rewrite", assignee: "Ada", minutes: 240))
    }
  }

  private func names(_ condition: (Query<Task>) -> Query<Bool>) -> [String] {
    all.where(condition).map(\.taskName)
  }

  @Test func subqueriesCountTheObjectsOfASet() throws {
    let sets = Sets()
    sets.objects.insert(objectsIn: (1...3).map { Everything(value: ["_id": $0, "int": $0]) })
    try realm.write { realm.add([sets, Sets(value: ["_id": 9])] as [Object]) }
    let found = realm.objects(Sets.self)
    #expect(found.where { ($0.objects.int > 1).count == 2 }.map(\._id) == [0])
    #expect(
      found.filter("SUBQUERY(objects, $x, $x.int > 1 AND $x.string LIKE[d] '*').@count == 0").first?._id == 9
    )
  }

  @Test func accentsCanBeIgnored() throws {
    try realm.write { realm.add([Task("Café", assignee: "cafe"), Task("CAFÉ au lait"), Task("Cafeteria")]) }
    let options: StringOptions = [.caseInsensitive, .diacriticInsensitive]
    #expect(realm.objects(Task.self).where { $0.taskName.contains("cafe", options: options) }.count == 3)
    #expect(
      realm.objects(Task.self).where { $0.taskName.equals("Cafe", options: .diacriticInsensitive) }.count == 1
    )
    #expect(realm.objects(Task.self).where { $0.taskName.equals($0.assignee, options: options) }.count == 1)
    #expect(realm.objects(Task.self).filter("taskName =[cd] 'CAFE\u{301}'").count == 1)
    #expect(realm.objects(Task.self).filter("taskName LIKE[d] %@ && completed == false", "Cafe*").count == 2)
    #expect(realm.objects(Task.self).filter("taskName BEGINSWITH[c] %@", "cafe").count == 1)
  }

  @Test func comparisonsSelectObjects() {
    #expect(names { $0.progressMinutes == 60 } == ["review"])
    #expect(names { $0.progressMinutes != 60 } == ["write", "publish", "Rewrite"])
    #expect(names { $0.progressMinutes > 60 } == ["write", "Rewrite"])
    #expect(names { $0.progressMinutes >= 60 } == ["write", "review", "Rewrite"])
    #expect(names { $0.progressMinutes < 60 } == ["publish"])
    #expect(names { $0.progressMinutes <= 60 } == ["review", "publish"])
    #expect(names { $0.assignee == nil } == ["publish"])
    #expect(names { $0.assignee != nil } == ["write", "review", "Rewrite"])
    #expect(names { $0.assignee == "Ada" } == ["write", "Rewrite"])
  }

  @Test func conditionsCombine() {
    #expect(names { $0.completed } == ["write"])
    #expect(names { !$0.completed } == ["review", "publish", "Rewrite"])
    #expect(names { $0.completed && $0.progressMinutes > 100 } == ["write"])
    #expect(names { $0.completed || $0.assignee == nil } == ["write", "publish"])
    #expect(names { !($0.completed || $0.assignee == nil) } == ["review", "Rewrite"])
    #expect(
      names { $0.completed == false && ($0.assignee == "Ada" || $0.progressMinutes == 0) } == [
        "publish", "Rewrite",
      ]
    )
  }

  @Test func rangesAndSetsOfValuesSelectObjects() {
    #expect(names { $0.progressMinutes.contains(60...120) } == ["write", "review"])
    #expect(names { $0.progressMinutes.contains(60..<120) } == ["review"])
    #expect(names { $0.taskName.in(["review", "publish", "sleep"]) } == ["review", "publish"])
    #expect(names { $0.assignee.in(["Grace", nil]) } == ["review", "publish"])
    #expect(names { $0.taskName.in([]) }.isEmpty)
  }

  @Test func textSelectsObjects() {
    #expect(names { $0.taskName.contains("write") } == ["write", "Rewrite"].filter { $0.contains("write") })
    #expect(names { $0.taskName.contains("REW", options: .caseInsensitive) } == ["Rewrite"])
    #expect(names { $0.taskName.starts(with: "re") } == ["review"])
    #expect(names { $0.taskName.ends(with: "ish") } == ["publish"])
    #expect(names { $0.taskName.like("re*w") } == ["review"])
    #expect(names { $0.taskName.like("?UBLISH", caseInsensitive: true) } == ["publish"])
    #expect(names { $0.taskName.equals("WRITE", options: .caseInsensitive) } == ["write"])
    #expect(names { $0.assignee.contains("d") } == ["write", "Rewrite"])
  }

  @Test func argumentsMayHoldQuotesAndOperators() throws {
    try realm.write { realm.add(Task("it's \"quoted\" && $0 %@ \\")) }
    #expect(names { $0.taskName == "it's \"quoted\" && $0 %@ \\" }.count == 1)
    #expect(all.filter("taskName == %@", "it's \"quoted\" && $0 %@ \\").count == 1)
  }

  @Test func queryTextTakesArgumentsInBothNotations() throws {
    #expect(all.filter("progressMinutes > $0 AND assignee == $1", 100, "Ada").count == 2)
    #expect(all.filter("progressMinutes > %d AND assignee == %@", 100, "Ada").count == 2)
    #expect(all.filter("%K == %@ OR taskName == '%@'", "completed", true).count == 1)
    #expect(all.filter("taskName IN %@", ["write", "review"]).count == 2)
    #expect(all.filter("assignee == %@", NSNull()).count == 1)
    #expect(all.filter("completed == true").count == 1)
    #expect(try all.filtered(by: "progressMinutes BETWEEN {$0, $1}", 50, 130).count == 2)
  }

  @Test func collectionsAreArgumentsOfTexts() throws {
    let names = ["write", "review", "nothing"]
    let lists: [Any] = [
      names, Set(names), names[...], names as NSArray, NSSet(array: names),
      names.map { $0 as String? } + [nil],
      [NSNull()] + names as [Any], names.map { AnyRealmValue.string($0) }, names as [Any],
      names as [String]? as Any,
      AnySequence(names),
    ]
    for list in lists {
      #expect(all.filter("taskName IN %@", list).count == 2, "\(type(of: list))")
      #expect(all.filter("taskName IN $0", list).count == 2, "\(type(of: list))")
      #expect(try all.filtered(by: "ANY $0 == taskName", list).count == 2, "\(type(of: list))")
      #expect(
        try all.filtered(by: "taskName IN %@ AND completed == %@", list, false).count == 1,
        "\(type(of: list))"
      )
      #expect(
        all.filter(NSPredicate(format: "NOT taskName IN %@", list)).count == all.count - 2,
        "\(type(of: list))"
      )
      #expect(all.index(matching: "taskName IN %@", list) == all.index(matching: "taskName IN $0", names))
    }
    #expect(
      all.filter("assignee IN %@", [NSNull()]).count == 1
        && all.filter("assignee IN $0", [nil as String?]).count == 1
    )
    #expect(
      all.filter("taskName IN %@", [String]()).isEmpty && all.filter("taskName IN $0", Set<String>()).isEmpty
    )
    #expect(all.filter("progressMinutes BETWEEN %@", [50, 130]).count == 2)
  }

  @Test func objectsAndLiveCollectionsAreArgumentsOfTexts() throws {
    let (ada, bob) = (Person("Ada", age: 36), Person("Bob", age: 20))
    ada.friends.append(bob)
    try realm.write { realm.add(ada) }
    let persons = realm.objects(Person.self)
    let lists: [Any] = [[bob], ada.friends, persons.where { $0.age < 30 }, [bob] as NSArray, Set([bob])]
    for list in lists {
      #expect(persons.filter("ANY friends IN %@", list).map(\.name) == ["Ada"], "\(type(of: list))")
      #expect(persons.filter("ANY friends IN $0", list).map(\.name) == ["Ada"], "\(type(of: list))")
    }
  }

  @Test func argumentsOfTextsWithPercentSignsKeepTheirNumbers() throws {
    #expect(all.filter("taskName IN $0 AND NOT taskName CONTAINS '50%'", ["write", "review"]).count == 2)
    #expect(
      try all.filtered(by: "taskName IN $0 AND taskName != '%@' AND assignee == $1", ["write"], "Ada").count
        == 1
    )
  }

  @Test func queryTextFromElsewhereThrowsWhatIsWrong() {
    let syntax = #expect(throws: Realm.Error.self) { try all.filtered(by: "progressMinutes >") }
    #expect(syntax?.code == .invalidQuery)
    let unknown = #expect(throws: Realm.Error.self) { try all.filtered(by: "progress > 1") }
    #expect(unknown?.code == .invalidQuery)
    #expect(unknown?.message.contains("progress") == true)
    #expect(throws: Realm.Error.self) { try all.filtered(by: "progressMinutes > $0") }
    #expect(throws: Realm.Error.self) { try all.filtered(by: "progressMinutes > $0", "text") }
  }

  @Test func filtersAddUp() {
    let mine = all.where { $0.assignee == "Ada" }
    #expect(mine.where { $0.completed }.map(\.taskName) == ["write"])
    #expect(mine.filter("progressMinutes > 200").map(\.taskName) == ["Rewrite"])
  }

  @Test func predicatesAreShownAsText() {
    let results = all.where { $0.completed == true && $0.progressMinutes > 120 }
    #expect(results.predicateText == "completed == true and progressMinutes > 120")
    #expect(all.predicateText == "TRUEPREDICATE")
    #expect(all.sorted(byKeyPath: "taskName").predicateText == "TRUEPREDICATE")
  }

  @Test func resultsAreSorted() {
    #expect(all.sorted(byKeyPath: "taskName").map(\.taskName) == ["Rewrite", "publish", "review", "write"])
    #expect(all.sorted(by: \.progressMinutes, ascending: false).map(\.progressMinutes) == [240, 120, 60, 0])
    let both = all.sorted(by: [
      SortDescriptor(keyPath: "assignee"), SortDescriptor(keyPath: "progressMinutes", ascending: false),
    ])
    #expect(both.map(\.taskName) == ["publish", "Rewrite", "write", "review"])
    #expect(
      all.sorted(byKeyPath: "progressMinutes").where { $0.assignee == "Ada" }.map(\.taskName) == [
        "write", "Rewrite",
      ]
    )
  }

  @Test func distinctKeepsOneObjectOfEachValue() {
    #expect(all.distinct(by: ["assignee"]).count == 3)
  }

  @Test func aggregatesGoOverTheProperty() {
    #expect(all.sum(of: \.progressMinutes) == 420)
    #expect(all.min(of: \.progressMinutes) == 0)
    #expect(all.max(of: \.progressMinutes) == 240)
    #expect(all.average(of: \.progressMinutes) == 105)
    #expect(all.where { $0.taskName == "none" }.average(of: \.progressMinutes) == nil)
    #expect(all.min(ofProperty: "progressMinutes") == 0)
    #expect(all.max(ofProperty: "progressMinutes") == 240)
    #expect(all.sum(ofProperty: "progressMinutes") == 420)
    #expect(all.average(ofProperty: "progressMinutes") == 105)
    #expect(all.min(of: \.dueDate) == all.map(\.dueDate).min())
  }

  @Test func aggregatesSkipNil() throws {
    let realm = try file.open()
    try realm.write {
      for number in 1...3 {
        let object = Everything()
        object._id = number
        object.optionalInt = number == 2 ? nil : number
        object.float = Float(number) + 0.5
        realm.add(object)
      }
    }
    let objects = realm.objects(Everything.self)
    #expect(objects.min(of: \.optionalInt) == 1)
    #expect(objects.max(of: \.optionalInt) == 3)
    #expect(objects.sum(of: \.optionalInt) == 4)
    #expect(objects.average(of: \.optionalInt) == 2)
    #expect(objects.sum(of: \.float) == 7.5)
    #expect(objects.average(ofProperty: "float") == Float(2.5))
  }

  @Test(arguments: [Int.max, Int.min]) func theAverageOfTheGreatestIntegersIsOne(number: Int) throws {
    let realm = try file.open()
    try realm.write {
      let object = Everything()
      object.optionalInt = number
      realm.add(object)
    }
    let average: Int? = realm.objects(Everything.self).average(ofProperty: "optionalInt")
    #expect(average == number)
  }

  @Test func objectsAreFoundByCondition() {
    let sorted = all.sorted(byKeyPath: "progressMinutes", ascending: false)
    #expect(sorted.index(matching: "assignee == 'Ada'") == 0)
    #expect(sorted.index(matching: "progressMinutes < $0", 100) == 2)
    #expect(sorted.index(matching: { $0.taskName == "publish" }) == 3)
    #expect(sorted.index(matching: "FALSEPREDICATE") == nil)
    #expect(sorted.index(matching: { $0.taskName == "none" }) == nil)
  }

  @Test func resultsAreLimitedAndExplained() {
    #expect(all.sorted(byKeyPath: "progressMinutes").limit(2).map(\.progressMinutes) == [0, 60])
    #expect(all.explanation.hasPrefix("SELECT t0.flx_row FROM \"Task\""))
  }

  @Test func resultsAreLive() throws {
    let open = all.where { !$0.completed }
    #expect(open.count == 3)
    try realm.write { open[0].completed = true }
    #expect(open.count == 2)
    try realm.write { realm.add(Task("new")) }
    #expect(open.count == 3 && open.last?.taskName == "new")
    #expect(open.index(of: all[3]) == 1)
    #expect(open.index(of: all[0]) == nil)
  }

  @Test func uncommittedChangesAreSeenWithinTheTransaction() throws {
    try realm.write {
      realm.add(Task("new", minutes: 500))
      #expect(all.where { $0.progressMinutes > 400 }.count == 1)
      realm.delete(all.where { $0.progressMinutes < 100 })
      #expect(all.count == 3)
    }
    #expect(all.count == 3)
  }

  @Test func aLoopMayChangeAndDeleteWhatItGoesOver() throws {
    try realm.write { for task in all.where({ !$0.completed }) { task.completed = true } }
    #expect(all.where { !$0.completed }.isEmpty)
    for task in all.where({ $0.completed }) { try realm.write { task.completed = false } }
    #expect(all.where { $0.completed }.isEmpty)
    try realm.write { for task in all { realm.delete(task) } }
    #expect(all.isEmpty)
  }
}
