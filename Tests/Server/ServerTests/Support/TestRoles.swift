// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport

@testable import FlexSyncRules

/// What decides who may see and change a task, besides its class.
struct TaskFields {
  var assignee: String?
  var minutes: Int64 = 0
}

/// A condition on tasks, as a query and, for the oracle, as code.
indirect enum TaskCondition {
  case everything
  case nothing
  case assignee(String)
  case minutesBelow(Int64)
  case both(TaskCondition, TaskCondition)

  var text: String {
    switch self {
    case .everything: "TRUEPREDICATE"
    case .nothing: "FALSEPREDICATE"
    case .assignee(let name): "assignee == '\(name)'"
    case .minutesBelow(let limit): "progressMinutes < \(limit)"
    case .both(let left, let right): "\(left.text) and \(right.text)"
    }
  }

  func matches(_ task: TaskFields) -> Bool {
    switch self {
    case .everything: true
    case .nothing: false
    case .assignee(let name): task.assignee == name
    case .minutesBelow(let limit): task.minutes < limit
    case .both(let left, let right): left.matches(task) && right.matches(task)
    }
  }

  static func random(_ dice: inout SeededGenerator) -> TaskCondition {
    switch Int.random(in: 0..<8, using: &dice) {
    case 0..<3: .everything
    case 3: .nothing
    case 4..<7: .assignee(["alice", "bob"].randomElement(using: &dice) ?? "")
    default: .minutesBelow(.random(in: 20...80, using: &dice))
    }
  }
}

/// What a user of a property test may see and do.
struct TestRole {
  var read = TaskCondition.everything
  var write = TaskCondition.everything
  var hidden: Set<String> = []
  var fixed: Set<String> = []
  var insert = true
  var delete = true
  /// Whether teams may be read and written, and whether their members may be read.
  var hasTeams = true
  var hidesMembers = false

  var permissions: Permissions {
    get throws {
      var classes = [
        "Task": try ClassPermission.role(
          read: read.text,
          write: write.text,
          insert: insert,
          delete: delete,
          readable: .allExcept(hidden),
          writable: .allExcept(hidden.union(fixed))
        )
      ]
      if hasTeams {
        classes["Team"] = try .role(of: "Team", readable: .allExcept(hidesMembers ? ["members"] : []))
      }
      return Permissions(classes: classes)
    }
  }

  static func random(_ dice: inout SeededGenerator) -> TestRole {
    func fields(_ dice: inout SeededGenerator) -> Set<String> {
      guard Int.random(in: 0..<2, using: &dice) == 0 else { return [] }
      return Set(
        ["taskName", "completed", "progressMinutes", "assignee"].filter { _ in
          Int.random(in: 0..<3, using: &dice) == 0
        }
      )
    }
    let read = TaskCondition.random(&dice)
    return TestRole(
      read: read,
      write: Bool.random(using: &dice) ? read : .both(read, .random(&dice)),
      hidden: fields(&dice),
      fixed: fields(&dice),
      insert: Int.random(in: 0..<5, using: &dice) > 0,
      delete: Int.random(in: 0..<5, using: &dice) > 0,
      hasTeams: Int.random(in: 0..<4, using: &dice) > 0,
      hidesMembers: Int.random(in: 0..<3, using: &dice) == 0
    )
  }

  /// Whether a property may be seen, of an object that may be.
  func shows(_ field: String, of className: String) -> Bool {
    className == "Task" ? !hidden.contains(field) : !hidesMembers || field != "members"
  }

  /// Whether an object may be seen; of tasks with its fields.
  func canRead(_ className: String, _ task: TaskFields) -> Bool {
    className == "Task" ? read.matches(task) : hasTeams
  }
}
