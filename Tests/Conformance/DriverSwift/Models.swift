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

/// The classes of the scenarios by name.
let scenarioClasses: [(String, any ScenarioObject.Type)] = [
  ("Task", Task.self), ("Team", Team.self), ("Item", Item.self), ("Contact", Contact.self),
  ("Note", Note.self),
]

func scenarioClass(_ name: String) throws -> any ScenarioObject.Type {
  guard let found = scenarioClasses.first(where: { $0.0 == name }) else {
    throw ScenarioError("there is no class '\(name)'")
  }
  return found.1
}

/// What a scenario needs of a class: its values by property name, and how it is printed.
protocol ScenarioObject: Object, JSONRepresentable {
  var identifier: ObjectId { get set }
  var line: String { get }
  func assign(_ name: String, _ value: Any, in realm: Realm) throws
  /// Sets a value of an embedded object, which is reached by names, indexes and keys.
  func assign(_ name: String, _ value: Any, inside path: [Any], in realm: Realm) throws
  /// The ids of the objects that link to this one by a property.
  func linking(by property: String) throws -> [ObjectId]
  /// Changes a collection.
  func edit(_ property: String, _ edit: CollectionEdit, in realm: Realm) throws
}

extension ScenarioObject {
  func assign(_ name: String, _ value: Any, inside path: [Any], in realm: Realm) throws {
    throw ScenarioError("\(type(of: self)) embeds nothing")
  }

  func linking(by property: String) throws -> [ObjectId] {
    throw ScenarioError("\(type(of: self)) has no linking objects")
  }
}

extension Realm {
  func found<Class: ScenarioObject>(_ type: Class.Type, _ identifier: ObjectId) throws -> Class {
    guard let object = object(ofType: type, forPrimaryKey: identifier) else {
      throw ScenarioError("there is no \(type) \(identifier)")
    }
    return object
  }
}

extension Task: ScenarioObject {
  var identifier: ObjectId {
    get { _id }
    set { _id = newValue }
  }

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

  func edit(_ property: String, _ edit: CollectionEdit, in realm: Realm) throws {
    throw ScenarioError("Task.\(property) is no collection")
  }
}

extension Team: ScenarioObject {
  var identifier: ObjectId {
    get { _id }
    set { _id = newValue }
  }

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

  func edit(_ property: String, _ edit: CollectionEdit, in realm: Realm) throws {
    if property == "members" {
      try edit.apply(to: members, edit.text)
    } else {
      try edit.apply(to: tasks, edit.link(Task.self, in: realm))
    }
  }
}

/// The scenario itself is wrong, or the driver cannot go on.
struct ScenarioError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
