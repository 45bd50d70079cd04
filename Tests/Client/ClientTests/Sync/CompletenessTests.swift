// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// What a device knows about whether it has everything that a query matches.
@Suite struct CompletenessTests {
  @Test func everySetOfSubscriptionsHasWhatItsPredecessorHadUntilItsDataHasCome() throws {
    let server = try SyncServer()
    let device = try Device(server)
    let tasks = try device.realm.objects("Task").filter("progressMinutes > 5")
    #expect(try tasks.completeVersion() == nil)
    try device.subscribe(["Task": "progressMinutes > 5"])
    #expect(try tasks.completeVersion() == nil, "the realm still shows the data from before")
    try device.realm.refresh()
    let first = try #require(try tasks.completeVersion())

    try device.session.suspend()
    _ = try device.setSubscriptions(["Team": "TRUEPREDICATE"])
    #expect(try tasks.completeVersion() == first)
    #expect(try device.realm.objects("Team").completeVersion() == nil)
    try device.restart()
    #expect(try device.realm.objects("Task").filter("progressMinutes > 5").completeVersion() == first)
  }

  @Test func itIsThatOfTheDataThatTheRealmShows() throws {
    let server = try SyncServer()
    let (device, other) = (try Device(server), try Device(server))
    for each in [device, other] {
      try each.subscribe(["Task": "TRUEPREDICATE"])
      try each.realm.refresh()
    }
    let tasks = try device.realm.objects("Task")
    let before = try #require(try tasks.completeVersion())
    _ = try other.addTask("new")
    try other.upload()
    try device.session.wait(.FLX_DIRECTION_DOWNLOAD)
    if try device.taskNames.isEmpty { #expect(try tasks.completeVersion() == before) }
    try device.realm.refresh()
    #expect(try device.taskNames == ["new"])
    #expect(try #require(try tasks.completeVersion()) > before)
  }

  @Test func onlyWhatCanBeSubscribedToIsEverComplete() throws {
    let server = try SyncServer()
    let device = try Device(server)
    try device.subscribe(["Task": "TRUEPREDICATE", "Team": "TRUEPREDICATE"])
    let team = try device.realm.write { try device.realm.create("Team", .objectId(newObjectId())) }
    let list = try team.list("tasks")
    var handle: OpaquePointer?
    try attempt { flx_list_get_results(list.handle, &handle, $0) }
    let members = TestResults(try device.realm, "Task", try #require(handle))
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try members.completeVersion() }

    let folder = TemporaryFolder()
    let local = try TestRealm(path: folder.file("local.realm"), classes: .taskTracker)
    expectFailure(.FLX_STATUS_NOT_SYNCED) { _ = try local.objects("Task").completeVersion() }
  }
}

extension TestResults {
  fileprivate func completeVersion() throws -> UInt64? {
    var isComplete = false
    var version: UInt64 = 7
    try attempt { flx_results_get_completeness(handle, &isComplete, &version, $0) }
    if !isComplete { #expect(version == 0) }
    return isComplete ? version : nil
  }
}
