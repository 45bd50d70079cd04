// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncWire

/// The classes of the example app, and changes to its objects.
enum TaskTracker {
  static let schema = Schema([
    ClassSchema(
      name: "Task",
      primaryKey: PropertySchema(name: "_id", type: .objectId),
      properties: [
        PropertySchema(name: "taskName", type: .string),
        PropertySchema(name: "assignee", type: .string, isNullable: true),
        PropertySchema(name: "completed", type: .bool),
        PropertySchema(name: "progressMinutes", type: .int),
        PropertySchema(name: "dueDate", type: .timestamp),
      ]
    ),
    ClassSchema(
      name: "Team",
      primaryKey: PropertySchema(name: "_id", type: .objectId),
      properties: [
        PropertySchema(name: "teamName", type: .string),
        PropertySchema(name: "tasks", type: .link, collection: .list, linkTarget: "Task"),
        PropertySchema(name: "members", type: .string, collection: .list),
      ]
    ),
  ])

  static func task(_ number: UInt32) -> ObjectReference {
    ObjectReference(table: "Task", key: .objectId(ObjectId(high: 0x65a0_0000_0000_0000, low: number)))
  }

  static func team(_ number: UInt32) -> ObjectReference {
    ObjectReference(table: "Team", key: .objectId(ObjectId(high: 0x65b0_0000_0000_0000, low: number)))
  }

  static func set(_ field: String, _ value: Value, of object: ObjectReference) -> Instruction {
    .update(PropertyPath(object: object, field: field), .value(value), .isDefault(false))
  }

  /// A new task.
  static func newTask(_ number: UInt32, assignee: String?, minutes: Int64 = 10) -> [Instruction] {
    let object = task(number)
    return [
      .createObject(object), set("taskName", .string("task \(number)"), of: object),
      set("assignee", assignee.map(Value.string) ?? .null, of: object),
      set("progressMinutes", .int(minutes), of: object),
    ]
  }
}

/// The body of a QUERY, taken apart.
struct QuerySetText {
  private let queries: [(className: String, query: String)]

  init(_ body: String) throws { queries = try QuerySet(body: Array(body.utf8)).queries }

  func text(of className: String) -> String? { queries.first { $0.className == className }?.query }
}
