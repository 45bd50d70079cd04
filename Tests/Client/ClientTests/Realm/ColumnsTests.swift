// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@Suite struct ColumnsTests {
  let folder = TemporaryFolder()
  let realm: TestRealm

  static let singleProperties = [
    "_id", "name", "progress", "isDone", "note", "due", "weight", "ratio", "data", "oid", "uuid", "owner",
  ]

  init() throws {
    realm = try TestRealm(path: folder.file("test.realm"))
    try realm.write {
      let ann = try realm.create("Person", .string("Ann"))
      for number in 0..<40 {
        let task = try realm.create(
          "Task",
          .int(Int64(number)),
          [
            "name": .string(String(repeating: "ä", count: number % 7)), "progress": .int(Int64(number % 6)),
            "isDone": .bool(number % 2 == 0), "weight": .double(number == 3 ? .infinity : Double(number) / 4),
            "ratio": .float(Float(number) / 8),
          ]
        )
        guard number % 3 > 0 else { continue }
        try task.set("note", .string("note \(number)"))
        try task.set("due", .timestamp(Int64(number), 5))
        try task.set("data", .binary(Array(repeating: UInt8(number), count: number % 5)))
        try task.set("oid", .objectId("5f1ec579ac00000000000\(100 + number)"))
        try task.set("uuid", .uuid(Array(repeating: UInt8(number), count: 16)))
        try task.set("owner", ann.link)
      }
    }
  }

  private func expected(_ results: TestResults, _ names: [String]) throws -> [[Cell]] {
    try (0..<(try results.count)).map { index in
      let object = try results.object(at: index)
      return try names.map { try object.get($0) }
    }
  }

  @Test func everyPropertyIsReadAsThroughAnObject() throws {
    let tasks = try realm.objects("Task")
    let names = Self.singleProperties
    #expect(try tasks.readAll(names, capacity: 7) == expected(tasks, names))
    #expect(try tasks.readAll(names, capacity: 1000) == expected(tasks, names))
  }

  @Test(arguments: [
    "progress > 2", "progress == 3", "progress >= 0 SORT(progress DESC)",
    "TRUEPREDICATE SORT(progress ASC) LIMIT(9)",
    "TRUEPREDICATE DISTINCT(progress)", "TRUEPREDICATE LIMIT(11) SORT(name DESC)", "owner.age == 0",
    "progress == 77",
    "isDone == true OR progress > 4",
  ])
  func resultsAreReadInTheirOrder(_ query: String) throws {
    let tasks = try realm.objects("Task").filter(query)
    let names = ["name", "progress", "_id"]
    let rows = try tasks.readAll(names, capacity: 4)
    let expected = try expected(tasks, names)
    #expect(rows == expected)
    // Once the rows are known, from anywhere.
    for index in [0, 1, 5, expected.count] where index <= expected.count {
      #expect(try tasks.read(names, from: index, capacity: 3) == Array(expected[index...].prefix(3)))
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func readsFromAnywhereAgreeWithReadsInSequence(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let names = ["note", "progress", "owner"]
    let tasks = try realm.objects("Task").filter("progress > 0")
    let expected = try expected(tasks, names)
    var next = 0
    for _ in 0..<200 {
      let index = random.chance(50) ? next : random.number(in: 0...expected.count)
      let capacity = random.number(in: 1...9)
      let batch = try tasks.read(names, from: index, capacity: capacity, byteCapacity: 30)
      #expect(batch == Array(expected[index...].prefix(batch.count)))
      #expect(!batch.isEmpty || index == expected.count)
      next = index + batch.count
    }
  }

  @Test func textThatDoesNotFitIsLeftForTheNextBatch() throws {
    let tasks = try realm.objects("Task").filter("_id >= 4 AND _id <= 6")
    // 8, 10 and 12 bytes.
    #expect(try tasks.read(["name"], from: 0, capacity: 3, byteCapacity: 18).count == 2)
    #expect(try tasks.read(["name"], from: 2, capacity: 3, byteCapacity: 18) == [[.string("ääääää")]])
    #expect(
      try tasks.readAll(["name", "_id"], capacity: 3, byteCapacity: 12) == expected(tasks, ["name", "_id"])
    )
  }

  @Test func anObjectThatDoesNotFitAtAllIsAnError() throws {
    let tasks = try realm.objects("Task").filter("_id >= 5")
    expectFailure(.FLX_STATUS_VALUE_TOO_LARGE) {
      _ = try tasks.read(["name"], from: 0, capacity: 3, byteCapacity: 9)
    }
    #expect(try tasks.read(["name"], from: 0, capacity: 1, byteCapacity: 10).count == 1)
    expectFailure(.FLX_STATUS_VALUE_TOO_LARGE) {
      _ = try tasks.read(["name"], from: 1, capacity: 3, byteCapacity: 11)
    }
    #expect(try tasks.read(["name"], from: 1, capacity: 1, byteCapacity: 12) == [[.string("ääääää")]])
  }

  @Test func aCapacityBeyondTheLargestSignedNumberIsRoomForEverything() throws {
    let tasks = try realm.objects("Task").filter("_id >= 4 AND _id <= 6")
    let memory = TestColumn(try realm.property("Task", "name"), capacity: 3, byteCapacity: 100)
    var column = memory.description
    column.byte_capacity = Int(bitPattern: UInt.max)
    var count = 0
    try attempt { flx_results_read(tasks.handle, 0, 3, &column, 1, &count, $0) }
    #expect(try memory.cells(count).map { [$0] } == expected(tasks, ["name"]))
    column.bytes = nil
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
      try attempt { flx_results_read(tasks.handle, 0, 3, &column, 1, &count, $0) }
    }
  }

  @Test func aReadIsTriedAgainWithMoreRoomInAWriteTransaction() throws {
    let tasks = try realm.objects("Task").filter("_id >= 5 AND _id <= 7")
    let expected = try expected(tasks, ["name", "_id"])
    try realm.write {
      expectFailure(.FLX_STATUS_VALUE_TOO_LARGE) {
        _ = try tasks.read(["name", "_id"], from: 0, capacity: 9, byteCapacity: 9)
      }
      let read = try tasks.read(["name", "_id"], from: 0, capacity: 9)
      #expect(read == expected)
    }
    #expect(try tasks.count == 3)
  }

  @Test func aReadIsTriedAgainAfterTheViewHasMoved() throws {
    let other = try TestRealm(path: folder.file("test.realm"))
    let tasks = try realm.objects("Task").filter("_id >= 5 AND progress == 5")
    let people = try realm.objects("Person")
    let interruptions: [() throws -> Void] = [
      { _ = try other.write { try other.create("Person", .string("Bob")) } },
      { try realm.write {} },
      { _ = try people.read(["_id"], from: 0, capacity: 1) },
    ]
    for interruption in interruptions {
      expectFailure(.FLX_STATUS_VALUE_TOO_LARGE) {
        _ = try tasks.read(["name"], from: 0, capacity: 9, byteCapacity: 1)
      }
      try interruption()
      _ = try realm.refresh()
      #expect(try tasks.read(["_id"], from: 0, capacity: 9) == expected(tasks, ["_id"]))
      #expect(try tasks.count == 6)
    }
  }

  @Test func aReadThatWritesNoRowDoesNotHideObjectsCreatedLater() throws {
    let tasks = try realm.objects("Task").filter("_id >= 1")
    let names = ["name", "_id"]
    try realm.write {
      expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try tasks.read(names, from: 0, capacity: 0) }
      expectFailure(.FLX_STATUS_VALUE_TOO_LARGE) {
        _ = try tasks.read(names, from: 0, capacity: 1, byteCapacity: 0)
      }
      _ = try realm.create("Task", .int(1000))
      #expect(try tasks.readAll(names, capacity: 100).last == [.string(""), .int(1000)])
      #expect(try tasks.count == 40)
    }
  }

  @Test func readingInBatchesFollowsChanges() throws {
    let tasks = try realm.objects("Task").filter("progress < 3")
    let first = try tasks.read(["_id"], from: 0, capacity: 2)
    #expect(first == [[.int(0)], [.int(1)]])
    try realm.write {
      // The open statement does not keep the transaction from ending, and does not survive it.
      try (try #require(try realm.find("Task", .int(2)))).delete()
      #expect(try tasks.read(["_id"], from: 2, capacity: 1) == [[.int(6)]])
      #expect(try tasks.read(["_id"], from: 0, capacity: 3) == [[.int(0)], [.int(1)], [.int(6)]])
      #expect(try tasks.read(["_id"], from: 3, capacity: 1) == [[.int(7)]])
    }
    #expect(try tasks.readAll(["_id"], capacity: 3).count == tasks.count)
  }

  @Test func anotherHandlesCommitIsSeenAfterARefresh() throws {
    let other = try TestRealm(path: folder.file("test.realm"))
    let tasks = try realm.objects("Task")
    _ = try tasks.read(["_id"], from: 0, capacity: 2)
    try other.write { try other.create("Task", .int(1000)) }
    #expect(try tasks.read(["_id"], from: 2, capacity: 100).count == 38)
    #expect(try realm.refresh())
    #expect(try tasks.readAll(["_id"], capacity: 10).last == [.int(1000)])
  }

  @Test func severalResultsAreReadAtTheSameTime() throws {
    let low = try realm.objects("Task").filter("progress < 3")
    let high = try realm.objects("Task").filter("progress >= 3")
    var read = (low: [[Cell]](), high: [[Cell]]())
    for _ in 0..<20 {
      read.low += try low.read(["_id"], from: read.low.count, capacity: 2)
      read.high += try high.read(["_id"], from: read.high.count, capacity: 3)
    }
    #expect(try read.low == expected(low, ["_id"]))
    #expect(try read.high == expected(high, ["_id"]))
  }

  @Test func decimalsAndMixedValuesAreReadAsThroughAnObject() throws {
    let realm = try TestRealm(path: folder.file("notes.realm"), classes: .notes)
    let contents: [Cell] = [
      .null, .int(5), .string("text"), .binary([1, 2, 3]), .decimal("1.5"), .timestamp(-4, -2), .bool(true),
      .string(""),
    ]
    try realm.write {
      for (number, content) in contents.enumerated() {
        let note = try realm.create(
          "Note",
          .int(Int64(number)),
          ["any": content, "price": .decimal("12.\(number)")]
        )
        if number % 2 == 0 { try note.set("discount", .decimal("0.\(number)")) }
      }
    }
    let notes = try realm.objects("Note")
    let names = ["any", "price", "discount", "any"]
    #expect(try notes.readAll(names, capacity: 3) == expected(notes, names))
    #expect(try notes.readAll(names, capacity: 3, byteCapacity: 4) == expected(notes, names))
    expectFailure(.FLX_STATUS_VALUE_TOO_LARGE) {
      _ = try notes.read(["any"], from: 2, capacity: 1, byteCapacity: 3)
    }
  }

  @Test func theBytesBetweenMembersAreZero() throws {
    let classes = [TestClass].notes + .tasks
    let realm = try TestRealm(path: folder.file("padding.realm"), classes: classes)
    try realm.write {
      let ann = try realm.create("Person", .string("Ann"))
      let task = try realm.create("Task", .int(1), ["due": .timestamp(4, 2), "owner": ann.link])
      _ = try realm.create("Task", .int(2))
      let contents: [Cell] = [
        .null, .int(-1), .bool(true), .string("text"), .timestamp(-4, -2), .float(2.5), .double(2.5),
        .decimal("1.5"),
        .objectId("5f1ec579ac00000000000100"), .uuid(Array(repeating: 7, count: 16)), task.link,
      ]
      for (number, content) in contents.enumerated() {
        _ = try realm.create("Note", .int(Int64(number)), ["any": content])
      }
    }
    for (className, name) in [("Task", "due"), ("Task", "owner"), ("Note", "any")] {
      let results = try realm.objects(className)
      let column = TestColumn(try realm.property(className, name), capacity: 20, byteCapacity: 100)
      var (description, count) = (column.description, 0)
      try attempt { flx_results_read(results.handle, 0, 20, &description, 1, &count, $0) }
      let padding = column.padding(count)
      #expect(!padding.isEmpty && padding.allSatisfy { $0 == 0 }, "\(name): \(padding)")
    }
  }

  @Test func linksWithoutATargetAreNull() throws {
    try realm.write { try (try #require(try realm.find("Person", .string("Ann")))).delete() }
    let tasks = try realm.objects("Task")
    #expect(try tasks.readAll(["owner"], capacity: 9) == Array(repeating: [.null], count: 40))
  }

  @Test func badReadsAreRefused() throws {
    let tasks = try realm.objects("Task")
    // Whether the count is known or not.
    for _ in 0..<2 {
      let message = expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) {
        _ = try tasks.read(["_id"], from: 41, capacity: 1)
      }
      #expect(message == "Index 41 is out of bounds (must be less than 41).")
      #expect(try tasks.read(["_id"], from: 40, capacity: 1).isEmpty)
    }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try tasks.read(["_id"], from: 0, capacity: 0) }
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try tasks.read(["tags"], from: 0, capacity: 1) }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try tasks.read([], from: 0, capacity: 1) }
    let memory = TestColumn(try realm.property("Task", "due"), capacity: 1, byteCapacity: 0)
    func refusal(_ status: flx_status_t, _ change: (inout flx_column_t) -> Void) throws {
      var column = memory.description
      change(&column)
      var count = 7
      expectFailure(status) {
        try attempt { flx_results_read(tasks.handle, 0, 1, &column, 1, &count, $0) }
      }
      #expect(count == 0)
    }
    try refusal(.FLX_STATUS_INVALID_ARGUMENT) { $0.struct_size = 0 }
    try refusal(.FLX_STATUS_INVALID_ARGUMENT) { $0.struct_size -= 1 }
    try refusal(.FLX_STATUS_INVALID_ARGUMENT) { $0.values = nil }
    try refusal(.FLX_STATUS_INVALID_ARGUMENT) { $0.validity = nil }
    try refusal(.FLX_STATUS_TYPE_MISMATCH) { $0.type = .FLX_TYPE_INT }
    try refusal(.FLX_STATUS_NO_SUCH_PROPERTY) { $0.property = 99 }
  }
}
