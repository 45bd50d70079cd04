// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@Suite struct QueryFunctionTests {
  let folder = TemporaryFolder()
  let realm: TestRealm

  init() throws {
    realm = try TestRealm(path: folder.file("test.realm"))
    try realm.write {
      let ann = try realm.create("Person", .string("Ann"), ["age": .int(40)])
      let bob = try realm.create("Person", .string("Bob"))
      for number in 0..<6 {
        let task = try realm.create(
          "Task",
          .int(Int64(number)),
          ["name": .string("task \(number % 2)"), "progress": .int(Int64(number * 10))]
        )
        if number == 5 { try task.set("note", .string("last")) }
        try task.set("owner", number == 0 ? .null : number % 3 == 0 ? ann.link : bob.link)
      }
    }
  }

  private func ids(_ results: TestResults) throws -> [Cell] { try results.values("_id") }

  @Test func aggregatesOfResults() throws {
    let tasks = try realm.objects("Task").filter("_id >= 2")
    #expect(try tasks.aggregate(.FLX_AGGREGATE_MIN, "progress") == .int(20))
    #expect(try tasks.aggregate(.FLX_AGGREGATE_MAX, "progress") == .int(50))
    #expect(try tasks.aggregate(.FLX_AGGREGATE_SUM, "progress") == .int(140))
    #expect(try tasks.aggregate(.FLX_AGGREGATE_AVERAGE, "progress") == .double(35))
    #expect(try tasks.aggregate(.FLX_AGGREGATE_COUNT, "name") == .int(4))
    #expect(
      try tasks.sort("progress", ascending: false).limit(2).aggregate(.FLX_AGGREGATE_SUM, "progress")
        == .int(90)
    )
    #expect(try tasks.aggregate(.FLX_AGGREGATE_COUNT, "note") == .int(1))
  }

  @Test func anArgumentThatIsNoListIsReadOnlyIfItHasOneValue() throws {
    var value = flx_value_t()
    value.type = .FLX_TYPE_INT
    var unreadable = flx_value_t()
    unreadable.type = try #require(flx_type_t(rawValue: 77))
    let tasks = try realm.objects("Task")
    for count in [0, 2] {
      let message = expectFailure(.FLX_STATUS_QUERY_ARGUMENT) {
        try [value, unreadable].withUnsafeBufferPointer { values in
          var argument = flx_query_argument_t(values: values.baseAddress, count: count, is_list: false)
          var derived: OpaquePointer?
          let query = "_id == $0"
          try query.withC { text in
            try attempt { flx_results_filter(tasks.handle, text, &argument, 1, &derived, $0) }
          }
        }
      }
      #expect(message.contains("must have exactly one value, but its count is \(count)"))
    }
  }

  @Test func anObjectThatIsNotThereEqualsNone() throws {
    let people = try realm.objects("Person").sort("_id", ascending: true)
    guard case .link(let row, let person) = try people.object(at: 0).link else { return }
    let tasks = try realm.objects("Task")
    #expect(try ids(tasks.filter("owner == $0", [.link(row: row, person)])) == [.int(3)])
    #expect(try tasks.filter("owner == $0", [.link(row: -1, person)]).count == 0)
    #expect(try tasks.filter("owner != $0", [.link(row: -1, person)]).count == 6)
    try realm.write { try people.object(at: 0).delete() }
    #expect(try tasks.filter("owner == $0", [.link(row: row, person)]).count == 0)
    #expect(try tasks.filter("owner == null").count == 2)
  }

  @Test func aggregatesOfNothing() throws {
    let none = try realm.objects("Task").filter("FALSEPREDICATE")
    #expect(try none.aggregate(.FLX_AGGREGATE_MIN, "progress") == .null)
    #expect(try none.aggregate(.FLX_AGGREGATE_MAX, "progress") == .null)
    #expect(try none.aggregate(.FLX_AGGREGATE_AVERAGE, "progress") == .null)
    #expect(try none.aggregate(.FLX_AGGREGATE_SUM, "progress") == .int(0))
    #expect(try none.aggregate(.FLX_AGGREGATE_COUNT, "progress") == .int(0))
  }

  @Test func aggregatesRefuseWhatTheyDoNotTake() throws {
    let tasks = try realm.objects("Task")
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try tasks.aggregate(.FLX_AGGREGATE_SUM, "name") }
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try tasks.aggregate(.FLX_AGGREGATE_MIN, "tags") }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
      _ = try tasks.aggregate(try #require(flx_aggregate_t(rawValue: 77)), "progress")
    }
  }

  @Test func distinctKeepsTheFirstOfEach() throws {
    let tasks = try realm.objects("Task")
    #expect(try ids(tasks.distinct(["name"])) == [.int(0), .int(1)])
    #expect(try ids(tasks.sort("progress", ascending: false).distinct(["name"])) == [.int(5), .int(4)])
    // Without an owner there is no name.
    #expect(try ids(tasks.distinct(["owner._id"])) == [.int(1), .int(3)])
    #expect(try ids(tasks.distinct(["name", "owner._id"])).count == 3)
    expectFailure(.FLX_STATUS_QUERY_INVALID) { _ = try tasks.distinct(["nothing"]) }
  }

  @Test func limitComesBeforeLaterClauses() throws {
    let tasks = try realm.objects("Task")
    #expect(try ids(tasks.limit(2).sort("progress", ascending: false)) == [.int(1), .int(0)])
    #expect(try ids(tasks.sort("progress", ascending: false).limit(2)) == [.int(5), .int(4)])
    #expect(try tasks.limit(0).count == 0)
  }

  @Test func explanationsNameTheStatementAndTheIndex() throws {
    let indexed = try realm.objects("Task").filter("progress == 20").explanation
    #expect(indexed.hasPrefix("SELECT t0.flx_row FROM"))
    #expect(indexed.contains("USING INDEX") || indexed.contains("USING COVERING INDEX"))
    #expect(try realm.objects("Task").filter("isDone == true").explanation.contains("SCAN"))
  }

  @Test func queriesAreCheckedWithoutRunningThem() throws {
    let query = try realm.query("Task", "progress == $0 SORT(name ASC)", [.int(1)])
    #expect(flx_query_canonical(query.handle).text == "progress == 1 SORT(name ASC)")
    expectFailure(.FLX_STATUS_QUERY_INVALID) { _ = try realm.query("Task", "nothing == 1") }
    expectFailure(.FLX_STATUS_QUERY_ARGUMENT) { _ = try realm.query("Task", "progress == $0") }
  }

  @Test func syntaxErrorsHaveAPosition() throws {
    var position = 0
    expectFailure(.FLX_STATUS_QUERY_SYNTAX) {
      try "progress == == 1".withC { text in try attempt { flx_query_parse(text, &position, $0) } }
    }
    #expect(position == 12)
    try "progress == 1".withC { text in try attempt { flx_query_parse(text, nil, $0) } }
  }

  @Test func queriesAreCheckedAsAServerChecksThem() throws {
    try realm.query("Task", "progress > 1").validateForSync()
    try realm.query("Task", "progress > 1").validateForSync(fields: ["progress"])
    let message = expectFailure(.FLX_STATUS_QUERY_INVALID) {
      try realm.query("Task", "progress > 1").validateForSync(fields: ["name"])
    }
    #expect(message.contains("progress"))
    expectFailure(.FLX_STATUS_QUERY_INVALID) {
      try realm.query("Task", "owner._id == 'Ann'").validateForSync()
    }
  }
}
