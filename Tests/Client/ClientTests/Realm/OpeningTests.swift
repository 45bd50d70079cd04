// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncChangeset
import FlexSyncStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct OpeningTests {
  let folder = TemporaryFolder()
  var path: String { get throws { folder.file("test.realm") } }

  private func withConfig<Result>(
    path: String,
    memory: String = "",
    _ body: (UnsafePointer<flx_realm_config_t>) throws -> Result
  ) rethrows -> Result {
    try path.withC { path in
      try memory.withC { memory in
        var config = flx_realm_config_t()
        config.struct_size = MemoryLayout<flx_realm_config_t>.size
        config.path = path
        config.in_memory_name = memory
        return try body(&config)
      }
    }
  }

  private func exists(_ path: String) throws -> Bool {
    var exists = false
    try withConfig(path: path) { config in try attempt { flx_realm_file_exists(config, &exists, $0) } }
    return exists
  }

  private func delete(_ path: String) throws -> Bool {
    var isDeleted = false
    try withConfig(path: path) { config in try attempt { flx_realm_delete_files(config, &isDeleted, $0) } }
    return isDeleted
  }

  // MARK: Files

  // Feature 163, 164
  @Test func filesAreMadeFoundAndDeleted() throws {
    let path = try path
    #expect(try !exists(path))
    #expect(try !delete(path))
    let realm = try TestRealm(path: path)
    #expect(try exists(path))
    #expect(flx_realm_path(realm.handle).text == path)
    #expect(!flx_realm_is_synced(realm.handle))
    expectFailure(.FLX_STATUS_ALREADY_OPEN) { _ = try delete(path) }
    try realm.write { try realm.create("Task", .int(1)) }
    realm.release()
    #expect(try delete(path))
    #expect(try !exists(path))
    #expect(try TestRealm(path: path).objects("Task").count == 0)
  }

  @Test func otherFilesAreRefused() throws {
    let path = try path
    try FileSystem.replace(path, with: Array("This is no database, but it is long enough.".utf8))
    expectFailure(.FLX_STATUS_NOT_A_DATABASE) { _ = try TestRealm(path: path) }
    expectFailure(.FLX_STATUS_IO) { _ = try TestRealm(path: "/nonexistent/folder/test.realm") }
    expectFailure(.FLX_STATUS_IO) { _ = try TestRealm(path: folder.path) }
  }

  @Test func aRealmOfANewerVersionIsRefusedAndKept() throws {
    let path = try path
    let realm = try TestRealm(path: path)
    try realm.write { try realm.create("Task", .int(1)) }
    realm.release()
    let known = DatabaseConfiguration.Application.realm.migrator.migrations
    let newer = known + [Migration("of the future") { try $0.execute("CREATE TABLE flx_future (n)") }]
    _ = try Database.open(path, .realm.withMigrations(newer))
    let message = expectFailure(.FLX_STATUS_INCOMPATIBLE_FILE) { _ = try TestRealm(path: path) }
    #expect(message.contains("'\(path)' has format \(newer.count + 1), written by a newer version"))
    #expect(message.contains("Update this program"))
    let store = try ObjectStore(Database.open(path, .realm.withMigrations(newer)))
    #expect(try store.row(of: ObjectReference(table: "Task", key: .int(1))) != nil)
  }

  @Test func realmsInMemoryAreSharedByNameAndGoneWithTheLastHandle() throws {
    let first = try TestRealm(memory: "one")
    try first.write { try first.create("Task", .int(1)) }
    let second = try TestRealm(memory: "one")
    let other = try TestRealm(memory: "two")
    #expect(try second.objects("Task").count == 1)
    #expect(try other.objects("Task").count == 0)
    first.release()
    #expect(try second.objects("Task").count == 1)
    second.release()
    #expect(try TestRealm(memory: "one").objects("Task").count == 0)
  }

  @Test func twoPathsOfOneFileShareItsChanges() throws {
    let first = try TestRealm(path: path)
    let second = try TestRealm(
      path: "\(folder.path)/../\(folder.path.split(separator: "/").last ?? "")/test.realm"
    )
    try first.write { try first.create("Task", .int(1)) }
    #expect(try second.objects("Task").count == 0)
    #expect(try second.refresh())
    #expect(try second.objects("Task").count == 1)
  }

  @Test func aSecondNameOfAnOpenFileIsRefused() throws {
    let (path, other) = (try path, folder.file("other.realm"))
    let first = try TestRealm(path: path)
    try first.write { try first.create("Task", .int(1)) }
    #expect(link(path, other) == 0)
    let message = expectFailure(.FLX_STATUS_ALREADY_OPEN) { _ = try TestRealm(path: other) }
    #expect(message.hasPrefix("'\(other)' is another name (a hard link) of '\(path)', which is open."))
    #expect(try TestRealm(path: path).objects("Task").count == 1)
    first.release()
    #expect(try TestRealm(path: other).objects("Task").count == 1)
  }

  // MARK: What is no realm

  private var names: [String] { get throws { try FileSystem.names(in: folder.path) } }

  @Test func foldersAndDevicesAreRefusedWithoutATrace() throws {
    let inner = folder.file("inner")
    try FileSystem.makeFolder(inner)
    let message = expectFailure(.FLX_STATUS_IO) { _ = try TestRealm(path: inner) }
    #expect(message == "'\(inner)' is a folder. Give the path of a file in it.")
    let wasThere = FileSystem.exists("/dev/null.processes")
    let device = expectFailure(.FLX_STATUS_IO) { _ = try TestRealm(path: "/dev/null") }
    #expect(device == "'/dev/null' is a device or the like. Give the path of a file.")
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    expectFailure(.FLX_STATUS_IO) { _ = try TestRealm(path: pipe) }
    #expect(try names.sorted() == ["inner", "pipe"])
    #expect(FileSystem.exists("/dev/null.processes") == wasThere)
  }

  @Test func aFailedOpeningOfANewRealmLeavesNothing() throws {
    let path = try path
    let properties = (0..<1000).map { TestProperty(name: "p\($0)", type: .FLX_TYPE_INT) }
    let key = TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true)
    #expect(throws: Failure.self) {
      _ = try TestRealm(path: path, classes: [TestClass(name: "Wide", properties: [key] + properties)])
    }
    #expect(try names.isEmpty)
    expectFailure(.FLX_STATUS_IO) { _ = try TestRealm(path: path) { $0.read_only = true } }
    #expect(try names.isEmpty)
    let longName = String(repeating: "n", count: 250)
    let message = expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
      _ = try TestRealm(path: folder.file(longName))
    }
    #expect(message.hasPrefix("The name of the file has 250 bytes; that of a realm may have at most 241,"))
    #expect(try names.isEmpty)
    try TestRealm(path: folder.file(String(repeating: "n", count: 241))).release()
  }

  @Test func aFailedOpeningOfAnotherFileLeavesThatFileAlone() throws {
    let path = try path
    let content = Array(repeating: UInt8(ascii: "x"), count: 200)
    try FileSystem.replace(path, with: content)
    expectFailure(.FLX_STATUS_NOT_A_DATABASE) { _ = try TestRealm(path: path) }
    #expect(try names == ["test.realm"] && FileSystem.read(path) == content)
  }

  @Test func aFailedOpeningLeavesTheRealmOfAnotherHandleAlone() throws {
    let realm = try TestRealm(path: path)
    try realm.write { try realm.create("Task", .int(1)) }
    let task = TestClass(
      name: "Task",
      properties: [TestProperty(name: "_id", type: .FLX_TYPE_STRING, isPrimaryKey: true)]
    )
    #expect(throws: Failure.self) { _ = try TestRealm(path: path, classes: [task]) }
    realm.release()
    #expect(throws: Failure.self) { _ = try TestRealm(path: path, classes: [task]) }
    #expect(try TestRealm(path: path).objects("Task").count == 1)
  }

  @Test func aPathWithASlashAtItsEndIsRefused() throws {
    let path = try path
    let message = expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try TestRealm(path: path + "/") }
    #expect(message == "The path of a realm must name a file, but '\(path)/' names a folder.")
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try exists(path + "/") }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try delete(path + "/") }
    #expect(try !exists(path))
  }

  #if !canImport(Darwin)
  @Test func filesWhoseNamesLookTheSameAreDifferent() throws {
    let composed = try TestRealm(path: folder.file("\u{E4}.realm"))
    let decomposed = try TestRealm(path: folder.file("a\u{308}.realm"))
    try composed.write { try composed.create("Task", .int(1)) }
    try decomposed.refresh()
    #expect(try decomposed.objects("Task").count == 0)
  }
  #endif

  // MARK: Configurations

  @Test func badConfigurationsAreRefused() throws {
    let path = try path
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try TestRealm() }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try TestRealm(path: path, memory: "both") }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try TestRealm(path: "\(path)\u{0}x") }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try TestRealm(path: path) { $0.struct_size = 0 } }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try TestRealm(path: path) { $0.classes = nil } }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { _ = try TestRealm(path: path) { $0.class_count = -1 } }
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
      _ = try TestRealm(path: path) { $0.path = flx_string_t(data: nil, size: 5) }
    }
    #expect(try !exists(path))
  }

  @Test func anOlderCallersConfigurationIsRead() throws {
    let size = try #require(MemoryLayout<flx_realm_config_t>.offset(of: \.initial_subscriptions))
    let realm = try TestRealm(path: path) { $0.struct_size = size }
    #expect(flx_realm_class_count(realm.handle) == 2)
  }

  @Test func badClassesAreRefused() throws {
    let path = try path
    let key = TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true)
    func expectBad(_ classes: [TestClass], sourceLocation: SourceLocation = #_sourceLocation) {
      expectFailure(.FLX_STATUS_INVALID_ARGUMENT, sourceLocation: sourceLocation) {
        _ = try TestRealm(path: path, classes: classes)
      }
    }
    expectBad([TestClass(name: "", properties: [key])])
    expectBad([TestClass(name: String(repeating: "x", count: 58), properties: [key])])
    expectBad([TestClass(name: "A", properties: [key, key])])
    expectBad([TestClass(name: "A", properties: [key]), TestClass(name: "A", properties: [key])])
    expectBad([
      TestClass(
        name: "A",
        properties: [key, TestProperty(name: "k", type: .FLX_TYPE_INT, isPrimaryKey: true)]
      )
    ])
    expectBad([
      TestClass(name: "A", properties: [TestProperty(name: "_id", type: .FLX_TYPE_BOOL, isPrimaryKey: true)])
    ])
    expectBad([TestClass(name: "A", properties: [key, TestProperty(name: "", type: .FLX_TYPE_INT)])])
    expectBad([TestClass(name: "A", properties: [key, TestProperty(name: "p", type: .FLX_TYPE_NULL)])])
    expectBad([TestClass(name: "A", properties: [key, TestProperty(name: "p", type: .FLX_TYPE_LINK)])])
    expectBad([
      TestClass(name: "A", properties: [key, TestProperty(name: "p", type: .FLX_TYPE_LINK, target: "B")])
    ])
    expectBad([
      TestClass(name: "A", properties: [key, TestProperty(name: "p", type: .FLX_TYPE_INT, target: "A")])
    ])
    if let type = flx_type_t(rawValue: 77) {
      expectBad([TestClass(name: "A", properties: [key, TestProperty(name: "p", type: type)])])
    }
    #expect(try !exists(path))
  }

  @Test func setsOfEmbeddedObjectsAreRefused() throws {
    let key = TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true)
    let set = TestProperty(name: "s", type: .FLX_TYPE_LINK, collection: .FLX_COLLECTION_SET, target: "B")
    let inner = TestProperty(name: "i", type: .FLX_TYPE_INT)
    let classes = [
      TestClass(name: "A", properties: [key, set]),
      TestClass(name: "B", kind: .FLX_CLASS_EMBEDDED, properties: [inner]),
    ]
    let message = expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
      _ = try TestRealm(path: path, classes: classes)
    }
    #expect(message == "The set 'A.s' cannot hold objects of the embedded class 'B'. Use a list.")
  }

  // MARK: Schema

  @Test func classesAreDescribedAsDeclared() throws {
    let realm = try TestRealm(path: path)
    #expect(flx_realm_class_count(realm.handle) == 2)
    var info = flx_class_info_t()
    try attempt { flx_realm_class_at(realm.handle, 0, &info, $0) }
    #expect(info.name.text == "Task")
    let names = UnsafeBufferPointer(start: info.properties, count: info.property_count).map(\.name.text)
    #expect(names == [TestClass].tasks[0].properties.map(\.name))
    let owner = try realm.property("Task", "owner")
    #expect(owner.type == .FLX_TYPE_LINK && owner.link_target.text == "Person" && owner.is_nullable)
    let tags = try realm.property("Task", "tags")
    #expect(tags.collection == .FLX_COLLECTION_LIST && !tags.is_nullable)
    #expect(try realm.property("Task", "_id").is_primary_key)
    #expect(try realm.property("Task", "progress").is_indexed)
    #expect(flx_realm_class_at(realm.handle, 2, &info, nil) == .FLX_STATUS_INDEX_OUT_OF_BOUNDS)
    expectFailure(.FLX_STATUS_NO_SUCH_CLASS) { _ = try realm.classKey("Nothing") }
    expectFailure(.FLX_STATUS_NO_SUCH_PROPERTY) { _ = try realm.property("Task", "nothing") }
  }

  @Test func aSchemaGrowsAndMayBeAPartOfTheFiles() throws {
    let all = [TestClass].tasks
    var small = [TestClass(name: "Task", properties: Array(all[0].properties.prefix(3)))]
    do {
      let realm = try TestRealm(path: path, classes: small)
      try realm.write { try realm.create("Task", .int(1), ["progress": .int(5)]) }
      realm.release()
    }
    do {
      let realm = try TestRealm(path: path, classes: all)
      let task = try #require(try realm.find("Task", .int(1)))
      #expect(try task.get("progress") == .int(5))
      #expect(try task.get("weight") == .double(0))
      #expect(try task.get("note") == .null)
      realm.release()
    }
    small[0].properties.swapAt(1, 2)
    let realm = try TestRealm(path: path, classes: small)
    #expect(try #require(try realm.find("Task", .int(1))).get("progress") == .int(5))
    expectFailure(.FLX_STATUS_NO_SUCH_PROPERTY) { _ = try realm.property("Task", "weight") }
    expectFailure(.FLX_STATUS_NO_SUCH_CLASS) { _ = try realm.classKey("Person") }
  }

  @Test func aSchemaThatContradictsTheFileIsRefused() throws {
    try TestRealm(path: path).release()
    var classes = [TestClass].tasks
    classes[0].properties[2].type = .FLX_TYPE_STRING
    let message = expectFailure(.FLX_STATUS_SCHEMA_MISMATCH) {
      _ = try TestRealm(path: path, classes: classes)
    }
    #expect(message.contains("Task.progress"))
    classes = .tasks
    classes[0].properties[1].isNullable = true
    expectFailure(.FLX_STATUS_SCHEMA_MISMATCH) { _ = try TestRealm(path: path, classes: classes) }
    classes = .tasks
    classes[1].properties[0].type = .FLX_TYPE_UUID
    expectFailure(.FLX_STATUS_SCHEMA_MISMATCH) { _ = try TestRealm(path: path, classes: classes) }
  }

  @Test func aHandleOpenSeesNothingOfWhatALaterSchemaAdds() throws {
    let small = [TestClass(name: "Task", properties: Array([TestClass].tasks[0].properties.prefix(3)))]
    let first = try TestRealm(path: path, classes: small)
    let task = try first.write { try first.create("Task", .int(1)) }
    let second = try TestRealm(path: path)
    try second.write { try #require(try second.find("Task", .int(1))).set("weight", .double(2)) }
    try first.refresh()
    #expect(try task.get("progress") == .int(0))
    try first.write { try task.set("progress", .int(3)) }
    try second.refresh()
    let seen = try #require(try second.find("Task", .int(1)))
    #expect(try seen.get("progress") == .int(3))
    #expect(try seen.get("weight") == .double(2))
  }

  // MARK: Transactions

  @Test func transactionsDoNotNest() throws {
    let realm = try TestRealm(path: path)
    try realm.beginWrite()
    #expect(flx_realm_is_in_write(realm.handle))
    expectFailure(.FLX_STATUS_IN_WRITE_TRANSACTION) { try realm.beginWrite() }
    #expect(try !realm.refresh())
    try realm.commit()
    #expect(!flx_realm_is_in_write(realm.handle))
  }

  @Test func theVersionGrowsWithChanges() throws {
    let realm = try TestRealm(path: path)
    let start = flx_realm_version(realm.handle)
    try realm.refresh()
    #expect(flx_realm_version(realm.handle) == start)
    try realm.write { try realm.create("Task", .int(1)) }
    let written = flx_realm_version(realm.handle)
    #expect(written > start)
    let other = try TestRealm(path: path)
    try other.write { try other.create("Task", .int(2)) }
    try realm.refresh()
    #expect(flx_realm_version(realm.handle) > written)
  }

  @Test func constantsAndTablesAgreeWithTheHeader() {
    #expect(String(cString: flx_version()) == "0.1.0")
    #expect(flx_version_number() == 1000)
    #expect(String(cString: flx_status_name(.FLX_STATUS_DISK_FULL)) == "DISK_FULL")
    #expect(String(cString: flx_status_meaning(.FLX_STATUS_OK)) == "success")
    #expect(String(cString: flx_status_name(flx_status_t(rawValue: 9999) ?? .FLX_STATUS_OK)) == "UNKNOWN")
  }
}

@Suite struct AddingClassesTests {
  let folder = TemporaryFolder()
  var path: String { get throws { folder.file("test.realm") } }

  private func add(_ classes: [TestClass], to realm: TestRealm) throws {
    try classes.withC { classes in
      let base = try #require(classes.baseAddress)
      try attempt { flx_realm_add_classes(realm.handle, base, classes.count, $0) }
    }
  }

  private var small: [TestClass] {
    [TestClass(name: "Task", properties: Array([TestClass].tasks[0].properties.prefix(3)))]
  }

  @Test func classesAndPropertiesAreAddedToAnOpenRealm() throws {
    let realm = try TestRealm(path: path, classes: small)
    let task = try realm.write { try realm.create("Task", .int(1), ["progress": .int(5)]) }
    #expect(try task.get("progress") == .int(5))
    try add(.tasks, to: realm)
    #expect(flx_realm_class_count(realm.handle) == 2)
    #expect(try task.get("weight") == .double(0))
    #expect(try task.get("progress") == .int(5))
    try realm.write { try task.set("owner", try realm.create("Person", .string("Ann")).link) }
    #expect(try realm.objects("Task").filter("owner._id == 'Ann'").count == 1)
    let other = try TestRealm(path: path)
    #expect(try #require(try other.find("Task", .int(1))).get("owner") != .null)
  }

  @Test func additionsOutliveACanceledTransaction() throws {
    let realm = try TestRealm(path: path, classes: small)
    try realm.beginWrite()
    let task = try realm.create("Task", .int(1))
    try add(.tasks, to: realm)
    try realm.create("Person", .string("Ann"))
    try task.set("weight", .double(1))
    try realm.cancel()
    #expect(try realm.find("Person", .string("Ann")) == nil)
    try realm.write { try realm.create("Person", .string("Bob")) }
    #expect(try realm.objects("Person").count == 1)
  }

  @Test func contradictionsAreRefused() throws {
    let realm = try TestRealm(path: path)
    var classes = [TestClass].tasks
    classes[0].properties[2].type = .FLX_TYPE_STRING
    expectFailure(.FLX_STATUS_SCHEMA_MISMATCH) { try add(classes, to: realm) }
    let link = TestProperty(name: "l", type: .FLX_TYPE_LINK, target: "Nothing")
    classes = [TestClass(name: "New", properties: [[TestClass].tasks[0].properties[0], link])]
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { try add(classes, to: realm) }
    #expect(flx_realm_class_count(realm.handle) == 2)
    try realm.write { try realm.create("Task", .int(1), ["progress": .int(1)]) }
  }
}
