// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// Objects that are created from columns of values.
@Suite struct InsertionTests {
  let folder = TemporaryFolder()
  let realm: TestRealm

  init() throws { realm = try TestRealm(path: folder.file("test.realm")) }

  /// The values of object `number`, by property.
  private func values(_ number: Int, _ owner: Cell) -> [(name: String, cell: Cell)] {
    let isSparse = number % 3 == 0
    return [
      ("name", .string(String(repeating: "ä", count: number % 7))), ("progress", .int(Int64(number % 6))),
      ("isDone", .bool(number % 2 == 0)), ("note", isSparse ? .null : .string("note \(number)")),
      ("due", isSparse ? .null : .timestamp(Int64(number), 5)),
      ("weight", .double(number == 3 ? .nan : 0.25)),
      ("ratio", .float(Float(number) / 8)), ("data", isSparse ? .null : .binary([0, 1, UInt8(number)])),
      ("oid", isSparse ? .null : .objectId("5f1ec579ac00000000000\(100 + number)")),
      ("uuid", isSparse ? .null : .uuid(Array(repeating: UInt8(number), count: 16))),
      ("owner", number % 2 == 0 ? owner : .null),
    ]
  }

  private func insert(
    _ columns: [(name: String, cells: [Cell])],
    inserted: inout Int,
    _ change: (inout [flx_column_t]) -> Void = { _ in }
  ) throws {
    try realm.insert("Task", columns, inserted: &inserted, change)
  }

  private func count(_ className: String = "Task") throws -> Int { try realm.objects(className).count }

  @Test func theyAreLikeObjectsCreatedOneByOne() throws {
    let numbers = 0..<60
    var inserted = 0
    try realm.write {
      let ann = try realm.create("Person", .string("Ann")).link
      let names = values(0, ann).map(\.name)
      let columns = names.indices.map { column in
        (names[column], numbers.map { values($0, ann)[column].cell })
      }
      try insert([("_id", numbers.map { .int(Int64($0)) })] + columns, inserted: &inserted)
      for number in numbers {
        let values = Dictionary(uniqueKeysWithValues: values(number, ann).map { ($0.name, $0.cell) })
        try realm.create("Task", .int(Int64(1000 + number)), values)
      }
    }
    #expect(inserted == numbers.count)
    for number in numbers {
      let object = try #require(try realm.find("Task", .int(Int64(number))))
      let other = try #require(try realm.find("Task", .int(Int64(1000 + number))))
      for (name, _) in values(number, .null) {
        // Not-a-number differs from itself.
        #expect(try "\(object.get(name))" == "\(other.get(name))", "\(name) of \(number)")
      }
    }
  }

  @Test func decimalsAndMixedValuesAreInserted() throws {
    let properties = [
      TestProperty(name: "_id", type: .FLX_TYPE_INT, isPrimaryKey: true),
      TestProperty(name: "amount", type: .FLX_TYPE_DECIMAL), TestProperty(name: "any", type: .FLX_TYPE_MIXED),
    ]
    let realm = try TestRealm(
      path: folder.file("other.realm"),
      classes: [TestClass(name: "Thing", properties: properties)]
    )
    var inserted = 0
    try realm.write {
      let columns: [(name: String, cells: [Cell])] = [
        ("_id", [.int(1), .int(2)]), ("amount", [.decimal("12.50"), .decimal("-1E-3")]),
        ("any", [.int(7), .null]),
      ]
      try realm.insert("Thing", columns, inserted: &inserted)
    }
    let first = try #require(try realm.find("Thing", .int(1)))
    let second = try #require(try realm.find("Thing", .int(2)))
    #expect(try [first.get("amount"), first.get("any")] == [.decimal("12.50"), .int(7)])
    #expect(try [second.get("amount"), second.get("any")] == [.decimal("-0.001"), .null])
  }

  @Test func propertiesWithoutAColumnHaveTheirDefaultValues() throws {
    var inserted = 0
    try realm.write { try insert([("_id", [.int(1)]), ("progress", [.int(7)])], inserted: &inserted) }
    let task = try #require(try realm.find("Task", .int(1)))
    #expect(try [task.get("name"), task.get("progress"), task.get("note")] == [.string(""), .int(7), .null])
  }

  @Test func anExistingKeyEndsTheCallBehindTheObjectsBeforeIt() throws {
    try realm.write { try realm.create("Task", .int(3)) }
    var inserted = -1
    try realm.beginWrite()
    let message = expectFailure(.FLX_STATUS_DUPLICATE_PRIMARY_KEY) {
      try insert([("_id", [.int(1), .int(2), .int(3), .int(4)])], inserted: &inserted)
    }
    #expect(message.hasPrefix("Object 2: "))
    #expect(inserted == 2)
    try realm.commit()
    #expect(try count() == 3)
    #expect(try realm.find("Task", .int(4)) == nil)
  }

  @Test func anObjectWithAValueThatDoesNotFitIsNotCreated() throws {
    var inserted = -1
    try realm.beginWrite()
    let message = expectFailure(.FLX_STATUS_NULL_NOT_ALLOWED) {
      try insert([("_id", [.int(1), .int(2)]), ("progress", [.int(1), .null])], inserted: &inserted)
    }
    #expect(message.hasPrefix("Object 1: "))
    #expect(inserted == 1)
    try realm.commit()
    #expect(try count() == 1)
  }

  @Test func textThatIsNotUTF8IsRefused() throws {
    var inserted = -1
    try realm.beginWrite()
    expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
      try insert([("_id", [.int(1)]), ("name", [.string("abc")])], inserted: &inserted) {
        $0[1].bytes?.storeBytes(of: 0xff, as: UInt8.self)
      }
    }
    try realm.cancel()
  }

  @Test func whatConcernsAllObjectsIsRefusedBeforeTheFirst() throws {
    let columns: [(name: String, cells: [Cell])] = [("_id", [.int(1)]), ("name", [.string("abc")])]
    let changes: [(flx_status_t, (inout [flx_column_t]) -> Void)] = [
      (.FLX_STATUS_INVALID_ARGUMENT, { $0.removeFirst() }),
      (.FLX_STATUS_INVALID_ARGUMENT, { $0.append($0[1]) }),
      (.FLX_STATUS_INVALID_ARGUMENT, { $0[0].struct_size = 0 }),
      (.FLX_STATUS_INVALID_ARGUMENT, { $0[1].struct_size += 8 }),
      (.FLX_STATUS_INVALID_ARGUMENT, { $0[0].values = nil }),
      (.FLX_STATUS_INVALID_ARGUMENT, { $0[1].offsets = nil }),
      (.FLX_STATUS_INVALID_ARGUMENT, { $0[1].bytes = nil }),
      (.FLX_STATUS_INVALID_ARGUMENT, { $0[1].byte_capacity = 2 }),
      (.FLX_STATUS_INVALID_ARGUMENT, { $0[1].offsets?[1] = -1 }),
      (.FLX_STATUS_TYPE_MISMATCH, { $0[1].type = .FLX_TYPE_INT }),
      (.FLX_STATUS_NO_SUCH_PROPERTY, { $0[1].property = 99 }),
    ]
    let tags = try realm.property("Task", "tags").key
    try realm.beginWrite()
    for (index, (status, change)) in changes.enumerated() {
      var inserted = 7
      let message = expectFailure(status) { try insert(columns, inserted: &inserted, change) }
      #expect(!message.hasPrefix("Object"), "change \(index)")
      #expect(inserted == 0, "change \(index)")
    }
    var inserted = 0
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) {
      try insert(columns, inserted: &inserted) { $0[1].property = tags }
    }
    try realm.commit()
    #expect(try count() == 0)
  }

  @Test func theNumberOfObjectsIsKnownAfterEveryFailure() throws {
    let task = try realm.classKey("Task")
    var inserted = 7
    func expect(_ status: flx_status_t, _ classKey: flx_class_key_t, columnCount: Int, count: Int) {
      inserted = 7
      expectFailure(status) {
        try attempt { flx_objects_insert(realm.handle, classKey, nil, columnCount, count, &inserted, $0) }
      }
      #expect(inserted == 0)
    }
    expect(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION, task, columnCount: 0, count: 0)
    try realm.beginWrite()
    expect(.FLX_STATUS_NO_SUCH_CLASS, 99, columnCount: 0, count: 0)
    expect(.FLX_STATUS_INVALID_ARGUMENT, task, columnCount: 1, count: 1)
    expect(.FLX_STATUS_INVALID_ARGUMENT, task, columnCount: 0, count: -1)
    try realm.cancel()
  }

  @Test func offsetsMayBeginLaterButNotBeforeTheBytes() throws {
    let columns: [(name: String, cells: [Cell])] = [
      ("_id", [.int(1), .int(2)]), ("name", [.string("abc"), .string("d")]),
    ]
    var inserted = 0
    try realm.write { try insert(columns, inserted: &inserted) { $0[1].offsets?[0] = 1 } }
    #expect(try realm.find("Task", .int(1))?.get("name") == .string("bc"))
    try realm.beginWrite()
    var message = expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
      try insert(columns, inserted: &inserted) { $0[1].offsets?[0] = -1 }
    }
    #expect(message == "The column of 'Task.name' has -1 in offsets[0], which must not be negative.")
    message = expectFailure(.FLX_STATUS_INVALID_ARGUMENT) {
      try insert(columns, inserted: &inserted) { $0[1].offsets?[2] = 2 }
    }
    #expect(
      message == "The offsets of the column of 'Task.name' must not decrease, but offsets[2] is 2 after 3."
    )
    try realm.cancel()
  }

  @Test func liveResultsShowThemAtOnce() throws {
    try realm.write { try realm.create("Task", .int(1)) }
    let tasks = try realm.objects("Task")
    #expect(try tasks.count == 1)
    var inserted = 0
    try realm.write {
      try insert([("_id", [.int(2), .int(3)])], inserted: &inserted)
      #expect(try tasks.count == 3)
    }
    #expect(try tasks.count == 3)
  }

  /// What a change to a synced realm leads to: the changesets to upload, and the reports of observers.
  private struct Effects: Equatable {
    var changesets: [[UInt8]] = []
    var reports: [[Change]] = []
    var isRealmReported = false
  }

  /// Lets `create` create tasks, with Ann as an owner, in a synced realm of its own.
  private func effects(
    of create: (TestRealm, _ owner: Cell) throws -> Void,
    _ account: TestAccount,
    _ name: String
  ) throws -> Effects {
    let path = account.folder.file(name)
    let realm = try account.open(path: path)
    _ = try realm.updateSubscriptions { update in
      for className in ["Task", "Person"] { try update.add(realm.objects(className)) }
    }
    let ann = try realm.write { try realm.create("Person", .string("Ann")).link }
    let tasks = try realm.objects("Task")
    let results = try [
      tasks, tasks.filter("isDone == true AND progress > 2"), tasks.sort("weight", ascending: false),
    ]
    let observations = try results.map { try $0.observe() }
    try realm.refresh()
    for observation in observations { _ = observation.take() }
    let version = flx_realm_version(realm.handle)
    try realm.write { try create(realm, ann) }
    let reports = observations.map { $0.take() }
    let isRealmReported = flx_realm_version(realm.handle) > version
    realm.release()
    let database = try Database.open(path, .realm, isReadOnly: true)
    var changesets: [[UInt8]] = []
    try database.withStatement("SELECT changeset FROM flx_history ORDER BY version") { statement in
      while try statement.step() { changesets.append(statement.blob(0)) }
    }
    return Effects(changesets: changesets, reports: reports, isRealmReported: isRealmReported)
  }

  @Test func inASyncedRealmTheyAreCapturedAndReportedLikeObjectsCreatedOneByOne() throws {
    let account = try TestAccount()
    let numbers = 0..<60
    let fromColumns = try effects(
      of: { realm, ann in
        let columns = values(0, ann).map(\.name).enumerated().map { position, name in
          (name, numbers.map { values($0, ann)[position].cell })
        }
        var inserted = 0
        try realm.insert("Task", [("_id", numbers.map { .int(Int64($0)) })] + columns, inserted: &inserted)
        #expect(inserted == numbers.count)
      },
      account,
      "columns.realm"
    )
    let oneByOne = try effects(
      of: { realm, ann in
        for number in numbers {
          let task = try realm.create("Task", .int(Int64(number)))
          for (name, cell) in values(number, ann) { try task.set(name, cell) }
        }
      },
      account,
      "objects.realm"
    )
    #expect(fromColumns == oneByOne)
    #expect(oneByOne.reports[0] == [Change(insertions: Array(numbers))])
    #expect(try #require(oneByOne.changesets.last).count > 100)
    #expect(oneByOne.isRealmReported)
  }

  @Test func itNeedsAWriteTransaction() throws {
    var inserted = 0
    expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) {
      try insert([("_id", [.int(1)])], inserted: &inserted)
    }
  }
}
