// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport

/// Tasks, people who link to tasks, and one class with every type of property.
let taskSchema = Schema([
  ClassSchema(
    name: "Task",
    primaryKey: PropertySchema(name: "_id", type: .int),
    properties: [
      PropertySchema(name: "title", type: .string),
      PropertySchema(name: "progress", type: .int),
      PropertySchema(name: "due", type: .timestamp, isNullable: true),
      PropertySchema(name: "tags", type: .string, collection: .list),
      PropertySchema(name: "times", type: .timestamp, isNullable: true, collection: .list),
      PropertySchema(name: "labels", type: .string, isNullable: true, collection: .set),
      PropertySchema(name: "moments", type: .timestamp, collection: .set),
      PropertySchema(name: "counts", type: .int, collection: .dictionary),
      PropertySchema(name: "log", type: .timestamp, isNullable: true, collection: .dictionary),
    ]
  ),
  ClassSchema(
    name: "Person",
    primaryKey: PropertySchema(name: "name", type: .string, isNullable: true),
    properties: [
      PropertySchema(name: "current", type: .link, isNullable: true, linkTarget: "Task"),
      PropertySchema(name: "tasks", type: .link, collection: .list, linkTarget: "Task"),
      PropertySchema(name: "friend", type: .link, isNullable: true, linkTarget: "Person"),
      PropertySchema(name: "watched", type: .link, collection: .set, linkTarget: "Task"),
      PropertySchema(
        name: "roles",
        type: .link,
        isNullable: true,
        collection: .dictionary,
        linkTarget: "Task"
      ),
    ]
  ),
  ClassSchema(
    name: "All",
    primaryKey: PropertySchema(name: "_id", type: .objectId),
    properties: [
      PropertySchema(name: "int", type: .int), PropertySchema(name: "bool", type: .bool),
      PropertySchema(name: "string", type: .string), PropertySchema(name: "binary", type: .binary),
      PropertySchema(name: "timestamp", type: .timestamp), PropertySchema(name: "float", type: .float),
      PropertySchema(name: "double", type: .double), PropertySchema(name: "objectId", type: .objectId),
      PropertySchema(name: "uuid", type: .uuid),
      PropertySchema(name: "optionalInt", type: .int, isNullable: true),
      PropertySchema(name: "optionalUuid", type: .uuid, isNullable: true),
    ]
  ),
])

/// A store in memory, inside a write transaction, with the classes of `taskSchema`.
func taskStore() throws -> ObjectStore {
  let store = try ObjectStore.inMemory()
  try store.database.beginWrite()
  try store.declare(taskSchema)
  return store
}

func task(_ key: Int64) -> ObjectReference { ObjectReference(table: "Task", key: .int(key)) }
func person(_ name: String) -> ObjectReference { ObjectReference(table: "Person", key: .string(name)) }
func link(_ key: Int64) -> Value { .link(Link(className: "Task", key: .int(key))) }

extension ObjectReference {
  func at(_ field: String, _ index: UInt32? = nil) -> PropertyPath {
    PropertyPath(object: self, field: field, path: index.map { [.index($0)] } ?? [])
  }

  func at(_ field: String, key: String) -> PropertyPath {
    PropertyPath(object: self, field: field, path: [.name(key)])
  }
}

extension ObjectStore {
  func column(_ table: String, _ property: String) throws -> Column {
    guard let column = try self.table(named: table)?.column(named: property) else {
      throw ObjectError(.unknownProperty(className: table, property: property))
    }
    return column
  }

  func existingRow(_ object: ObjectReference) throws -> Int64 {
    guard let row = try row(of: object) else { throw ObjectError(.missingObject) }
    return row
  }

  /// What the app sees in a property.
  func read(_ object: ObjectReference, _ property: String) throws -> Value {
    try value(row: existingRow(object), column(object.table, property))
  }

  /// The elements of a list as stored.
  func list(_ object: ObjectReference, _ property: String) throws -> [Value] {
    try listValues(row: existingRow(object), column(object.table, property))
  }

  /// The elements of a set as stored.
  func set(_ object: ObjectReference, _ property: String) throws -> [Value] {
    try setValues(row: existingRow(object), column(object.table, property))
  }

  /// The entries of a dictionary as stored.
  func dictionary(_ object: ObjectReference, _ property: String) throws -> [DictionaryEntry] {
    try dictionaryEntries(row: existingRow(object), column(object.table, property))
  }
}
