// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncMatcher
import FlexSyncModel
import FlexSyncQuery
import Testing

@testable import FlexSyncCore
@testable import FlexSyncRules

/// Everybody reads all tasks; ada writes her own, and of those everything but the minutes.
private struct OwnTasks: PermissionSource, Sendable {
  /// Whether nobody may set the minutes.
  var fixesMinutes = false

  func permissions(of userID: String, schema: Schema) throws -> Permissions {
    let own = try Query.parse("assignee == 'ada'").bind(to: schema, className: "Task").predicate
    let fields: FieldAccess = fixesMinutes ? .allExcept(["progressMinutes"]) : .all
    return Permissions(
      classes: [
        "Task": ClassPermission(
          role: "owner-read-write",
          read: .always,
          write: own,
          insert: .always,
          delete: .always,
          readableFields: .all,
          writableFields: fields
        )
      ]
    )
  }
}

/// What a device sees when a real server takes writes back.
@Suite struct RevertTests {
  /// A device with all tasks, and the errors of its sessions.
  private func device(_ server: SyncServer, _ query: String = "TRUEPREDICATE") throws
    -> (Device, CallbackBox<ReportedError>)
  {
    let device = try Device(server)
    let errors = device.app.collectErrors()
    try device.subscribe(["Task": query])
    return (device, errors)
  }

  private func denied(_ id: String) -> String {
    "Task objectId(\"\(id)\"): write to \"\(id)\" in table \"Task\" not allowed"
  }

  private func outOfView(_ id: String) -> String {
    "Task objectId(\"\(id)\"): write to \"\(id)\" in table \"Task\" not allowed; object is outside of the current "
      + "query view"
  }

  // Feature 127, 128
  @Test func aRejectedObjectIsSeenToComeAndToGo() throws {
    let server = try SyncServer()
    let (device, errors) = try device(server, "progressMinutes > 10")
    let observation = try device.realm.objects("Task").observe()
    try device.realm.refresh()
    #expect(observation.take() == [Change(isInitial: true)])
    try device.session.suspend()
    let id = try device.addTask("short", minutes: 5)
    #expect(observation.take() == [Change(insertions: [0])])
    try device.session.resume()
    try errors.wait("the error comes") { !$0.isEmpty }
    // The error comes when the object has gone.
    try device.realm.refresh()
    #expect(observation.take() == [Change(deletions: [0])])
    #expect(try device.realm.find("Task", .objectId(id)) == nil)
    #expect(errors.events.map(\.writes) == [[outOfView(id)]])
  }

  // Feature 130, 134
  @Test func anErrorListsEveryObjectOfATransactionAndTheSessionGoesOn() throws {
    let server = try SyncServer(permissions: OwnTasks())
    let (device, errors) = try device(server, "progressMinutes > 10")
    let ids = (0..<3).map { _ in newObjectId() }
    let realm = try device.realm
    try realm.write {
      try realm.create(
        "Task",
        .objectId(ids[0]),
        ["assignee": .string("ada"), "progressMinutes": .int(5)]
      )
      try realm.create(
        "Task",
        .objectId(ids[1]),
        ["assignee": .string("bob"), "progressMinutes": .int(50)]
      )
      try realm.create(
        "Task",
        .objectId(ids[2]),
        ["taskName": .string("good"), "assignee": .string("ada"), "progressMinutes": .int(50)]
      )
    }
    try errors.wait("the error comes") { !$0.isEmpty }
    try device.download()
    #expect(try device.taskNames == ["good"])
    #expect(errors.events.map { Set($0.writes) } == [[outOfView(ids[0]), denied(ids[1])]])
    let error = try #require(errors.events.first)
    #expect(error.status == .FLX_STATUS_WRITE_REJECTED && error.protocolCode == 231 && !error.isFatal)
    #expect(
      error.message
        == "Client attempted a write that is outside of permissions or query filters; it has been reverted"
    )
    #expect(try device.session.state == .FLX_SESSION_ACTIVE)
    #expect(try device.session.connectionState == .FLX_CONNECTION_CONNECTED)
    _ = try device.addTask("later", assignee: "ada", minutes: 20)
    try device.upload()
    try device.download()
    #expect(try device.taskNames == ["good", "later"])
    #expect(errors.events.count == 1)
  }

  // Feature 133
  @Test func anUpdateOutsideOfThePermissionsIsTakenBackAndADeletedObjectReappears() throws {
    let server = try SyncServer(permissions: OwnTasks())
    let (device, errors) = try device(server)
    let given = try device.addTask("given away", assignee: "ada", minutes: 1)
    try device.upload()
    // To give a task away is a change that its writer could not make again.
    try device.set(given, "assignee", .string("bob"))
    try errors.wait("the error comes") { $0.count == 1 }
    try device.realm.refresh()
    #expect(try device.task(given).get("assignee") == .string("ada"))
    #expect(errors.events.last?.writes == [denied(given)])
    server.stop()
    let other = try SyncServer(permissions: NoDeletions())
    let (second, deletions) = try self.device(other)
    let kept = try second.addTask("kept", assignee: "ada", minutes: 7)
    try second.upload()
    try second.delete(kept)
    #expect(try second.taskNames.isEmpty)
    try deletions.wait("the error comes") { !$0.isEmpty }
    try second.realm.refresh()
    #expect(try second.taskNames == ["kept"])
    #expect(try second.task(kept).get("progressMinutes") == .int(7))
    #expect(
      deletions.events.map(\.writes) == [
        [
          "Task objectId(\"\(kept)\"): write to \"\(kept)\" in table \"Task\" not allowed"
        ]
      ]
    )
  }

  /// The example of the reference's documentation of ErrorCompensatingWrite.
  // Feature 129
  @Test func whatIsWrittenToAnObjectUntilItsRevertIsLostAndOtherObjectsKeepTheirs() throws {
    let server = try SyncServer(permissions: OwnTasks(fixesMinutes: true))
    let (device, errors) = try device(server)
    let (reader, _) = try self.device(server)
    let (first, second) = (try device.addTask("first", assignee: "ada"), newObjectId())
    _ = try device.addTask("second", assignee: "ada", id: second)
    try device.upload()
    try device.session.suspend()
    try device.set(first, "progressMinutes", .int(10))
    try device.set(first, "taskName", .string("legal by itself"))
    try device.delete(first)
    try device.delete(second)
    #expect(try device.taskNames.isEmpty)
    try device.session.resume()
    try errors.wait("the error comes") { !$0.isEmpty }
    try device.upload()
    try device.download()
    try reader.download()
    for device in [device, reader] {
      #expect(try device.taskNames == ["first"])
      #expect(try device.task(first).get("progressMinutes") == .int(0))
    }
    #expect(errors.events.first?.writes.count == 1)
    #expect(
      errors.events.first?.writes.first?.hasSuffix(
        "not allowed; field \"progressMinutes\" is not writable"
      ) == true
    )
  }

  // Feature 129
  @Test func whatIsWrittenToANewObjectThatIsRejectedIsLostToo() throws {
    let server = try SyncServer(permissions: OwnTasks())
    let (device, errors) = try device(server)
    let good = try device.addTask("good", assignee: "ada")
    try device.upload()
    try device.session.suspend()
    let bad = try device.addTask("bad", assignee: "bob")
    try device.set(good, "taskName", .string("better"))
    try device.set(bad, "taskName", .string("worse"))
    try device.set(bad, "assignee", .string("ada"))
    try device.session.resume()
    try errors.wait("the error comes") { !$0.isEmpty }
    try device.upload()
    try device.download()
    #expect(try device.taskNames == ["better"])
    #expect(errors.events.first?.writes == [denied(bad)])
  }
}

/// Nobody deletes tasks.
private struct NoDeletions: PermissionSource, Sendable {
  func permissions(of userID: String, schema: Schema) throws -> Permissions {
    Permissions(
      classes: ["Task": ClassPermission(role: "member", read: .always, write: .always, delete: .never)]
    )
  }
}
