// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

/// Results so large that their objects are read in batches, from one open statement or while they are counted.
@Suite struct ReadingInSequenceTests {
  private static let taskCount = 700
  let folder = TemporaryFolder()
  let realm: TestRealm

  init() throws {
    realm = try TestRealm(path: folder.file("test.realm"))
    try realm.write {
      for number in 0..<Self.taskCount {
        try realm.create("Task", .int(Int64(number)), values(number))
      }
    }
  }

  private func values(_ number: Int) -> [String: Cell] {
    [
      "progress": .int(Int64(number % 10)), "name": .string("task \(number)"),
      "isDone": .bool(number % 2 == 0),
    ]
  }

  /// The ids that a condition on the number of a task selects.
  private func ids(where isIncluded: (Int) -> Bool) -> [Cell] {
    (0..<Self.taskCount).filter(isIncluded).map { .int(Int64($0)) }
  }

  @Test(arguments: ["TRUEPREDICATE", "progress < 5", "isDone == true", "isDone == true OR progress == 3"])
  func objectsComeInTheOrderOfInsertionHoweverOftenTheyAreRead(_ query: String) throws {
    let expected = ids { number in
      switch query {
      case "progress < 5": number % 10 < 5
      case "isDone == true": number % 2 == 0
      case "isDone == true OR progress == 3": number % 2 == 0 || number % 10 == 3
      default: true
      }
    }
    for _ in 0..<4 {
      let tasks = try realm.objects("Task").filter(query)
      #expect(try tasks.values("_id") == expected)
      #expect(
        try tasks.values("name")
          == expected.map { id in
            guard case .int(let number) = id else { return .null }
            return .string("task \(number)")
          }
      )
    }
  }

  @Test func sortedObjectsAreReadInOrder() throws {
    let descending = (0..<10).reversed().flatMap { digit in ids { $0 % 10 == digit } }
    for _ in 0..<3 {
      #expect(try realm.objects("Task").sort("progress", ascending: false).values("_id") == descending)
      let done = try realm.objects("Task").filter("progress >= 5 SORT(progress DESC)")
      #expect(try done.values("_id") == Array(descending.prefix(350)))
      let few = try realm.objects("Task").filter("TRUEPREDICATE SORT(progress DESC) LIMIT(200)")
      #expect(try few.values("_id") == Array(descending.prefix(200)))
    }
  }

  @Test func loopsOverSeveralResultsDoNotDisturbEachOther() throws {
    let outer = try realm.objects("Task").filter("progress < 3")
    let inner = try realm.objects("Task").filter("progress >= 3")
    #expect(try (outer.count, inner.count) == (210, 490))
    var found: [Cell] = []
    for index in 0..<210 {
      found.append(try outer.object(at: index).get("_id"))
      if index % 20 == 0 { #expect(try inner.values("_id") == ids { $0 % 10 >= 3 }) }
    }
    #expect(found == ids { $0 % 10 < 3 })
  }

  @Test func batchesAndALoopOverTheSameResultsDoNotDisturbEachOther() throws {
    for _ in 0..<2 {
      let tasks = try realm.objects("Task").filter("isDone == true")
      let expected = ids { $0 % 2 == 0 }
      #expect(try tasks.count == expected.count)
      var (loop, batches) = ([Cell](), [Cell]())
      for index in expected.indices {
        loop.append(try tasks.object(at: index).get("_id"))
        guard index % 10 == 0 else { continue }
        batches += try tasks.read(["_id"], from: batches.count, capacity: 10).map { $0[0] }
      }
      #expect(loop == expected && batches == expected)
    }
  }

  @Test func objectsThatAreKeptStayThoseThatTheyWere() throws {
    let tasks = try realm.objects("Task").filter("isDone == false")
    let objects = try (0..<(try tasks.count)).map { try tasks.object(at: $0) }
    #expect(try objects.map { try $0.get("_id") } == ids { $0 % 2 == 1 })
    #expect(try objects.map { try $0.get("progress") }.prefix(3) == [.int(1), .int(3), .int(5)])
  }

  @Test func aLoopGoesOnInAWriteTransactionAndSeesItsChanges() throws {
    for _ in 0..<3 {
      let tasks = try realm.objects("Task").filter("progress < 5")
      let count = try tasks.count
      for index in 0..<300 { _ = try tasks.object(at: index).get("name") }
      try realm.write {
        for index in 300..<count {
          let task = try tasks.object(at: index)
          let name = "changed \(index)"
          try task.set("name", .string(name))
          #expect(try tasks.object(at: index).get("name") == .string(name))
        }
        // The results change under the loop.
        try tasks.object(at: 0).set("progress", .int(9))
        #expect(try tasks.count == count - 1)
        #expect(try tasks.object(at: 0).get("_id") == .int(1))
        try realm.find("Task", .int(0))?.set("progress", .int(0))
      }
      #expect(try tasks.values("_id") == ids { $0 % 10 < 5 })
    }
  }

  @Test func aLoopGoesOnAfterARefresh() throws {
    let other = try TestRealm(path: folder.file("test.realm"))
    for round in 0..<3 {
      let tasks = try realm.objects("Task").filter("progress < 5")
      let count = try tasks.count
      for index in 0..<200 { _ = try tasks.object(at: index).get("progress") }
      try other.write {
        try other.create("Task", .int(Int64(1000 + round)), ["progress": .int(1)])
        try other.find("Task", .int(Int64(300 + round)))?.set("name", .string("round \(round)"))
      }
      #expect(try tasks.count == count)
      #expect(try realm.refresh())
      #expect(try tasks.count == count + 1)
      for index in 200..<count { _ = try tasks.object(at: index).get("progress") }
      #expect(try tasks.object(at: count).get("_id") == .int(Int64(1000 + round)))
      #expect(try tasks.object(at: 150 + round).get("name") == .string("round \(round)"))
    }
  }

  @Test func propertiesRequestedLaterAreReadToo() throws {
    for _ in 0..<3 {
      let tasks = try realm.objects("Task").filter("progress < 5")
      for index in 0..<(try tasks.count) {
        let task = try tasks.object(at: index)
        let number = index / 5 * 10 + index % 5
        #expect(try task.get("progress") == .int(Int64(number % 10)))
        if index % 50 == 49 { #expect(try task.get("name") == .string("task \(number)")) }
        if index > 250 { #expect(try task.get("isDone") == .bool(number % 2 == 0)) }
      }
    }
  }

  /// The ids of the objects up to the first index that is out of bounds.
  private func idsUntilTheEnd(_ tasks: TestResults) throws -> [Cell] {
    var found: [Cell] = []
    while true {
      var object: OpaquePointer?
      let status = flx_results_get_object(tasks.handle, found.count, &object, nil)
      if status == .FLX_STATUS_INDEX_OUT_OF_BOUNDS { return found }
      try #require(status == .FLX_STATUS_OK)
      found.append(try TestObject(realm, "Task", try #require(object)).get("_id"))
    }
  }

  @Test(arguments: [0, 1, 7, 8, 9, 23, 24, 25, 120, 350])
  func aLoopNeedNotCountTheObjects(_ count: Int) throws {
    let expected = Array(ids { $0 % 2 == 1 }.prefix(count))
    for _ in 0..<2 {
      let tasks = try realm.objects("Task").filter("isDone == false AND _id < $0", [.int(Int64(2 * count))])
      #expect(try idsUntilTheEnd(tasks) == expected)
      #expect(try tasks.count == count)
      #expect(try idsUntilTheEnd(tasks) == expected)
    }
  }

  @Test func aLoopThatDoesNotCountSeesWhatIsAddedMeanwhile() throws {
    let tasks = try realm.objects("Task").filter("progress == 0")
    for index in 0..<70 { _ = try tasks.object(at: index) }
    try realm.write {
      try realm.create("Task", .int(1000), ["progress": .int(0)])
      #expect(try tasks.object(at: 70).get("_id") == .int(1000))
    }
    #expect(try idsUntilTheEnd(tasks) == ids { $0 % 10 == 0 } + [.int(1000)])
  }

  @Test(arguments: [-1, 700, 701, Int.max, Int.min])
  func anIndexOutOfBoundsIsRefusedBeforeAndAfterCounting(_ index: Int) throws {
    let tasks = try realm.objects("Task")
    var object: OpaquePointer?
    for _ in 0..<2 {
      #expect(flx_results_get_object(tasks.handle, index, &object, nil) == .FLX_STATUS_INDEX_OUT_OF_BOUNDS)
      #expect(try tasks.count == Self.taskCount)
    }
  }

  @Test func objectsOutliveTheirResults() throws {
    var last: TestObject?
    for length in [1, 2, 5, 9, 100] {
      let tasks = try realm.objects("Task").filter("progress < 5")
      for index in 0..<length { last = try tasks.object(at: index) }
    }
    #expect(try last?.get("_id") == .int(194))
    #expect(try last?.get("name") == .string("task 194"))
  }

  @Test func aHandleThatIsRetainedIsNotUsedForAnotherObject() throws {
    let tasks = try realm.objects("Task")
    for index in 0..<100 {
      let task = try tasks.object(at: index)
      guard index == 20 else { continue }
      let kept = flx_object_retain(task.handle)
      defer { flx_object_release(kept) }
      for index in 21..<90 { #expect(try tasks.object(at: index).get("_id") == .int(Int64(index))) }
      #expect(try task.get("_id") == .int(20))
    }
  }

  @Test func anObservedObjectStaysTheSameAfterItsHandleIsReleased() throws {
    let tasks = try realm.objects("Task")
    let calls = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    calls.initialize(to: 0)
    defer { calls.deallocate() }
    var token: OpaquePointer?
    for index in 0..<40 {
      let task = try tasks.object(at: index)
      guard index == 10 else { continue }
      let count: flx_object_observer_t = { userdata, _ in
        userdata?.assumingMemoryBound(to: Int.self).pointee += 1
      }
      try attempt { flx_object_observe(task.handle, count, calls, nil, &token, $0) }
    }
    defer { flx_notification_token_release(token) }
    for (id, expected) in [(Int64(39), 0), (10, 1)] {
      try realm.write { try realm.find("Task", .int(id))?.set("name", .string("observed")) }
      _ = try realm.refresh()
      #expect(calls.pointee == expected)
    }
  }
}
