// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON

/// What the device that moves subscribes to and writes, in the steps of Tests/Conformance, and what must come of it.
struct OfflineWork {
  static let classes = ["Task", "Team"]
  /// The subscription sets that the file has seen.
  static let versionCount: Int64 = 40

  private static let team = "65d000000000000000000001"

  func subscription(_ version: Int64) -> JSON {
    OfflineWork.subscription("progressMinutes >= \(version - 100) AND progressMinutes < 7", isWaiting: true)
  }

  /// One more, which the server is not told of before the device changes it. It asks for `taskOfOtherDevice`.
  var pendingSubscription: JSON { OfflineWork.subscription("progressMinutes < 20", isWaiting: false) }

  private static func subscription(_ query: String, isWaiting: Bool) -> JSON {
    let tasks: JSON = ["class": "Task", "name": "tasks", "query": .string(query), "replace": true]
    let teams: JSON = ["class": "Team", "name": "teams", "query": "TRUEPREDICATE", "replace": true]
    return ["do": "update", "wait": .bool(isWaiting), "changes": [["add": tasks], ["add": teams]]]
  }

  /// What another device of the same user has made at the old server.
  func taskOfOtherDevice(_ owner: String) -> JSON { task(7, of: owner) }

  /// What another user has made at the old server.
  func taskOfOtherUser(_ owner: String) -> JSON { task(10, of: owner) }

  private func task(_ number: Int64, of owner: String) -> JSON {
    let values: JSON = [
      "taskName": .string("task \(number)"), "assignee": .string(owner), "completed": false,
      "progressMinutes": .integer(number), "dueDate": 1_700_000_000,
    ]
    return ["create": "Task", "id": .string(OfflineWork.key(number)), "values": values]
  }

  /// What is at the old server, too.
  func uploaded(_ owner: String) -> [JSON] {
    (1...5).map { task($0, of: owner) } + [
      ["create": "Team", "id": .string(OfflineWork.team), "values": ["teamName": "team"]],
      teamEdit("insert", "members", 0, .string(owner)),
      teamEdit("insert", "tasks", 0, .string(OfflineWork.key(1))),
      teamEdit("insert", "tasks", 1, .string(OfflineWork.key(2))),
    ]
  }

  /// What only the device has when it changes the server.
  func notUploaded(_ owner: String) -> [JSON] {
    [
      task(6, of: owner),
      [
        "set": "Task", "id": .string(OfflineWork.key(1)),
        "values": ["taskName": "renamed", "completed": true],
      ],
      ["delete": "Task", "id": .string(OfflineWork.key(2))],
      ["set": "Team", "id": .string(OfflineWork.team), "values": ["teamName": "offline team"]],
      teamEdit("insert", "tasks", 1, .string(OfflineWork.key(6))),
    ]
  }

  /// What the device and the new server end up with.
  let outcome = [
    "Task \(key(1)) renamed true", "Task \(key(3)) task 3 false", "Task \(key(4)) task 4 false",
    "Task \(key(5)) task 5 false", "Task \(key(6)) task 6 false", "Task \(key(7)) task 7 false",
    "Team \(team) offline team \(key(1)) \(key(6))",
  ]

  /// An object in the words of `outcome`.
  func essence(_ className: String, _ object: JSON) -> String {
    let text = { (name: String) in object[name]?.stringValue ?? "?" }
    guard className == "Task" else {
      let tasks = object["tasks"]?.arrayValue?.map { $0.stringValue ?? "?" } ?? []
      return (["Team", text("_id"), text("teamName")] + tasks).joined(separator: " ")
    }
    return "Task \(text("_id")) \(text("taskName")) \(object["completed"] == true)"
  }

  private func teamEdit(_ edit: String, _ property: String, _ index: Int64, _ value: JSON) -> JSON {
    .object([
      .init(edit, .string(property)), .init("class", "Team"), .init("id", .string(OfflineWork.team)),
      .init("index", .integer(index)), .init("value", value),
    ])
  }

  private static func key(_ number: Int64) -> String {
    "65c0000000000000000000" + (number < 10 ? "0" : "") + String(number)
  }
}
