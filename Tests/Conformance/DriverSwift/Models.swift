// SPDX-License-Identifier: Apache-2.0

import FlexSync
import Foundation

class Task: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var taskName: String
  @Persisted var assignee: String?
  @Persisted var completed: Bool
  @Persisted var progressMinutes: Int
  @Persisted var dueDate: Date
}

class Team: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var teamName: String
  @Persisted var tasks: List<Task>
  @Persisted var members: List<String>
}

/// What a scenario needs of a class: its values by property name, and how it is printed.
protocol ScenarioObject: Object {
  var identifier: ObjectId { get }
  var line: String { get }
  func assign(_ name: String, _ value: Any, in realm: Realm) throws
}

extension Task: ScenarioObject {
  var identifier: ObjectId { _id }

  var line: String {
    "\(_id) taskName=\(taskName) assignee=\(assignee ?? "null") completed=\(completed)"
      + " progressMinutes=\(progressMinutes) dueDate=\(Int(dueDate.timeIntervalSince1970))"
  }

  func assign(_ name: String, _ value: Any, in realm: Realm) throws {
    switch (name, value) {
    case ("taskName", let text as String): taskName = text
    case ("assignee", let text as String): assignee = text
    case ("assignee", is NSNull): assignee = nil
    case ("completed", let flag as Bool): completed = flag
    case ("progressMinutes", let number as Int): progressMinutes = number
    case ("dueDate", let number as Int): dueDate = Date(timeIntervalSince1970: TimeInterval(number))
    default: throw ScenarioError("Task.\(name) cannot be \(value)")
    }
  }
}

extension Team: ScenarioObject {
  var identifier: ObjectId { _id }

  var line: String {
    "\(_id) teamName=\(teamName) tasks=[\(tasks.map(\._id.stringValue).joined(separator: ", "))]"
      + " members=[\(members.joined(separator: ", "))]"
  }

  func assign(_ name: String, _ value: Any, in realm: Realm) throws {
    guard name == "teamName", let text = value as? String else {
      throw ScenarioError("Team.\(name) cannot be \(value)")
    }
    teamName = text
  }
}

/// The scenario itself is wrong, or the driver cannot go on.
struct ScenarioError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
