// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import Testing

@testable import FlexSyncStore

@Suite struct QueryTests {
  let store: ObjectStore

  init() throws {
    store = try taskStore()
    let tasks: [(Int64, String, Int64, [String])] = [
      (1, "Write", 10, ["a", "b"]), (2, "écrire", 20, []), (3, "read", 30, ["b", "a"]),
      (4, "WRITE more", 40, ["c"]),
    ]
    for (key, title, progress, tags) in tasks {
      try store.apply([
        .createObject(task(key)), setTitle(key, title),
        .update(task(key).at("progress"), .value(.int(progress)), .isDefault(false)),
        .update(
          task(key).at("due"),
          .value(.timestamp(Timestamp(milliseconds: key * 500))),
          .isDefault(false)
        ),
      ])
      for (index, tag) in tags.reversed().enumerated() {
        // At the front, so that ordinals are neither dense nor ascending.
        try store.apply(
          .arrayInsert(task(key).at("tags", 0), .value(.string(tag)), priorSize: UInt32(index))
        )
      }
      try store.apply([
        .createObject(person("p\(key)")),
        .update(person("p\(key)").at("current"), .value(link(key + 1)), .isDefault(false)),
        .arrayInsert(person("p\(key)").at("tasks", 0), .value(link(9)), priorSize: 0),
        .arrayInsert(person("p\(key)").at("tasks", 1), .value(link(key)), priorSize: 1),
      ])
    }
  }

  @Test(arguments: [
    ("Task", "title BEGINSWITH[c] 'wRI'", [1, 4]), ("Task", "title CONTAINS[c] 'É'", [2]),
    ("Task", "title ENDSWITH[c] 'MORE'", [4]), ("Task", "title ==[c] 'READ'", [3]),
    ("Task", "title LIKE '?r*'", [1]), ("Task", "title LIKE[c] '?r*'", [1, 4]),
    ("Task", "progress > 10 SORT(progress DESC) LIMIT(2)", [4, 3]),
    ("Task", "due > T1:0", [3, 4]), ("Task", "ANY tags == 'b'", [1, 3]), ("Task", "tags == {'a', 'b'}", [1]),
    ("Task", "tags.@count == 0", [2]), ("Task", "NOT title == 'read'", [1, 2, 4]),
    ("Person", "current.progress > 20", [2, 3]), ("Person", "current == null", [4]),
    ("Person", "tasks.@count == 1", [1, 2, 3, 4]), ("Person", "ANY tasks.title == 'read'", [3]),
  ])
  func queriesFindTheirObjects(className: String, text: String, expected: [Int64]) throws {
    let query = try Query.parse(text).bind(to: try store.schema, className: className)
    let selection = try store.selection(query.predicate, on: className, query.options)
    let table = try #require(try store.table(named: className))
    let keys = try store.rows(table, selection).compactMap { try store.key(of: $0, in: table) }
    let wanted: [PrimaryKey] = expected.map { className == "Task" ? .int($0) : .string("p\($0)") }
    #expect(keys == wanted)
    #expect(try store.count(table, selection) == wanted.count)
  }

  @Test func whatSQLCannotSayIsEvaluatedOnTheRowsThatItLeaves() throws {
    let query = try Query.parse("progress > 10 AND title.@size * 2 == 8").bind(
      to: try store.schema,
      className: "Task"
    )
    let found = try store.rowQuery(query)
    #expect(try found.rows() == [3])
    #expect(try found.explain().sql.contains("flx_holds"))
  }

  @Test func errorsWhileObjectsAreLookedAtEndTheQuery() throws {
    let query = try Query.parse("tags.@count * 2 == 4").bind(to: try store.schema, className: "Task")
    let found = try store.rowQuery(query)
    let list = try #require(try store.table(named: "Task")?.column(named: "tags")?.sqlName)
    try store.flush()
    try store.database.execute("DROP TABLE \(list)")
    let error = #expect(throws: StorageError.self) { try found.rows() }
    #expect(error?.message.contains("no such table") == true)
    // Nothing is left of it for the next query.
    #expect(try store.count(try #require(try store.table(named: "Task"))) == 4)
  }

  @Test func linksInQueriesFollowWhatTheyLeadTo() throws {
    let query = try Query.parse("current == obj('Task', 77)").bind(to: try store.schema, className: "Person")
    let found = try store.rowQuery(query)
    // As long as there is no such task it counts as null, as the link of p4 does.
    #expect(try found.rows() == [4])
    try store.apply(.createObject(task(77)))
    #expect(try found.rows() == [])
    try store.apply(.update(person("p1").at("current"), .value(link(77)), .isDefault(false)))
    #expect(try found.rows() == [1])
  }
}
