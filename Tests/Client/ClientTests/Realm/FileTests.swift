// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncTestSupport
import Foundation
import Testing

@testable import FlexSyncCore

/// Reading, copying and compacting files through the C functions.
@Suite struct FileTests {
  let folder = TemporaryFolder()

  private var path: String { get throws { folder.file("test.realm") } }

  private func write(count: Int64 = 3) throws {
    let realm = try TestRealm(path: path)
    try realm.write {
      for key in 0..<count { try realm.create("Task", .int(key), ["name": .string("\(key)")]) }
    }
    realm.release()
  }

  private func writeCopy(_ realm: TestRealm, to path: String) throws {
    try path.withC { path in
      var config = flx_realm_config_t()
      config.struct_size = MemoryLayout<flx_realm_config_t>.size
      config.path = path
      try attempt { flx_realm_write_copy(realm.handle, &config, $0) }
    }
  }

  @Test func aReadOnlyRealmRefusesTransactions() throws {
    try write()
    let realm = try TestRealm(path: path) { $0.read_only = true }
    #expect(try realm.objects("Task").count == 3)
    expectFailure(.FLX_STATUS_UNSUPPORTED) { try realm.beginWrite() }
    expectFailure(.FLX_STATUS_ALREADY_OPEN) { _ = try TestRealm(path: path) }
    realm.release()
    #expect(try TestRealm(path: path).objects("Task").count == 3)
  }

  @Test func aReadOnlyRealmHasTheClassesOfItsFile() throws {
    try write()
    let cat = TestClass(
      name: "Cat",
      properties: [TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true)]
    )
    let realm = try TestRealm(path: path, classes: .tasks + [cat]) { $0.read_only = true }
    #expect(try realm.classNames == ["Task", "Person"])
    expectFailure(.FLX_STATUS_IO) {
      _ = try TestRealm(path: folder.file("missing.realm")) { $0.read_only = true }
    }
  }

  @Test func aCopyDoesNotReplaceAFile() throws {
    try write()
    let realm = try TestRealm(path: path)
    let copy = folder.file("copy.realm")
    try writeCopy(realm, to: copy)
    expectFailure(.FLX_STATUS_FILE_EXISTS) { try writeCopy(realm, to: copy) }
    expectFailure(.FLX_STATUS_FILE_EXISTS) { try writeCopy(realm, to: try path) }
    try realm.beginWrite()
    expectFailure(.FLX_STATUS_IN_WRITE_TRANSACTION) { try writeCopy(realm, to: folder.file("other.realm")) }
    try realm.cancel()
    #expect(try TestRealm(path: copy).objects("Task").values("name") == ["0", "1", "2"].map(Cell.string))
  }

  @Test func aCopyThatFailsLeavesNothing() throws {
    try write()
    let realm = try TestRealm(path: path)
    let copies = folder.file("copies")
    try FileSystem.makeFolder(copies)
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
      try writeCopy(realm, to: "\(copies)/\(String(repeating: "n", count: 250))")
    }
    #expect(throws: Failure.self) { try writeCopy(realm, to: "\(copies)/none/copy.realm") }
    #expect(try FileSystem.names(in: copies).isEmpty)
    try writeCopy(realm, to: "\(copies)/\(String(repeating: "n", count: 241))")
    #expect(try FileSystem.names(in: copies).count == 1)
  }

  @Test func aSeedMustBeARealm() throws {
    folder.write("no realm", to: "seed.realm")
    folder.file("seed.realm").withC { seed in
      _ = expectFailure(.FLX_STATUS_NOT_A_DATABASE) { _ = try TestRealm(path: path) { $0.seed_path = seed } }
    }
  }

  @Test func aSeedIsNotMixedWithTheLogOfADeletedFile() throws {
    let seed = folder.file("seed.realm")
    try TestRealm(path: seed).write {}
    let path = try path
    let realm = try TestRealm(path: path)
    try realm.write { try realm.create("Task", .int(7)) }
    // The process that deleted the file was killed before it removed the log.
    try FileManager.default.copyItem(atPath: "\(path)-wal", toPath: "\(path)-kept")
    realm.release()
    #expect(try deleteFiles(of: path))
    try FileManager.default.moveItem(atPath: "\(path)-kept", toPath: "\(path)-wal")
    let planted = try seed.withC { seed in try TestRealm(path: path) { $0.seed_path = seed } }
    #expect(try planted.objects("Task").count == 0)
    planted.release()

    _ = try deleteFiles(of: path)
    folder.write("an old log", to: "\(path.split(separator: "/").last ?? "")-wal")
    #expect(try !deleteFiles(of: path))
    #expect(!FileManager.default.fileExists(atPath: "\(path)-wal"))
  }

  @Test func aThreadThatIsAboutToLetGoOfAClosedRealmDoesNotPreventItsDeletion() throws {
    let path = try path
    let realm = try TestRealm(path: path)
    try realm.write { try realm.create("Task", .int(7)) }
    let isHeld = Flag()
    let holder = OtherThread {
      let coordinator = try? RealmRegistry.coordinator(of: .file(path))
      isHeld.raise()
      pause(milliseconds: 50)
      return withExtendedLifetime(coordinator) { coordinator != nil }
    }
    isHeld.wait()
    realm.release()
    #expect(try deleteFiles(of: path))
    #expect(holder.join() == true)
  }

  @Test func theFilesOfAnOpenRealmAreNotDeleted() throws {
    let path = try path
    let realm = try TestRealm(path: path)
    try realm.write { try realm.create("Task", .int(7)) }
    expectFailure(.FLX_STATUS_ALREADY_OPEN) { _ = try deleteFiles(of: path) }
    #expect(try realm.objects("Task").count == 1)
  }

  private func deleteFiles(of path: String) throws -> Bool {
    var isDeleted = false
    try path.withC { path in
      var config = flx_realm_config_t()
      config.struct_size = MemoryLayout<flx_realm_config_t>.size
      config.path = path
      try attempt { flx_realm_delete_files(&config, &isDeleted, $0) }
    }
    return isDeleted
  }

  @Test func theCallbackDecidesAboutCompaction() throws {
    try write(count: 2000)
    let realm = try TestRealm(path: path)
    let tasks = try realm.objects("Task")
    try realm.write { try attempt { flx_results_delete_all(tasks.handle, $0) } }
    realm.release()
    let sizes = CallbackBox<UInt64>()
    let compacted = try TestRealm(path: path) { config in
      config.should_compact = { box, total, used in
        CallbackBox<UInt64>.of(box).add(total)
        CallbackBox<UInt64>.of(box).add(used)
        return true
      }
      config.should_compact_userdata = sizes.retained
      config.free_should_compact_userdata = { CallbackBox<UInt64>.free($0) }
    }
    #expect(sizes.events.count == 2 && sizes.events[1] < sizes.events[0])
    #expect(try compacted.objects("Task").count == 0)
    #expect(try compacted.file.database.byteCounts().total < sizes.events[0])
  }
}

extension TestRealm {
  fileprivate var file: RealmFile { Handle.object(handle, as: Realm.self).file }
}
