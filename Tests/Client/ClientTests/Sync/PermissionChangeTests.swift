// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel
import FlexSyncQuery
import Synchronization
import Testing

@testable import FlexSyncCore
@testable import FlexSyncEngine
@testable import FlexSyncRules

/// Permissions on tasks by assignee, which a test changes.
private final class TaskPermissions: PermissionSource, Sendable {
  private let visible = Mutex<[String: [String]]>([:])

  /// Whose tasks a user may read and write; nil for everybody's.
  func set(_ userID: String, _ assignees: [String]?) { visible.withLock { $0[userID] = assignees } }

  func permissions(of userID: String, schema: Schema) throws -> Permissions {
    guard let assignees = visible.withLock({ $0[userID] }) else { return .open(schema) }
    let list = assignees.map { "'\($0)'" }.joined(separator: ", ")
    let filter = try Query.parse("assignee IN {\(list)}").bind(to: schema, className: "Task").predicate
    return Permissions(classes: ["Task": ClassPermission(role: "member", read: filter, write: filter)])
  }
}

@Suite struct PermissionChangeTests {
  private let permissions = TaskPermissions()

  @Test func aChangeOfPermissionsComesToASessionThatGoesOn() throws {
    let server = try SyncServer(permissions: permissions)
    let (admin, reader) = (try Device(server), try Device(server))
    permissions.set(reader.user.id, ["ada"])
    try admin.subscribe(["Task": "TRUEPREDICATE"])
    let set = try reader.subscribe(["Task": "TRUEPREDICATE"])
    for name in ["ada", "bob", "eve"] { _ = try admin.addTask("of \(name)", assignee: name) }
    try reader.expect("the task that may be read arrives") { try reader.taskNames == ["of ada"] }
    permissions.set(reader.user.id, ["bob", "eve"])
    server.permissionsHaveChanged()
    try reader.expect("other tasks come, and the first goes") {
      try reader.taskNames == ["of bob", "of eve"]
    }
    #expect(set.state == .FLX_SUBSCRIPTION_COMPLETE)
    // The session goes on in both directions.
    _ = try reader.addTask("written after", assignee: "bob")
    try reader.upload()
    try admin.expect("what is written arrives") { try admin.taskNames.contains("written after") }
    try reader.subscribe(["Task": "assignee == 'eve'"])
    try reader.expect("another subscription works") { try reader.taskNames == ["of eve"] }
  }

  @Test func aChangeInTheMiddleOfABootstrapBeginsItAnew() throws {
    let limits = DeliveryLimits(messageByteCount: 1_000, changesetByteCount: 500)
    let server = try SyncServer(permissions: permissions, limits: limits)
    let (admin, reader) = (try Device(server), try Device(server))
    permissions.set(reader.user.id, ["ada"])
    try admin.subscribe(["Task": "TRUEPREDICATE"])
    let realm = try admin.realm
    try realm.write {
      for number in 0..<3000 {
        _ = try realm.create(
          "Task",
          .objectId(newObjectId()),
          ["taskName": .string("task \(number)"), "assignee": .string(number % 2 == 0 ? "ada" : "bob")]
        )
      }
    }
    try admin.upload()
    let set = try reader.setSubscriptions(["Task": "TRUEPREDICATE"])
    for round in 0..<6 {
      pause(milliseconds: 5)
      permissions.set(reader.user.id, round % 2 == 0 ? ["bob"] : ["ada"])
      server.permissionsHaveChanged()
    }
    permissions.set(reader.user.id, ["bob"])
    server.permissionsHaveChanged()
    try set.wait()
    try reader.expect("what may be read is there, and nothing else") {
      try reader.realm.objects("Task").filter("assignee == 'bob'").count == 1500
        && reader.realm.objects("Task").count == 1500
    }
  }
}
