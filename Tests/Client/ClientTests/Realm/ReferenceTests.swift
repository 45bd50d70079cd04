// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// References, with which other threads find the same things in their own handles.
@Suite struct ReferenceTests {
  let folder = TemporaryFolder()
  let realm: TestRealm
  /// Another handle of the file.
  let other: TestRealm

  init() throws {
    let path = folder.file("test.realm")
    realm = try TestRealm(path: path, classes: .tasks + .boxes)
    other = try TestRealm(path: path, classes: .tasks + .boxes)
  }

  @Test func anObjectIsFoundAtItsNewestAndNotOnceItIsDeleted() throws {
    let task = try realm.write { try realm.create("Task", .int(1), ["name": .string("paint")]) }
    let reference = try Reference { flx_object_make_reference(task.handle, $0, $1) }
    #expect(try other.objects("Task").count == 0, "resolving refreshes")
    let found = try #require(try reference.object(in: other, "Task"))
    #expect(try found.get("name") == .string("paint"))
    try realm.write { try task.delete() }
    #expect(found.isValid, "the data are not newer than the reference")
    #expect(try reference.object(in: other, "Task") != nil)
    try other.refresh()
    #expect(try reference.object(in: other, "Task") == nil)
  }

  @Test func aReferenceOfAWriteTransactionNeedsItsCommit() throws {
    let task = try realm.write { try realm.create("Task", .int(1), ["name": .string("paint")]) }
    try other.refresh()
    let reference = try realm.write {
      let reference = try Reference { flx_object_make_reference(task.handle, $0, $1) }
      try task.set("name", .string("draw"))
      return reference
    }
    #expect(try reference.object(in: other, "Task")?.get("name") == .string("draw"))
  }

  @Test func referencesOutliveTheirRealmAndServeOtherThreads() async throws {
    let reference = try {
      let task = try realm.write { try realm.create("Task", .int(1), ["name": .string("paint")]) }
      return try Reference { flx_object_make_reference(task.handle, $0, $1) }
    }()
    realm.release()
    let path = folder.file("test.realm")
    try await withThrowingTaskGroup(of: Cell?.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let own = try TestRealm(path: path, classes: .tasks + .boxes)
          return try reference.object(in: own, "Task")?.get("name")
        }
      }
      for try await name in group { #expect(name == .string("paint")) }
    }
  }

  @Test func collectionsAreFound() throws {
    let (task, box) = try realm.write {
      let task = try realm.create("Task", .int(1))
      try task.list("tags").append(.string("a"))
      let box = try realm.create("Box", .int(1))
      _ = try box.set(of: "labels").insert(.string("b"))
      try box.dictionary("counts").set("c", .int(3))
      return (task, box)
    }
    let (tags, labels, counts) = try (task.list("tags"), box.set(of: "labels"), box.dictionary("counts"))
    let list = try Reference { flx_list_make_reference(tags.handle, $0, $1) }
    let set = try Reference { flx_set_make_reference(labels.handle, $0, $1) }
    let dictionary = try Reference { flx_dictionary_make_reference(counts.handle, $0, $1) }
    #expect(try list.list(in: other)?.cells == [.string("a")])
    #expect(try set.set(in: other)?.count == 1)
    #expect(try dictionary.dictionary(in: other)?.get("c") == .int(3))
    try realm.write {
      try task.delete()
      try box.delete()
    }
    try other.refresh()
    #expect(try list.list(in: other) == nil)
    #expect(try set.set(in: other) == nil)
    #expect(try dictionary.dictionary(in: other) == nil)
  }

  @Test func resultsAreThoseOfTheSameQuery() throws {
    let owner = try realm.write {
      let owner = try realm.create("Person", .string("Ann"))
      for number in 1...5 as ClosedRange<Int64> {
        try realm.create("Task", .int(number), ["progress": .int(10 - number), "owner": owner.link])
      }
      return owner
    }
    let results = try realm.objects("Task").filter("progress > $0", [.int(5)]).sort("progress").limit(3)
    let reference = try Reference { flx_results_make_reference(results.handle, $0, $1) }
    let found = try #require(try reference.results(in: other, "Task"))
    #expect(try found.values("progress") == [.int(6), .int(7), .int(8)])
    let backlinks = try owner.backlinks(from: "Task", "owner")
    let origin = try Reference { flx_results_make_reference(backlinks.handle, $0, $1) }
    #expect(try origin.results(in: other, "Task")?.count == 5)
    try realm.write { try owner.delete() }
    try other.refresh()
    #expect(try origin.results(in: other, "Task") == nil)
    #expect(try found.count == 3)
  }

  @Test func whatIsNotCommittedLeadsNowhere() throws {
    try realm.beginWrite()
    let task = try realm.create("Task", .int(1))
    let reference = try Reference { flx_object_make_reference(task.handle, $0, $1) }
    #expect(try reference.object(in: other, "Task") == nil)
    try realm.commit()
    try other.refresh()
    #expect(try reference.object(in: other, "Task") != nil)
  }

  @Test func whatIsCanceledLeadsToNoLaterObject() throws {
    try realm.beginWrite()
    let task = try realm.create("Task", .int(1))
    let link = task.link
    let reference = try Reference { flx_object_make_reference(task.handle, $0, $1) }
    let list = try task.list("tags")
    let tags = try Reference { flx_list_make_reference(list.handle, $0, $1) }
    try realm.cancel()
    let later = try realm.write { try realm.create("Task", .int(1)) }
    #expect(later.link == link, "the row was free again")
    #expect(try reference.object(in: realm, "Task") == nil)
    try other.refresh()
    #expect(try reference.object(in: other, "Task") == nil)
    #expect(try tags.list(in: other) == nil)
  }

  @Test func aTransactionThatEndsWithItsRealmIsCanceled() throws {
    try realm.beginWrite()
    let task = try realm.create("Task", .int(1))
    let reference = try Reference { flx_object_make_reference(task.handle, $0, $1) }
    realm.release()
    _ = try other.write { try other.create("Task", .int(1)) }
    #expect(try reference.object(in: other, "Task") == nil)
  }

  // Feature 190
  @Test func aReferenceKeepsNoFileOpenAndLeadsToNoneMadeLater() throws {
    let path = folder.file("deleted.realm")
    let reference = try referenceToATask(in: path)
    try withRealm(path) { realm in
      let found = try reference.object(in: realm, "Task")
      #expect(found != nil)
    }
    try deleteFiles(path)
    try withRealm(path) { realm in
      _ = try realm.write { try realm.create("Task", .int(1)) }
      let found = try reference.object(in: realm, "Task")
      #expect(found == nil)
    }
  }

  private func withRealm<Result>(_ path: String, _ body: (TestRealm) throws -> Result) throws -> Result {
    let realm = try TestRealm(path: path, classes: .tasks)
    defer { realm.release() }
    return try body(realm)
  }

  /// Returns a reference to a new object of a realm that is closed again.
  private func referenceToATask(in path: String) throws -> Reference {
    try withRealm(path) { realm in
      let task = try realm.write { try realm.create("Task", .int(1)) }
      return try Reference { flx_object_make_reference(task.handle, $0, $1) }
    }
  }

  private func deleteFiles(_ path: String) throws {
    var isDeleted = false
    try path.withC { path in
      var config = flx_realm_config_t()
      config.struct_size = MemoryLayout<flx_realm_config_t>.size
      config.path = path
      try attempt { flx_realm_delete_files(&config, &isDeleted, $0) }
    }
    #expect(isDeleted)
  }

  @Test func anObjectWithAnotherKeyInAFileThatTheProgramReplacedIsNotFound() throws {
    let path = folder.file("replaced.realm")
    let reference = try referenceToATask(in: path)
    for suffix in ["", "-wal", "-shm"] { _ = remove(path + suffix) }
    try withRealm(path) { realm in
      _ = try realm.write { try realm.create("Task", .int(2)) }
      let found = try reference.object(in: realm, "Task")
      #expect(found == nil)
    }
  }

  @Test func aReferenceLeadsToOneKindOfThingInOneFile() throws {
    let task = try realm.write { try realm.create("Task", .int(1)) }
    let reference = try Reference { flx_object_make_reference(task.handle, $0, $1) }
    let message = expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try reference.list(in: other) }
    #expect(message.contains("The reference leads to an object, not to a list."))
    let stranger = try TestRealm(path: folder.file("stranger.realm"))
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try reference.object(in: stranger, "Task") }
    try realm.write { try task.delete() }
    expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) {
      _ = try Reference { flx_object_make_reference(task.handle, $0, $1) }
    }
  }
}
