// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Testing

@testable import FlexSyncCore

/// Realms that refuse what the server would take back.
@Suite struct SubscriptionCheckTests {
  let server: SyncServer
  let device: Device

  init() throws {
    server = try SyncServer()
    device = try Device(server, email: "ada@example.com")
    device.close()
    try device.open { $0.refuse_unsubscribed_objects = true }
  }

  /// Expects that a write is refused because of the object.
  private func expectRefusal(_ id: String, _ write: () throws -> Void) throws {
    let error = try #require(throws: Failure.self, performing: write)
    #expect(error.status == .FLX_STATUS_WRITE_REJECTED)
    #expect(
      error.message
        == "write to \"\(id)\" in table \"Task\" not allowed; object is outside of the current query view"
    )
    #expect(try !flx_realm_is_in_write(device.realm.handle))
  }

  @Test func aNewObjectOutsideOfTheSubscriptionsIsRefusedWithTheWholeTransaction() throws {
    try device.subscribe(["Task": "progressMinutes > 10"])
    let id = newObjectId()
    try expectRefusal(id) {
      try device.realm.write {
        try device.realm.create("Task", .objectId(newObjectId()), ["progressMinutes": .int(20)])
        try device.realm.create("Task", .objectId(id), ["progressMinutes": .int(5)])
      }
    }
    #expect(try device.taskNames.isEmpty)
    _ = try device.addTask("legal", minutes: 20)
    #expect(try device.taskNames == ["legal"])
  }

  @Test func anyOfTheSubscriptionsAllowsAWriteAlsoOneThatIsPending() throws {
    try device.subscribe(["Task": "progressMinutes > 10", "Team": "TRUEPREDICATE"])
    try device.session.suspend()
    _ = try device.setSubscriptions(["Task": "assignee == 'ada'"])
    _ = try device.addTask("by minutes", minutes: 20)
    _ = try device.addTask("by assignee", assignee: "ada")
    #expect(try device.taskNames == ["by assignee", "by minutes"])
    #expect(throws: Failure.self) { _ = try device.addTask("by nothing") }
  }

  @Test func takingAnObjectOutOfTheSubscriptionsIsLegal() throws {
    try device.subscribe(["Task": "progressMinutes > 10"])
    let id = try device.addTask("task", minutes: 20)
    try device.session.suspend()
    try device.set(id, "progressMinutes", .int(5))
    // Until the server takes it away, it is there and out of reach.
    try expectRefusal(id) { try device.set(id, "taskName", .string("late")) }
  }

  @Test func deletionsAreLegal() throws {
    try device.subscribe(["Task": "progressMinutes > 10"])
    let id = try device.addTask("task", minutes: 20)
    try device.delete(id)
    #expect(try device.taskNames.isEmpty)
  }

  @Test func withoutTheOptionTheServerDecides() throws {
    device.close()
    try device.open()
    try device.subscribe(["Task": "progressMinutes > 10"])
    try device.session.suspend()
    _ = try device.addTask("short", minutes: 5)
    #expect(try device.taskNames == ["short"])
  }
}
