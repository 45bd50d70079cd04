// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@Suite struct ResultsTests {
  let folder = TemporaryFolder()
  let realm: TestRealm

  init() throws {
    realm = try TestRealm(path: folder.file("test.realm"))
    try realm.write {
      let ann = try realm.create("Person", .string("Ann"), ["age": .int(40)])
      let bob = try realm.create("Person", .string("Bob"), ["age": .int(30)])
      for number in 0..<20 {
        let task = try realm.create(
          "Task",
          .int(Int64(number)),
          ["name": .string("task \(number % 5)"), "progress": .int(Int64(number * 10))]
        )
        try task.set("owner", number % 3 == 0 ? .null : number % 2 == 0 ? ann.link : bob.link)
        if number % 4 == 0 { try task.list("tags").append(.string("urgent")) }
      }
    }
  }

  private func ids(_ results: TestResults) throws -> [Int64] {
    try results.values("_id").map {
      guard case .int(let id) = $0 else { return -1 }
      return id
    }
  }

  @Test func allObjectsComeInTheOrderOfInsertion() throws {
    #expect(try ids(realm.objects("Task")) == Array(0..<20))
    #expect(try realm.objects("Task").predicate == "TRUEPREDICATE")
  }

  @Test func filtersCombine() throws {
    let some = try realm.objects("Task").filter("progress >= $0", [.int(100)])
    #expect(try ids(some) == Array(10..<20))
    let fewer = try some.filter("name == $0 OR name == 'task 1'", [.string("task 0")])
    #expect(try ids(fewer) == [10, 11, 15, 16])
    #expect(fewer.predicate == #"progress >= 100 and (name == "task 0" or name == "task 1")"#)
  }

  @Test func queriesFollowLinksAndLists() throws {
    #expect(try ids(realm.objects("Task").filter("owner.age == 40")) == [2, 4, 8, 10, 14, 16])
    #expect(try ids(realm.objects("Task").filter("owner == NULL")) == [0, 3, 6, 9, 12, 15, 18])
    #expect(try ids(realm.objects("Task").filter("ANY tags == 'urgent'")) == [0, 4, 8, 12, 16])
    let ann = try #require(try realm.find("Person", .string("Ann")))
    #expect(try ids(realm.objects("Task").filter("owner == $0", [ann.link])) == [2, 4, 8, 10, 14, 16])
  }

  @Test func resultsAreSortedAndLimited() throws {
    #expect(try ids(realm.objects("Task").filter("progress > 150 SORT(progress DESC)")) == [19, 18, 17, 16])
    #expect(try ids(realm.objects("Task").filter("TRUEPREDICATE SORT(progress DESC) LIMIT(2)")) == [19, 18])
    let sorted = try realm.objects("Task").filter("progress < 60").sort("name", ascending: false)
    #expect(try ids(sorted) == [4, 3, 2, 1, 0, 5])
    #expect(try ids(realm.objects("Task").filter("_id < 5").sort("owner.age")) == [1, 2, 4, 0, 3])
    #expect(try realm.objects("Task").filter("TRUEPREDICATE DISTINCT(name)").count == 5)
    #expect(try realm.objects("Task").filter("TRUEPREDICATE LIMIT(3)").count == 3)
  }

  @Test func badQueriesAreRefused() throws {
    let tasks = try realm.objects("Task")
    expectFailure(.FLX_STATUS_QUERY_SYNTAX) { _ = try tasks.filter("progress ==") }
    expectFailure(.FLX_STATUS_QUERY_INVALID) { _ = try tasks.filter("colour == 1") }
    expectFailure(.FLX_STATUS_QUERY_INVALID) { _ = try tasks.filter("progress == 'x'") }
    expectFailure(.FLX_STATUS_QUERY_ARGUMENT) { _ = try tasks.filter("progress == $0") }
    expectFailure(.FLX_STATUS_QUERY_INVALID) { _ = try tasks.sort("colour") }
    expectFailure(.FLX_STATUS_QUERY_INVALID) { _ = try tasks.sort("tags") }
    expectFailure(.FLX_STATUS_QUERY_INVALID) { _ = try tasks.sort("") }
    expectFailure(.FLX_STATUS_QUERY_INVALID) { _ = try tasks.sort("name.length") }
    var results: OpaquePointer?
    #expect(flx_results_create(realm.handle, 999, &results, nil) == .FLX_STATUS_NO_SUCH_CLASS)
    let bad: [UInt8] = [0xC3, 0x28]
    bad.withUnsafeBytes {
      let query = flx_string_t(data: $0.baseAddress?.assumingMemoryBound(to: CChar.self), size: 2)
      #expect(flx_results_filter(tasks.handle, query, nil, 0, &results, nil) == .FLX_STATUS_INVALID_ARGUMENT)
    }
    "progress == $0".withC {
      #expect(flx_results_filter(tasks.handle, $0, nil, 1, &results, nil) == .FLX_STATUS_INVALID_ARGUMENT)
    }
    "progress == 1".withC { query in
      #expect(flx_results_filter(tasks.handle, query, nil, -1, &results, nil) == .FLX_STATUS_INVALID_ARGUMENT)
      let endless = flx_string_t(data: query.data, size: -1)
      #expect(
        flx_results_filter(tasks.handle, endless, nil, 0, &results, nil) == .FLX_STATUS_INVALID_ARGUMENT
      )
    }
    #expect(results == nil)
  }

  @Test func indexesAreChecked() throws {
    let tasks = try realm.objects("Task")
    expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { _ = try tasks.object(at: 20) }
    expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { _ = try tasks.object(at: -1) }
    let task = try #require(try realm.find("Task", .int(7)))
    #expect(try tasks.index(of: task) == 7)
    #expect(try tasks.filter("progress > 100").index(of: task) == nil)
    let ann = try #require(try realm.find("Person", .string("Ann")))
    #expect(try tasks.index(of: ann) == nil)
  }

  @Test func resultsAreLiveWithinAWriteTransaction() throws {
    let big = try realm.objects("Task").filter("progress >= 180")
    #expect(try big.count == 2)
    try realm.write {
      try realm.create("Task", .int(100), ["progress": .int(500)])
      #expect(try big.count == 3)
      try #require(try realm.find("Task", .int(19))).set("progress", .int(0))
      #expect(try ids(big) == [18, 100])
      try #require(try realm.find("Task", .int(18))).delete()
      #expect(try ids(big) == [100])
    }
    #expect(try ids(big) == [100])
  }

  @Test func changingObjectsWhileGoingThroughThemIsSeen() throws {
    let tasks = try realm.objects("Task")
    try realm.write {
      for index in 0..<(try tasks.count) {
        let task = try tasks.object(at: index)
        #expect(try task.get("_id") == .int(Int64(index)))
        try task.set("name", .string("n\(index)"))
        try task.add(1, to: "progress")
        #expect(try task.get("name") == .string("n\(index)"))
        #expect(try tasks.object(at: index).get("progress") == .int(Int64(index * 10 + 1)))
      }
    }
    #expect(try tasks.values("name") == (0..<20).map { .string("n\($0)") })
  }

  @Test func aLongScanGivesEveryRowOnce() throws {
    try realm.write {
      for number in 100..<1300 where number % 7 != 0 { try realm.create("Task", .int(Int64(number))) }
      // A gap in the rows.
      try realm.objects("Task").filter("_id BETWEEN {300, 700}").deleteAll()
    }
    let expected = Array(0..<20) + (Int64(100)..<1300).filter { $0 % 7 != 0 && !(300...700).contains($0) }
    #expect(try ids(realm.objects("Task")) == expected)
    #expect(try ids(realm.objects("Task").sort("_id", ascending: false)) == expected.reversed())
  }

  /// Rows of a scan are read with the properties that others were asked for: asking for another one must not matter.
  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func anyPropertyOfAnyObjectOfAScanIsRight(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    try realm.write {
      for number in 20..<200 {
        try realm.create("Task", .int(Int64(number)), ["progress": .int(Int64(number * 10))])
      }
    }
    let ann = try #require(try realm.find("Person", .string("Ann")))
    let properties = ["_id", "name", "progress", "owner"]
    let tasks = try realm.objects("Task")
    var kept: [TestObject] = []
    for index in 0..<200 {
      let task = try tasks.object(at: index)
      let same = try #require(try realm.find("Task", .int(Int64(index))))
      for name in properties.shuffled(using: &generator).prefix(index < 40 ? 1 : 3) {
        #expect(try task.get(name) == same.get(name), "seed \(seed), \(name) of \(index)")
      }
      if Bool.random(using: &generator) { kept.append(task) }
    }
    try realm.write {
      for task in kept.shuffled(using: &generator) {
        let name = properties.randomElement(using: &generator) ?? "_id"
        let before = try task.get(name)
        try task.set("owner", ann.link)
        try task.add(1, to: "progress")
        #expect(try task.get("owner") == ann.link)
        if name == "_id" || name == "name" { #expect(try task.get(name) == before) }
      }
    }
    for task in kept {
      guard case .int(let id) = try task.get("_id") else { throw UnexpectedValue() }
      #expect(try task.get("progress") == .int(id * 10 + 1))
    }
  }

  private struct UnexpectedValue: Error {}

  @Test func deletingAllEmptiesResults() throws {
    let some = try realm.objects("Task").filter("progress < 100")
    expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) { try some.deleteAll() }
    try realm.write { try some.deleteAll() }
    #expect(try some.count == 0)
    #expect(try ids(realm.objects("Task")) == Array(10..<20))
  }

  /// Tasks link to persons, and nothing links to tasks.
  @Test func deletingAllEndsObjectsAndLinksToThem() throws {
    let task = try #require(try realm.find("Task", .int(3)))
    let owned = try realm.objects("Task").filter("owner != nil")
    #expect(try owned.count > 0)
    try realm.write {
      try realm.objects("Person").deleteAll()
      #expect(try owned.count == 0)
      try realm.objects("Task").deleteAll()
      #expect(!task.isValid)
      try realm.create("Task", .int(3))
    }
    #expect(!task.isValid)
    #expect(try ids(realm.objects("Task")) == [3])
  }

  @Test func queriesOverLinksSeeChangesOfTheTarget() throws {
    let old = try realm.objects("Task").filter("owner.age > 35")
    #expect(try old.count == 6)
    try realm.write {
      try #require(try realm.find("Person", .string("Bob"))).set("age", .int(50))
      #expect(try old.count == 13)
      try #require(try realm.find("Person", .string("Ann"))).delete()
      #expect(try old.count == 7)
    }
  }
}
