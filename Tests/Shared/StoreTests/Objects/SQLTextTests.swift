// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import Testing

@testable import FlexSyncStore

@Suite("No text of a client becomes SQL")
struct SQLTextTests {
  private static let hostile = [
    "'; DROP TABLE Task; --", "\"; DROP TABLE Task; --", "' OR 1 = 1 --",
    "') UNION SELECT name FROM sqlite_schema --",
    "\\'; --", "?1", ":name", "%", "_", "\u{0}'; DROP TABLE Task; --",
  ]

  private func keys(_ store: ObjectStore, _ predicate: String, _ text: String, on className: String) throws
    -> [PrimaryKey]
  {
    let query = try Query.parse(predicate).bind(
      to: try store.schema,
      className: className,
      arguments: [.value(.string(text))]
    )
    let table = try #require(try store.table(named: className))
    let selection = try store.selection(query.predicate, on: className, query.options)
    return try store.rows(table, selection).compactMap { try store.key(of: $0, in: table) }
  }

  private func value(_ field: String, of object: ObjectReference, _ store: ObjectStore) throws -> Value {
    let table = try #require(try store.table(named: object.table))
    let row = try #require(try store.row(of: object.key, in: table))
    return try store.value(row: row, try store.column(object.table, field))
  }

  @Test("Values are values, in objects and in queries", arguments: hostile)
  func values(text: String) throws {
    let store = try taskStore()
    try store.apply([.createObject(task(1)), setTitle(1, text), .createObject(task(2)), setTitle(2, "other")])
    for predicate in [
      "title == $0", "title CONTAINS $0", "title ==[c] $0", "title IN {$0}", "title BEGINSWITH $0",
    ] {
      #expect(try keys(store, predicate, text, on: "Task") == [.int(1)], "\(predicate)")
    }
    #expect(try value("title", of: task(1), store) == .string(text))
    #expect(try keys(store, "title != $0", text, on: "Task") == [.int(2)])
  }

  @Test("Names of classes and properties are names, and what other classes hold stays", arguments: hostile)
  func names(name: String) throws {
    let store = try taskStore()
    try store.apply([.createObject(task(1)), setTitle(1, "kept")])
    let property = PropertySchema(name: name, type: .string)
    let key = PropertySchema(name: "_id", type: .int)
    try store.declare(ClassSchema(name: name, primaryKey: key, properties: [property]))
    let object = ObjectReference(table: name, key: .int(1))
    try store.apply([
      .createObject(object), .update(object.at(name), .value(.string("found")), .isDefault(false)),
    ])
    #expect(try value(name, of: object, store) == .string("found"))
    #expect(try store.schema[name]?.property(named: name) == property)
    #expect(try keys(store, "title == $0", "kept", on: "Task") == [.int(1)])
  }
}
