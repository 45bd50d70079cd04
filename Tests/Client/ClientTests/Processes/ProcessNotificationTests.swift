// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What a process learns of the commits of others.
@Suite struct ProcessNotificationTests {
  private static let classes = [
    TestClass(
      name: "Errand",
      properties: [
        TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true),
        TestProperty(name: "name", type: .FLX_TYPE_STRING),
      ]
    )
  ]

  let folder = TemporaryFolder()
  let path: String
  let realm: TestRealm

  init() throws {
    path = folder.file("test.realm")
    realm = try TestRealm(path: path, classes: Self.classes)
    try realm.write { for number in 0..<10 { try realm.create("Errand", .int(Int64(number))) } }
  }

  private func errand(_ id: Int64) throws -> TestObject { try #require(try realm.find("Errand", .int(id))) }

  /// Waits until there is something new, and shows it.
  private func follow() throws {
    var hasChanged = false
    try attempt { flx_realm_wait_for_change(realm.handle, Patience.milliseconds, &hasChanged, $0) }
    #expect(hasChanged)
    try realm.refresh()
  }

  private func recordCount() throws -> Int64 {
    let configuration = DatabaseConfiguration(location: .file(path), application: .realm)
    return try Database.open(configuration).integer("SELECT count(*) FROM flx_commits")
  }

  // MARK: Reports

  @Test func commitsOfAnotherProcessAreReportedAsIfTheyWereOnesOwn() throws {
    let peer = try ProcessPeer(local: path)
    let observation = try realm.objects("Errand").observe()
    try realm.refresh()
    _ = observation.take()
    try peer.perform("rename 3 changed")
    try follow()
    #expect(observation.take() == [Change(modifications: [3])])
    try peer.perform("create 20 new")
    try follow()
    #expect(observation.take() == [Change(insertions: [10])])
    try peer.perform("remove 0")
    try follow()
    #expect(observation.take() == [Change(deletions: [0])])
    #expect(try realm.objects("Errand").count == 10)
  }

  @Test func severalCommitsAreReportedTogether() throws {
    let peer = try ProcessPeer(local: path)
    let observation = try realm.objects("Errand").observe()
    try realm.refresh()
    _ = observation.take()
    for command in [
      "remove 1", "rename 5 changed", "create 30 new", "rename 30 newer", "create 31 new", "remove 31",
    ] {
      try peer.perform(command)
    }
    try realm.refresh()
    #expect(observation.take() == [Change(deletions: [1], insertions: [9], modifications: [4])])
  }

  @Test func whatAnotherProcessWritesIsReportedWhenATransactionBeginsOrEnds() throws {
    let peer = try ProcessPeer(local: path)
    let observation = try realm.objects("Errand").observe()
    try realm.refresh()
    _ = observation.take()
    try peer.perform("rename 2 changed")
    try realm.beginWrite()
    #expect(observation.take() == [Change(modifications: [2])])
    try errand(4).set("name", .string("own"))
    try realm.commit()
    #expect(observation.take() == [Change(modifications: [4])])
  }

  @Test func theObserverOfAnObjectGetsPropertiesAndTheDeletion() throws {
    let peer = try ProcessPeer(local: path)
    let observation = try errand(6).observe()
    let other = try errand(7).observe()
    try realm.refresh()
    try peer.perform("rename 6 changed")
    try follow()
    try peer.perform("remove 6")
    try follow()
    let name = try realm.property("Errand", "name").key
    #expect(observation.take() == [[name], nil])
    #expect(other.take().isEmpty)
  }

  @Test func theCallbackForChangesIsCalled() throws {
    let peer = try ProcessPeer(local: path)
    let calls = CallbackBox<Int>()
    flx_realm_set_changed_callback(
      realm.handle,
      { CallbackBox<Int>.of($0).add(1) },
      calls.retained,
      { CallbackBox<Int>.free($0) }
    )
    try peer.perform("create 40 new")
    try calls.wait("the call comes") { !$0.isEmpty }
    var isOutdated = false
    try attempt { flx_realm_notify(realm.handle, &isOutdated, $0) }
    #expect(isOutdated)
    #expect(try realm.refresh())
    #expect(try realm.objects("Errand").count == 11)
  }

  @Test func theOtherProcessIsNotifiedAsWell() throws {
    let peer = try ProcessPeer(local: path)
    try peer.perform("observe")
    peer.begin("changes")
    try realm.write { try errand(8).set("name", .string("changed")) }
    #expect(try peer.readLine() == "~8 ")
    peer.begin("changes")
    try realm.write {
      try errand(0).delete()
      try realm.create("Errand", .int(50))
    }
    #expect(try peer.readLine() == "-0 +9 ")
  }

  @Test func allHandlesOfAProcessAreTold() throws {
    let second = try TestRealm(path: path, classes: Self.classes)
    let peer = try ProcessPeer(local: path)
    let observations = try [realm, second].map { try $0.objects("Errand").observe() }
    for handle in [realm, second] { try handle.refresh() }
    for observation in observations { _ = observation.take() }
    try peer.perform("rename 9 changed")
    try follow()
    try second.refresh()
    for observation in observations { #expect(observation.take() == [Change(modifications: [9])]) }
  }

  @Test func transactionsOfThreeProcessesAtOnceAddUp() throws {
    let peers = try (0..<2).map { _ in try ProcessPeer(local: path) }
    var expected = Array(0..<Int64(10))
    let observation = try realm.objects("Errand").observe()
    try realm.refresh()
    _ = observation.take()
    for round in 0..<20 {
      for (number, peer) in peers.enumerated() {
        let id = Int64(1000 * (number + 1) + round)
        peer.begin("create \(id) new")
        expected.append(id)
      }
      try realm.write { try realm.create("Errand", .int(Int64(100 + round))) }
      expected.append(Int64(100 + round))
      for peer in peers { #expect(try peer.readLine() == "done") }
    }
    try realm.refresh()
    #expect(
      try realm.objects("Errand").filter("TRUEPREDICATE SORT(_id ASC)").values("_id")
        == expected.sorted().map(Cell.int)
    )
    let inserted = observation.take().map { $0.insertions.count }.reduce(0, +)
    #expect(inserted == 60)
  }

  // MARK: Records

  @Test func aProcessThatIsAloneRecordsNothing() throws {
    #expect(try recordCount() == 0)
    let peer = try ProcessPeer(local: path)
    try realm.write { try realm.create("Errand", .int(60)) }
    #expect(try recordCount() == 1)
    peer.end()
    try realm.write { try realm.create("Errand", .int(61)) }
    #expect(try recordCount() == 1)
  }

  @Test func aProcessThatWasKilledIsForgotten() throws {
    let peer = try ProcessPeer(local: path)
    peer.kill()
    for number in 0..<300 { try realm.write { try realm.create("Errand", .int(Int64(1000 + number))) } }
    let count = try recordCount()
    #expect(count > 0 && count < 300)
    let next = try ProcessPeer(local: path)
    #expect(try next.perform("names").split(separator: ",").count == 0)
    try next.perform("create 5000 new")
    try realm.refresh()
    #expect(try realm.objects("Errand").count == 311)
  }

  @Test func aLargeTransactionIsReportedExactly() throws {
    let peer = try ProcessPeer(local: path)
    let observation = try realm.objects("Errand").observe()
    try realm.refresh()
    _ = observation.take()
    try peer.perform("fill 1000 20000")
    try follow()
    #expect(observation.take() == [Change(insertions: Array(10..<20010))])
  }

  @Test func aMigrationIsReportedToOtherProcesses() throws {
    let peer = try ProcessPeer(local: path)
    try peer.perform("observe")
    peer.begin("changes")
    realm.release()
    let age = TestProperty(name: "age", type: .FLX_TYPE_INT)
    let grown = [TestClass(name: "Errand", properties: Self.classes[0].properties + [age])]
    _ = try TestRealm(path: path, grown, version: 1)
    #expect(try !peer.readLine().isEmpty)
  }

  @Test func aDamagedRecordStandsForUnknownChanges() {
    let name: [UInt8] = [1, 1, 0x41]
    let most = [UInt8](repeating: 0xff, count: 9) + [1]
    #expect(TouchedRows(encoded: name + [2, 1, 1, 1, 1] + most + [1]).isUnknown)
    #expect(TouchedRows(encoded: name + [1, 1, 1]).isUnknown)
  }

  // MARK: Frozen realms

  @Test func aFrozenRealmShowsWhatItsRealmShowedThoughAnotherProcessHasWritten() throws {
    let peer = try ProcessPeer(local: path)
    try realm.refresh()
    try peer.perform("create 70 new")
    let before = try realm.freeze()
    #expect(try before.objects("Errand").count == 10)
    try realm.refresh()
    let after = try realm.freeze()
    try peer.perform("create 71 new")
    #expect(try after.objects("Errand").count == 11)
    #expect(try before.objects("Errand").count == 10)
  }

  // MARK: Files

  @Test func aFileThatAnotherProcessHasOpenIsNotDeleted() throws {
    let peer = try ProcessPeer(local: path)
    realm.release()
    let delete = {
      try path.withC { path in
        var config = flx_realm_config_t()
        config.struct_size = MemoryLayout<flx_realm_config_t>.size
        config.path = path
        var isDeleted = false
        try attempt { flx_realm_delete_files(&config, &isDeleted, $0) }
        #expect(isDeleted)
      }
    }
    expectFailure(.FLX_STATUS_ALREADY_OPEN) { try delete() }
    try peer.perform("create 80 new")
    peer.end()
    try delete()
    for suffix in ["", ".processes", ".lock", "-wal"] { #expect(access(path + suffix, F_OK) != 0) }
  }

  @Test func theTableOfProcessesHasRoomOnTheDiskAndThePermissionsOfTheRealm() throws {
    realm.release()
    let table = "\(path).processes"
    var status = stat()
    #expect(unlink(table) == 0 && chmod(path, 0o600) == 0)
    try TestRealm(path: path, classes: Self.classes).release()
    #expect(stat(table, &status) == 0 && status.st_mode & 0o777 == 0o600)
    // A file without blocks.
    #expect(truncate(table, 0) == 0 && truncate(table, 4097) == 0)
    try TestRealm(path: path, classes: Self.classes).release()
    #expect(stat(table, &status) == 0 && status.st_blocks * 512 >= 4097)
  }

  @Test func aRealmThatCannotKnowOfOthersFindsTheirChangesWhenItRefreshes() throws {
    let path = folder.file("other.realm")
    // A folder is in the way.
    #expect(mkdir("\(path).processes", 0o700) == 0)
    flx_set_logger(.FLX_LOG_FATAL, nil, nil, nil)
    let realm = try TestRealm(path: path, classes: Self.classes)
    let peer = try ProcessPeer(local: path)
    try peer.perform("create 1 new")
    #expect(try realm.refresh())
    #expect(try realm.objects("Errand").count == 1)
  }
}
