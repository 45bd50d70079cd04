// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncCore
import FlexSyncStore
import FlexSyncTestSupport
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct NotificationTests {
  let folder = TemporaryFolder()
  let realm: TestRealm
  let path: String

  init() throws {
    path = folder.file("test.realm")
    realm = try TestRealm(path: path)
    try realm.write {
      for number in 0..<10 {
        try realm.create("Task", .int(Int64(number)), ["progress": .int(Int64(number))])
      }
    }
  }

  private func task(_ id: Int64) throws -> TestObject { try #require(try realm.find("Task", .int(id))) }

  @Test func theFirstReportIsInitial() throws {
    let observation = try realm.objects("Task").observe()
    #expect(observation.reports == [])
    try realm.refresh()
    #expect(observation.take() == [Change(isInitial: true)])
    try realm.refresh()
    #expect(observation.take() == [])
  }

  @Test func insertionsDeletionsAndModificationsComeByIndex() throws {
    let observation = try realm.objects("Task").filter("progress < 100").observe()
    try realm.refresh()
    _ = observation.take()
    try realm.write {
      try task(0).delete()
      try task(4).set("name", .string("changed"))
      try task(7).set("progress", .int(100))
      try realm.create("Task", .int(20))
    }
    #expect(observation.take() == [Change(deletions: [0, 7], insertions: [8], modifications: [3])])
    try realm.write { try task(4).set("name", .string("again")) }
    #expect(observation.take() == [Change(modifications: [3])])
  }

  @Test func whatDoesNotConcernResultsIsNotReported() throws {
    let observation = try realm.objects("Task").filter("progress >= 5").observe()
    try realm.refresh()
    _ = observation.take()
    try realm.write {
      try task(1).set("name", .string("x"))
      try realm.create("Person", .string("Ann"))
    }
    try realm.write {}
    try realm.beginWrite()
    try task(6).set("progress", .int(0))
    try realm.cancel()
    #expect(observation.take() == [])
  }

  @Test func aMoveIsADeletionAndAnInsertion() throws {
    let observation = try realm.objects("Task").sort("progress").observe()
    try realm.refresh()
    _ = observation.take()
    try realm.write { try task(0).set("progress", .int(50)) }
    #expect(observation.take() == [Change(deletions: [0], insertions: [9])])
  }

  @Test func changesOfAnotherHandleComeWithTheRefresh() throws {
    let observation = try realm.objects("Task").observe()
    let changes = try realm.observe()
    let seen = try task(3)
    try realm.refresh()
    _ = observation.take()
    let other = try TestRealm(path: path)
    try other.write { try #require(try other.find("Task", .int(3))).set("name", .string("other")) }
    try other.write { try other.create("Task", .int(30)) }
    #expect(observation.take() == [])
    #expect(try seen.get("name") == .string(""))
    #expect(try realm.objects("Task").count == 10)
    #expect(try realm.refresh())
    #expect(observation.take() == [Change(insertions: [10], modifications: [3])])
    #expect(changes.reports.count == 1)
    #expect(try seen.get("name") == .string("other"))
    #expect(try !realm.refresh())
  }

  @Test func beginningAWriteDeliversWhatOthersWrote() throws {
    let observation = try realm.objects("Task").observe()
    try realm.refresh()
    _ = observation.take()
    let other = try TestRealm(path: path)
    try other.write { try other.create("Task", .int(30)) }
    try realm.beginWrite()
    #expect(observation.take() == [Change(insertions: [10])])
    try realm.create("Task", .int(31))
    try realm.commit()
    #expect(observation.take() == [Change(insertions: [11])])
  }

  @Test func aReleasedTokenEndsTheReportsAndFreesTheUserdata() throws {
    let isFreed = Mutex(false)
    do {
      let observation = try realm.objects("Task").observe()
      observation.store.wasFreed = { isFreed.withLock { $0 = true } }
      try realm.refresh()
      _ = observation.take()
      observation.release()
      try realm.write { try realm.create("Task", .int(20)) }
      #expect(observation.take() == [])
    }
    #expect(isFreed.withLock { $0 })
  }

  @Test func anObjectReportsPropertiesAndItsDeletion() throws {
    let object = try task(2)
    let observation = try object.observe()
    let name = try realm.property("Task", "name").key
    let progress = try realm.property("Task", "progress").key
    let tags = try realm.property("Task", "tags").key
    try realm.write { try task(1).set("name", .string("other object")) }
    #expect(observation.take().isEmpty)
    try realm.write {
      try object.set("progress", .int(7))
      try object.set("name", .string("x"))
    }
    #expect(observation.take() == [[name, progress].sorted()])
    try realm.write { try object.list("tags").append(.string("a")) }
    #expect(observation.take() == [[tags]])
    try realm.write { try object.delete() }
    #expect(observation.take() == [nil])
    try realm.write { try realm.create("Task", .int(2)) }
    #expect(observation.take().isEmpty)
  }

  @Test func theChangedCallbackTellsOfOtherHandlesAndOfDueReports() throws {
    final class Counter { var count = 0 }
    let counter = Counter()
    let pointer = Unmanaged.passUnretained(counter).toOpaque()
    flx_realm_set_changed_callback(
      realm.handle,
      { Unmanaged<Counter>.fromOpaque($0!).takeUnretainedValue().count += 1 },
      pointer,
      nil
    )
    try realm.write { try realm.create("Task", .int(20)) }
    #expect(counter.count == 0)
    let other = try TestRealm(path: path)
    try other.write { try other.create("Task", .int(21)) }
    #expect(counter.count == 1)
    let observation = try realm.objects("Task").observe()
    #expect(counter.count == 2)
    flx_realm_set_changed_callback(realm.handle, nil, nil, nil)
    try other.write { try other.create("Task", .int(22)) }
    #expect(counter.count == 2)
    withExtendedLifetime(observation) {}
  }

  @Test func waitingEndsWithAChangeOrTheTime() throws {
    var hasChanged = true
    try attempt { flx_realm_wait_for_change(realm.handle, 10, &hasChanged, $0) }
    #expect(!hasChanged)
    let other = try TestRealm(path: path)
    try other.write { try other.create("Task", .int(20)) }
    try attempt { flx_realm_wait_for_change(realm.handle, 0, &hasChanged, $0) }
    #expect(hasChanged)
    try realm.refresh()
    try attempt { flx_realm_wait_for_change(realm.handle, 1, &hasChanged, $0) }
    #expect(!hasChanged)
  }

  @Test func aThreadWakesOneThatWaits() throws {
    let path = path
    nonisolated(unsafe) var thread = pthread_t()
    let context = Unmanaged.passRetained(Box(path)).toOpaque()
    pthread_create(
      &thread,
      nil,
      { context in
        let path = Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().path
        usleep(20_000)
        guard let other = try? TestRealm(path: path) else { return nil }
        _ = try? other.write { try other.create("Task", .int(20)) }
        return nil
      },
      context
    )
    var hasChanged = false
    try attempt { flx_realm_wait_for_change(realm.handle, 5000, &hasChanged, $0) }
    pthread_join(thread, nil)
    #expect(hasChanged)
    #expect(try realm.refresh())
    #expect(try realm.objects("Task").count == 11)
  }

  private final class Box {
    let path: String
    init(_ path: String) { self.path = path }
  }
}

@Suite struct OtherProcessTests {
  let folder = TemporaryFolder()

  /// A connection that the coordinator of the file knows nothing of, as another process has.
  private func writeElsewhere(_ path: String, _ body: (ObjectStore, ClassTable) throws -> Void) throws {
    let file = try RealmFile.open(
      DatabaseConfiguration(location: .file(path), application: .realm),
      owner: .local
    )
    let table = try #require(try file.objects.table(named: "Task"))
    try file.database.write { try body(file.objects, table) }
  }

  @Test func aRefreshFindsWhatAnotherProcessWrote() throws {
    let path = folder.file("test.realm")
    let realm = try TestRealm(path: path)
    let task = try realm.write { try realm.create("Task", .int(1)) }
    let tasks = try realm.objects("Task")
    let observation = try tasks.observe()
    try realm.refresh()
    _ = observation.take()
    #expect(try tasks.count == 1 && task.get("progress") == .int(0))
    try writeElsewhere(path) { store, table in
      let column = try #require(table.column(named: "progress"))
      try store.set(.int(7), row: try #require(try store.row(of: .int(1), in: table)), column)
      _ = try store.create(.int(2), in: table)
    }
    #expect(try tasks.count == 1 && task.get("progress") == .int(0))
    #expect(try realm.refresh())
    #expect(try tasks.count == 2 && task.get("progress") == .int(7))
    #expect(observation.take() == [Change(insertions: [1], modifications: [0])])
    #expect(try !realm.refresh())
    try realm.write { try task.set("progress", .int(8)) }
    #expect(try !realm.refresh())
    #expect(observation.take() == [Change(modifications: [0])])
    try writeElsewhere(path) { store, table in _ = try store.create(.int(3), in: table) }
    let count = try realm.write { try tasks.count }
    #expect(count == 3)
  }
}
