// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Foundation
import Testing

/// Frozen realms, which stay on one version of the data.
@Suite struct FreezingTests {
  let folder = TemporaryFolder()
  let realm: TestRealm

  init() throws {
    realm = try TestRealm(path: folder.file("test.realm"), classes: .tasks + .boxes)
  }

  private func another() throws -> TestRealm {
    try TestRealm(path: folder.file("test.realm"), classes: .tasks + .boxes)
  }

  private func add(_ number: Int64, to realm: TestRealm) throws {
    try realm.write { try realm.create("Task", .int(number), ["name": .string("task \(number)")]) }
  }

  @Test func aFrozenRealmKeepsItsVersion() throws {
    try add(1, to: realm)
    let frozen = try realm.freeze()
    #expect(flx_realm_is_frozen(frozen.handle))
    #expect(!flx_realm_is_frozen(realm.handle))
    try add(2, to: realm)
    try realm.write { try realm.find("Task", .int(1))?.set("name", .string("other")) }
    #expect(try frozen.objects("Task").count == 1)
    #expect(try frozen.find("Task", .int(1))?.get("name") == .string("task 1"))
    #expect(try realm.objects("Task").count == 2)
  }

  @Test func aRealmThatOthersHaveOvertakenFreezesWhatItShows() throws {
    let writer = try another()
    for number in 1...20 as ClosedRange<Int64> {
      try realm.refresh()
      try add(2 * number, to: writer)
      try add(2 * number + 1, to: writer)
      let frozen = try realm.freeze()
      #expect(try frozen.objects("Task").count == 2 * Int(number) - 2)
      #expect(try realm.objects("Task").count == 2 * Int(number) - 2, "freezing does not refresh")
    }
  }

  @Test func handlesOfTheSameVersionHaveTheSameFrozenRealm() throws {
    try add(1, to: realm)
    let writer = try another()
    let frozen = try realm.freeze()
    #expect(try writer.freeze().handle == frozen.handle)
    try add(2, to: writer)
    #expect(try realm.freeze().handle == frozen.handle)
    #expect(try writer.freeze().handle != frozen.handle)
    #expect(try frozen.freeze().handle == frozen.handle)
  }

  @Test func inAWriteTransactionTheDataAtItsBeginningAreFrozen() throws {
    try add(1, to: realm)
    try realm.beginWrite()
    let created = try realm.create("Task", .int(2))
    let frozen = try realm.freeze()
    #expect(try frozen.objects("Task").count == 1)
    let reference = try Reference { flx_object_make_reference(created.handle, $0, $1) }
    #expect(try reference.object(in: frozen, "Task") == nil)
    try realm.commit()
    #expect(try frozen.objects("Task").count == 1)
  }

  @Test func referencesLeadIntoTheFrozenRealmAndBack() throws {
    try add(1, to: realm)
    let task = try #require(try realm.find("Task", .int(1)))
    let frozen = try realm.freeze()
    let frozenTask = try #require(
      try Reference { flx_object_make_reference(task.handle, $0, $1) }.object(in: frozen, "Task")
    )
    try realm.write { try task.set("name", .string("other")) }
    #expect(try frozenTask.get("name") == .string("task 1"))
    let back = try Reference { flx_object_make_reference(frozenTask.handle, $0, $1) }
    #expect(try back.object(in: realm, "Task")?.get("name") == .string("other"))
    try realm.write { try task.delete() }
    #expect(try back.object(in: realm, "Task") == nil)
    #expect(frozenTask.isValid)
  }

  @Test func aFrozenRealmCannotBeWrittenOrObserved() throws {
    try add(1, to: realm)
    let frozen = try realm.freeze()
    let task = try #require(try frozen.find("Task", .int(1)))
    expectFailure(.FLX_STATUS_UNSUPPORTED) { try frozen.beginWrite() }
    expectFailure(.FLX_STATUS_UNSUPPORTED) { try attempt { flx_realm_invalidate(frozen.handle, $0) } }
    var hasChanged = true
    expectFailure(.FLX_STATUS_UNSUPPORTED) {
      try attempt { flx_realm_wait_for_change(frozen.handle, 1, &hasChanged, $0) }
    }
    #expect(try !frozen.refresh())
    expectFailure(.FLX_STATUS_UNSUPPORTED) { _ = try task.observe() }
    expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) { try task.list("tags").append(.string("a")) }
    let message = expectFailure(.FLX_STATUS_UNSUPPORTED) { _ = try frozen.objects("Task").observe() }
    #expect(message.contains("do not change"))
  }

  @Test func aFrozenRealmOutlivesTheLiveOnes() throws {
    try add(1, to: realm)
    let frozen = try realm.freeze()
    realm.release()
    #expect(try frozen.objects("Task").count == 1)
    let reopened = try another()
    try add(2, to: reopened)
    #expect(try frozen.objects("Task").count == 1)
    #expect(try reopened.objects("Task").count == 2)
  }

  @Test func oneReleaseDoesNotCloseTheFrozenRealmOfOthers() throws {
    try add(1, to: realm)
    let first = try realm.freeze()
    let second = try realm.freeze()
    first.release()
    #expect(try second.objects("Task").count == 1)
  }

  @Test func severalThreadsReadTheSameFrozenObjectWhileOthersWrite() async throws {
    let path = folder.file("test.realm")
    try realm.write {
      for number in 0..<50 as Range<Int64> {
        try realm.create("Task", .int(number), ["name": .string("the name of task \(number)")])
      }
    }
    let frozen = Shared(try realm.freeze())
    let tasks = Shared(try frozen.value.objects("Task"))
    let task = Shared(try #require(try frozen.value.find("Task", .int(7))))
    await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        let writer = try TestRealm(path: path, classes: .tasks + .boxes)
        for number in 100..<200 as Range<Int64> {
          try writer.write { try writer.create("Task", .int(number), ["name": .string("new")]) }
        }
      }
      for _ in 0..<4 {
        group.addTask {
          for index in 0..<200 {
            frozen.value.lock()
            defer { frozen.value.unlock() }
            #expect(try task.value.get("name") == .string("the name of task 7"))
            let found = try tasks.value.object(at: index % 50)
            #expect(try found.get("name") == .string("the name of task \(index % 50)"))
            #expect(try tasks.value.count == 50)
          }
        }
      }
      await #expect(throws: Never.self) { try await group.waitForAll() }
    }
  }

  /// Handles that refresh, write, freeze and let go at random: a frozen realm always has what its handle showed.
  @Test(arguments: 0..<20 as Range<UInt64>) func everyFrozenRealmShowsWhatItsHandleShowed(_ seed: UInt64)
    throws
  {
    var random = SeededGenerator(seed: seed)
    let handles = try (0..<3).map { _ in try another() }
    var kept: [(realm: TestRealm, keys: [Cell])] = []
    for number in 0..<120 as Range<Int64> {
      let handle = try #require(handles.randomElement(using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: try add(number, to: handle)
      case 1: try handle.refresh()
      case 2:
        try handle.write { try handle.objects("Task").filter("_id < $0", [.int(number / 3)]).deleteAll() }
      case 3 where !kept.isEmpty: kept.remove(at: Int.random(in: kept.indices, using: &random))
      default:
        let shown = try handle.objects("Task").values("_id")
        kept.append((try handle.freeze(), shown))
      }
      for (frozen, keys) in kept { #expect(try frozen.objects("Task").values("_id") == keys, "seed \(seed)") }
    }
  }

  @Test func aReadOnlyRealmFreezesWithoutWritingToItsFile() throws {
    try add(1, to: realm)
    realm.release()
    let reading = try TestRealm(path: folder.file("test.realm"), classes: .tasks) { $0.read_only = true }
    let frozen = try reading.freeze()
    #expect(try frozen.objects("Task").count == 1)
  }

  @Test func onceAllHandlesAreClosedTheNextFrozenRealmIsOfTheFileThatIsThere() throws {
    let writer = try another()
    try add(1, to: writer)
    try add(2, to: writer)
    try realm.refresh()
    try add(3, to: writer)
    let kept = try realm.freeze()
    realm.release()
    writer.release()
    for suffix in ["", "-wal", "-shm"] { unlink(folder.file("test.realm") + suffix) }
    let new = try another()
    try add(9, to: new)
    #expect(try new.freeze().objects("Task").values("_id") == [.int(9)])
    #expect(try kept.objects("Task").count == 2)
  }

  @Test func whatWasInvalidatedIsNotObservedAnyMore() throws {
    try add(1, to: realm)
    let task = try #require(try realm.find("Task", .int(1)))
    let tasks = try realm.objects("Task")
    let (object, results) = (try task.observe(), try tasks.observe())
    try realm.refresh()
    _ = results.take()
    try attempt { flx_realm_invalidate(realm.handle, $0) }
    let writer = try another()
    try writer.write { try writer.find("Task", .int(1))?.set("name", .string("other")) }
    try realm.refresh()
    #expect(results.take().isEmpty)
    #expect(object.take().isEmpty)
  }

  @Test func invalidatingEndsObjectsAndCollectionsAndEmptiesResults() throws {
    try add(1, to: realm)
    let task = try #require(try realm.find("Task", .int(1)))
    let tags = try task.list("tags")
    let tasks = try realm.objects("Task")
    try realm.beginWrite()
    let created = try realm.create("Task", .int(2))
    try attempt { flx_realm_invalidate(realm.handle, $0) }
    #expect(!flx_realm_is_in_write(realm.handle))
    #expect(!task.isValid)
    #expect(!created.isValid)
    #expect(!flx_results_is_valid(tasks.handle))
    #expect(try tasks.count == 0)
    expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { _ = try tags.count }
    let again = try #require(try realm.find("Task", .int(1)))
    #expect(again.isValid)
    #expect(try realm.objects("Task").count == 1)
    try realm.write { try again.set("name", .string("still writable")) }
  }
}

extension TestRealm {
  func freeze() throws -> TestRealm {
    var frozen: OpaquePointer?
    try attempt { flx_realm_freeze(handle, &frozen, $0) }
    return TestRealm(owning: try #require(frozen))
  }

  func lock() { flx_realm_lock(handle) }
  func unlock() { flx_realm_unlock(handle) }
}

/// What threads may share because they take the lock of its realm.
private struct Shared<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
