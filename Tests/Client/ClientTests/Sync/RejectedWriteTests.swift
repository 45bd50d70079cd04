// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncWire
import Testing

@testable import FlexSyncCore

/// What becomes of writes that a real server does not take.
@Suite struct RejectedWriteTests {
  let server: SyncServer

  init() throws { server = try SyncServer() }

  /// A device that subscribes to tasks of more than ten minutes, and has written one of five.
  private func deviceWithRejectedTask() throws -> (Device, CallbackBox<ReportedError>, id: String) {
    let device = try Device(server, email: "ada@example.com")
    let errors = device.app.collectErrors()
    try device.subscribe(["Task": "progressMinutes > 10"])
    let id = try device.addTask("short", assignee: "ada", minutes: 5)
    try errors.wait("the error comes") { !$0.isEmpty }
    try device.expect("the object goes") { try device.taskNames.isEmpty }
    return (device, errors, id)
  }

  // MARK: Listing

  @Test func aRejectedWriteIsListedUntilItIsDiscarded() throws {
    let (device, _, id) = try deviceWithRejectedTask()
    let writes = try device.realm.rejectedWrites
    let write = try #require(writes.first)
    #expect(writes.count == 1)
    #expect(write.className == "Task")
    #expect(write.key == .objectId(id))
    #expect(
      write.reason
        == "write to \"\(id)\" in table \"Task\" not allowed; object is outside of the current query view"
    )
    #expect(write.hasChanges && !write.isResubmitted)
    #expect(abs(write.writtenAt.seconds - Clock.now().seconds) < 60)
    try device.restart()
    #expect(try device.realm.rejectedWrites.map(\.id) == [write.id])
    #expect(try device.realm.discard(write.id))
    #expect(try device.realm.rejectedWrites.isEmpty)
    #expect(try !device.realm.discard(write.id))
  }

  @Test func discardingInATransactionBelongsToIt() throws {
    let (device, _, _) = try deviceWithRejectedTask()
    let realm = try device.realm
    let id = try #require(try realm.rejectedWrites.first).id
    try realm.beginWrite()
    #expect(try realm.discard(id))
    #expect(try realm.rejectedWrites.isEmpty)
    try realm.cancel()
    #expect(try realm.rejectedWrites.map(\.id) == [id])
  }

  @Test func aLocalRealmHasNoRejectedWrites() throws {
    let realm = try TestRealm(memory: "local")
    expectFailure(.FLX_STATUS_NOT_SYNCED) { _ = try realm.rejectedWrites }
    expectFailure(.FLX_STATUS_NOT_SYNCED) { _ = try realm.observeRejectedWrites() }
  }

  // MARK: Observing

  @Test func observersLearnWhatComesIsResubmittedAndGoes() throws {
    let device = try Device(server)
    try device.subscribe(["Task": "progressMinutes > 10"])
    let realm = try device.realm
    let observation = try realm.observeRejectedWrites()
    try realm.refresh()
    #expect(observation.take() == [Change(isInitial: true)])
    let id = try device.addTask("short", minutes: 5)
    try device.expect("the observer learns of the rejection") { !observation.reports.isEmpty }
    #expect(observation.take() == [Change(insertions: [0])])
    try realm.refresh()
    #expect(observation.take().isEmpty)

    try realm.beginWrite()
    try realm.resubmit(try #require(try realm.rejectedWrites.first).id)
    try realm.cancel()
    #expect(observation.take().isEmpty, "nothing has happened")
    try realm.write {
      try realm.resubmit(try #require(try realm.rejectedWrites.first).id)
      try device.task(id).set("progressMinutes", .int(30))
    }
    #expect(observation.take() == [Change(modifications: [0])])
    try device.expect("the observer learns that the server takes it") { !observation.reports.isEmpty }
    #expect(observation.take() == [Change(deletions: [0])])
  }

  @Test func allHandlesAreToldOfAWriteThatIsDiscardedOutsideOfATransaction() throws {
    let (device, _, _) = try deviceWithRejectedTask()
    let realm = try device.realm
    let other = try TestRealm(classes: .taskTracker) { $0.user = device.user.handle }
    let observations = try [realm, other].map { try $0.observeRejectedWrites() }
    for realm in [realm, other] { try realm.refresh() }
    #expect(observations.map { $0.take() } == [[Change(isInitial: true)], [Change(isInitial: true)]])
    try realm.discard(try #require(try realm.rejectedWrites.first).id)
    for realm in [realm, other] { try realm.refresh() }
    #expect(observations.map { $0.take() } == [[Change(deletions: [0])], [Change(deletions: [0])]])
    other.release()
  }

  // MARK: Resubmitting

  @Test func aRejectedWriteIsResubmittedWithAChangeThatMakesItLegal() throws {
    let (device, errors, id) = try deviceWithRejectedTask()
    let realm = try device.realm
    let write = try #require(try realm.rejectedWrites.first)
    try realm.write {
      try realm.resubmit(write.id)
      try device.task(id).set("progressMinutes", .int(30))
    }
    #expect(try device.taskNames == ["short"])
    try device.upload()
    try device.download()
    #expect(try device.taskNames == ["short"])
    #expect(try device.task(id).get("assignee") == .string("ada"))
    #expect(try realm.rejectedWrites.isEmpty)
    #expect(errors.events.count == 1)
    let other = try Device(server)
    try other.subscribe(["Task": "progressMinutes > 10"])
    try other.realm.refresh()
    #expect(try other.taskNames == ["short"])
  }

  @Test func aWriteThatIsRejectedAgainIsTheSameOneAndToldAgain() throws {
    let (device, errors, _) = try deviceWithRejectedTask()
    let realm = try device.realm
    let write = try #require(try realm.rejectedWrites.first)
    try device.session.suspend()
    try realm.write { try realm.resubmit(write.id) }
    #expect(try realm.rejectedWrites.map(\.isResubmitted) == [true])
    try device.session.resume()
    try errors.wait("the error comes again") { $0.count == 2 }
    try device.expect("the object goes") { try device.taskNames.isEmpty }
    #expect(try realm.rejectedWrites.map(\.id) == [write.id])
    #expect(try realm.rejectedWrites.map(\.isResubmitted) == [false])
  }

  @Test func resubmittingNeedsATransactionAndASubscription() throws {
    let (device, _, _) = try deviceWithRejectedTask()
    let realm = try device.realm
    let write = try #require(try realm.rejectedWrites.first)
    expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) { try realm.resubmit(write.id) }
    try device.subscribe(["Team": "TRUEPREDICATE"])
    try realm.beginWrite()
    expectFailure(.FLX_STATUS_NO_SUBSCRIPTION_FOR_WRITE) { try realm.resubmit(write.id) }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { try realm.resubmit(write.id + 1) }
    try realm.commit()
    #expect(try realm.rejectedWrites.map(\.id) == [write.id])
  }

  @Test func aCanceledResubmissionTakesTheObjectAway() throws {
    let (device, _, id) = try deviceWithRejectedTask()
    let realm = try device.realm
    let write = try #require(try realm.rejectedWrites.first)
    try realm.beginWrite()
    try realm.resubmit(write.id)
    let task = try device.task(id)
    try realm.cancel()
    #expect(!task.isValid)
    #expect(try realm.rejectedWrites.map(\.isResubmitted) == [false])
  }

  // MARK: Telling

  @Test func whatWasNotToldBeforeTheEndOfTheProcessIsToldOnceAfterwards() throws {
    let device = try Device(server, email: "ada@example.com")
    let errors = device.app.collectErrors()
    try device.subscribe(["Task": "TRUEPREDICATE"])
    let path = flx_realm_path(try device.realm.handle).text
    device.close()
    // As if the process had ended between the revert and the call of the handler.
    let owner = RealmOwner.synced(appID: "tasktracker-abcde", userID: device.user.id)
    let file = try RealmFile.open(
      DatabaseConfiguration(location: .file(path), application: .realm),
      owner: owner
    )
    try file.keep(
      ServerRejection(
        error: RejectionError(code: 231, message: "reverted"),
        clientVersion: 1,
        serverVersion: 5,
        objects: [.init(object: ObjectReference(table: "Task", key: .string("key")), reason: "why")]
      )
    )
    for _ in 0..<2 {
      try device.open()
      try device.download()
      device.close()
    }
    #expect(errors.events.map(\.writes) == [["Task string(\"key\"): why"]])
    #expect(errors.events.map(\.protocolCode) == [231])
  }

  @Test func theLogHasTheErrorInTheWordsOfRealm() {
    var info = ErrorInfo(message: "it has been reverted", action: .warning, tryAgain: true)
    info.compensatingWriteServerVersion = 3
    let report = SyncErrorReport(
      origin: .server,
      code: .compensatingWrite,
      message: info.message,
      isFatal: false,
      info: info
    )
    #expect(
      report.logLine(connection: 1, session: 2)
        == "Sync: Connection[1]: Session[2]: Received: ERROR \"it has been reverted\" "
        + "(error_code=231, try_again=true, error_action=Warning)"
    )
  }

  // MARK: Lost changes

  @Test func aChangeOfAnObjectThatAnotherHasTakenOutOfTheSubscriptionsIsToldAndKept() throws {
    let device = try Device(server)
    let errors = device.app.collectErrors()
    try device.subscribe(["Task": "progressMinutes > 10"])
    let id = try device.addTask("first", minutes: 20)
    try device.upload()
    try device.session.suspend()
    let other = try Device(server)
    try other.subscribe(["Task": "TRUEPREDICATE"])
    try other.realm.refresh()
    try other.set(id, "progressMinutes", .int(5))
    try other.upload()
    try device.set(id, "taskName", .string("changed"))
    try device.session.resume()
    try errors.wait("the error comes") { !$0.isEmpty }
    try device.expect("the object goes") { try device.taskNames.isEmpty }
    #expect(errors.events.map(\.protocolCode) == [231])
    let writes = try device.realm.rejectedWrites
    let write = try #require(writes.first)
    #expect(writes.count == 1 && write.hasChanges)
    #expect(write.reason.hasSuffix("not allowed; object is outside of the current query view"))
  }

  @Test func aChangeOfAnObjectThatTheNewSubscriptionsLeaveOutIsToldAndKept() throws {
    let device = try Device(server)
    let errors = device.app.collectErrors()
    try device.subscribe(["Task": "TRUEPREDICATE"])
    let id = try device.addTask("first", minutes: 1)
    _ = try device.addTask("second", minutes: 20)
    try device.upload()
    try device.session.suspend()
    let set = try device.setSubscriptions(["Task": "progressMinutes > 10"])
    // This is uploaded behind the new set, for which the object is not there any more.
    try device.set(id, "taskName", .string("changed"))
    try device.session.resume()
    try set.wait()
    try errors.wait("the error comes") { !$0.isEmpty }
    try device.upload()
    try device.download()
    #expect(try device.taskNames == ["second"])
    let error = try #require(errors.events.first)
    #expect(error.status == .FLX_STATUS_WRITE_REJECTED)
    #expect(!error.isFatal)
    #expect(errors.events.flatMap(\.writes).count == 1)
    #expect(error.writes.first?.hasPrefix("Task objectId(\"\(id)\")") == true)
    let write = try #require(try device.realm.rejectedWrites.first)
    // The object comes back with a subscription that asks for it; then the change can be made again.
    try device.subscribe(["Task": "TRUEPREDICATE"])
    try device.realm.refresh()
    #expect(try device.taskNames == ["first", "second"])
    let realm = try device.realm
    try realm.write { try realm.resubmit(write.id) }
    try device.upload()
    #expect(try device.taskNames == ["changed", "second"])
    try device.expect("the server takes it") { try device.realm.rejectedWrites.isEmpty }
  }
}
