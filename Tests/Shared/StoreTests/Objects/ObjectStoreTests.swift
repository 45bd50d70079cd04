// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import Testing

@testable import FlexSyncStore

@Suite struct ObjectStoreTests {
  @Test func aNewObjectHasZeroValues() throws {
    let store = try taskStore()
    try store.apply(.createObject(task(1)))
    #expect(try store.read(task(1), "title") == .string(""))
    #expect(try store.read(task(1), "progress") == .int(0))
    #expect(try store.read(task(1), "due") == .null)
    #expect(try store.list(task(1), "tags") == [])
  }

  @Test func aKeyOfAnotherTypeFindsNoObject() throws {
    let store = try taskStore()
    try store.apply(.createObject(task(1)))
    try store.flush()
    for key in [PrimaryKey.string("1"), .null, .globalKey(high: 0, low: 1)] {
      // What was found last must not be found again.
      _ = try store.row(of: task(2))
      let stranger = ObjectReference(table: task(1).table, key: key)
      #expect(try store.row(of: stranger) == nil)
      let update = Instruction.update(
        PropertyPath(object: stranger, field: "title"),
        .value(.string("x")),
        .isDefault(false)
      )
      let refusal = ApplyError(instruction: update, reason: .wrongKeyType(expected: .int))
      #expect(throws: refusal) { try store.apply(update) }
      #expect(throws: refusal) { try store.apply(encoded: ChangesetCodec.encode([update])) }
    }
  }

  @Test func aPartThatIsRevertedLeavesWhatWasHeldBackBefore() throws {
    struct Reverted: Error {}
    let store = try taskStore()
    try store.apply(.createObject(task(1)))
    try store.apply(.update(task(1).at("title"), .value(.string("before")), .isDefault(false)))
    #expect(throws: Reverted.self) {
      try store.database.nested {
        try store.apply(.createObject(task(2)))
        throw Reverted()
      }
    }
    #expect(try store.read(task(1), "title") == .string("before"))
    #expect(try store.row(of: task(2)) == nil)
  }

  /// Except −0.0, which SQLite stores as 0.0.
  @Test func everyTypeOfValueComesBackBitForBit() throws {
    let store = try taskStore()
    let object = ObjectReference(table: "All", key: .objectId(ObjectId(high: 1, low: 2)))
    let values: [(String, Value)] = [
      ("int", .int(.min)), ("bool", .bool(true)), ("string", .string("a\u{0}é")),
      ("string", .malformedString([0xff, 0])), ("binary", .binary([0, 255])), ("binary", .binary([])),
      ("timestamp", .timestamp(Timestamp(seconds: -1, nanoseconds: -500) ?? .epoch)),
      ("timestamp", .timestamp(Timestamp(seconds: .max, nanoseconds: 999_999_999) ?? .epoch)),
      ("float", .float(1.5)), ("float", .float(.nan)),
      ("double", .double(-2.25)), ("double", .double(.infinity)),
      ("double", .double(.nan)), ("double", .double(3)),
      ("objectId", .objectId(ObjectId(high: .max, low: 7))), ("uuid", .uuid(UUIDValue(high: 3, low: .max))),
      ("optionalInt", .int(5)), ("optionalInt", .null), ("optionalUuid", .uuid(UUIDValue(high: 0, low: 0))),
    ]
    try store.apply(.createObject(object))
    for (property, value) in values {
      try store.apply(.update(object.at(property), .value(value), .isDefault(false)))
      #expect(try store.read(object, property) == value, "\(property)")
    }
  }

  @Test func aDanglingLinkReadsAsNullAndComesBackWithItsTarget() throws {
    let store = try taskStore()
    let ann = person("ann")
    try store.apply([.createObject(ann), .update(ann.at("current"), .value(link(1)), .isDefault(false))])
    let (row, column) = (try store.existingRow(ann), try store.column("Person", "current"))
    #expect(try store.read(ann, "current") == .null)
    #expect(try store.storedValue(row: row, column) == link(1))
    try store.apply(.createObject(task(1)))
    #expect(try store.read(ann, "current") == link(1))
    try store.apply(.eraseObject(task(1)))
    #expect(try store.read(ann, "current") == .null)
  }

  @Test func danglingElementsKeepTheirPlaceAndAreNotSeen() throws {
    let store = try taskStore()
    let ann = person("ann")
    try store.apply([.createObject(ann), .createObject(task(1)), .createObject(task(3))])
    for key in 0..<4 {
      try store.apply(
        .arrayInsert(ann.at("tasks", UInt32(key)), .value(link(Int64(key))), priorSize: UInt32(key))
      )
    }
    let (row, column) = (try store.existingRow(ann), try store.column("Person", "tasks"))
    #expect(try store.listCount(row: row, column) == 4)
    #expect(try store.visibleWireIndexes(row: row, column) == [1, 3])
    #expect(try store.wireIndex(ofVisible: 1, row: row, column) == 3)
    #expect(try store.wireIndex(ofVisible: 2, row: row, column) == 4)
    try store.apply(.createObject(task(0)))
    #expect(try store.visibleWireIndexes(row: row, column) == [0, 1, 3])
  }

  @Test func aLinkToTheObjectWithNullKeyIsNoMissingLink() throws {
    let store = try taskStore()
    let (ann, nobody) = (person("ann"), ObjectReference(table: "Person", key: .null))
    let toNobody = Value.link(Link(className: "Person", key: .null))
    try store.apply([
      .createObject(ann), .createObject(nobody), .createObject(nobody),
      .update(ann.at("friend"), .value(toNobody), .isDefault(false)),
    ])
    #expect(try store.read(ann, "friend") == toNobody)
    #expect(try store.incomingLinks(to: nobody).count == 1)
    #expect(try store.count(try #require(try store.table(named: "Person"))) == 2)
  }

  @Test func aLocalDeletionTakesLinksAwayAndSaysSo() throws {
    let store = try taskStore()
    let ann = person("ann")
    try store.apply([
      .createObject(ann), .createObject(task(1)), .createObject(task(2)),
      .update(ann.at("current"), .value(link(1)), .isDefault(false)),
      .arrayInsert(ann.at("tasks", 0), .value(link(1)), priorSize: 0),
      .arrayInsert(ann.at("tasks", 1), .value(link(2)), priorSize: 1),
      .arrayInsert(ann.at("tasks", 2), .value(link(1)), priorSize: 2),
    ])
    let done = try store.localErase(task(1))
    #expect(
      done == [
        .update(ann.at("current"), .value(.null), .isDefault(false)),
        .arrayErase(ann.at("tasks", 0), priorSize: 3), .arrayErase(ann.at("tasks", 1), priorSize: 2),
        .eraseObject(task(1)),
      ]
    )
    #expect(try store.list(ann, "tasks") == [link(2)])
    #expect(try store.row(of: task(1)) == nil)
  }

  @Test func theFullStateMakesTheSameObjectElsewhere() throws {
    let store = try taskStore()
    try store.apply([
      .createObject(task(1)), .update(task(1).at("title"), .value(.string("x")), .isDefault(false)),
      .update(task(1).at("due"), .value(.timestamp(.epoch)), .isDefault(false)),
      .arrayInsert(task(1).at("tags", 0), .value(.string("a")), priorSize: 0),
      .arrayInsert(task(1).at("times", 0), .value(.null), priorSize: 0),
      .arrayInsert(task(1).at("times", 1), .value(.timestamp(Timestamp(milliseconds: -1500))), priorSize: 1),
    ])
    let table = try #require(try store.table(named: "Task"))
    let state = try store.fullState(of: try store.existingRow(task(1)), in: table)
    #expect(state.count == 6)
    let other = try taskStore()
    try other.apply(state)
    let otherTable = try #require(try other.table(named: "Task"))
    #expect(try other.fullState(of: try other.existingRow(task(1)), in: otherTable) == state)
  }

  @Test func creatingAnExistingObjectKeepsItsValues() throws {
    let store = try taskStore()
    let (title, progress) = (task(1).at("title"), task(1).at("progress"))
    try store.apply([.createObject(task(1)), .update(title, .value(.string("kept")), .isDefault(false))])
    try store.apply([.createObject(task(1)), .update(progress, .value(.int(5)), .isDefault(false))])
    #expect(try store.read(task(1), "title") == .string("kept"))
    #expect(try store.read(task(1), "progress") == .int(5))
  }

  @Test func keysInAnyOrderAreCreatedOnce() throws {
    let store = try taskStore()
    let table = try #require(try store.table(named: "Task"))
    var rows: [Int64: Int64] = [:]
    for key in [5, 6, 7, 2, 7, 8, 6, -3, 9, 2, 9] as [Int64] {
      let (row, isNew) = try store.create(.int(key), in: table)
      #expect(isNew == (rows[key] == nil))
      #expect(rows[key] ?? row == row)
      rows[key] = row
      if key == 8 { try store.apply(.createObject(task(20))) }
    }
    #expect(try !store.create(.int(20), in: table).isNew)
    #expect(try store.count(table) == 8)
  }

  @Test func rowsAreNotUsedTwice() throws {
    let store = try taskStore()
    try store.apply([.createObject(task(1)), .createObject(task(2))])
    try store.database.commit()
    let row = try store.existingRow(task(2))
    try store.database.write { try store.apply(.eraseObject(task(2))) }
    try store.database.write { try store.apply(.createObject(task(3))) }
    #expect(try store.existingRow(task(3)) > row)
  }

  @Test func anObjectErasedAndCreatedAgainKeepsItsRow() throws {
    let store = try taskStore()
    try store.apply([
      .createObject(task(1)), .createObject(task(2)),
      .update(task(1).at("title"), .value(.string("old")), .isDefault(false)),
    ])
    try store.database.commit()
    let row = try store.existingRow(task(1))
    let recorder = ChangeRecorder()
    store.recorder = recorder
    try store.database.write { try store.apply([.eraseObject(task(1)), .createObject(task(1))]) }
    #expect(try store.existingRow(task(1)) == row)
    #expect(try store.read(task(1), "title") == .string(""))
    #expect(recorder.changes == ["Task": [row: .modified(.all)]])
  }

  @Test func changesAreRecordedByRowAndColumn() throws {
    let store = try taskStore()
    try store.apply([.createObject(task(1)), .createObject(task(2))])
    let rows = try [store.existingRow(task(1)), store.existingRow(task(2))]
    let recorder = ChangeRecorder()
    store.recorder = recorder
    try store.apply([
      .update(task(1).at("progress"), .value(.int(1)), .isDefault(false)), .eraseObject(task(2)),
      .createObject(task(3)), .createObject(task(4)), .eraseObject(task(4)),
    ])
    let new = try store.existingRow(task(3))
    guard case .modified(let columns)? = recorder.changes["Task"]?[rows[0]] else {
      Issue.record("no modification")
      return
    }
    #expect(columns.contains(2))
    #expect(!columns.contains(1))
    #expect(recorder.changes["Task"]?[rows[1]] == .erased)
    #expect(recorder.changes["Task"]?[new] == .inserted)
    #expect(recorder.changes["Task"]?.count == 3)
  }

  @Test func aRollbackForgetsAnObjectThatWasKeptBack() throws {
    let store = try taskStore()
    try store.database.commit()
    try store.database.beginWrite()
    let table = try #require(try store.table(named: "Task"))
    _ = try store.create(.int(1), in: table)
    try store.database.rollback()
    #expect(try store.count(table) == 0)
  }

  @Test func scansGiveChosenColumnsInTheWantedOrder() throws {
    let store = try taskStore()
    for key in 1...5 {
      try store.apply([
        .createObject(task(Int64(key))),
        .update(task(Int64(key)).at("progress"), .value(.int(Int64(10 - key))), .isDefault(false)),
        .update(
          task(Int64(key)).at("due"),
          .value(.timestamp(Timestamp(milliseconds: Int64(key)))),
          .isDefault(false)
        ),
      ])
    }
    let table = try #require(try store.table(named: "Task"))
    let columns = try ["due", "progress", "_id"].map { try store.column("Task", $0) }
    let selection = RowSelection(
      condition: "t0.progress >= 6",
      order: "t0.progress",
      limit: 2
    )
    let scan = try store.scan(table, selection, columns: columns)
    try scan.restart()
    var found: [[Value]] = []
    while try scan.next() { found.append([scan.value(0), .int(scan.int(1)), scan.value(2)]) }
    #expect(
      found == [
        [.timestamp(Timestamp(milliseconds: 4)), .int(6), .int(4)],
        [.timestamp(Timestamp(milliseconds: 3)), .int(7), .int(3)],
      ]
    )
    #expect(try store.count(table, selection) == 2)
    #expect(try store.count(table) == 5)
  }

  @Test func aPausedScanGoesOnAndEndsWithItsTransaction() throws {
    let store = try taskStore()
    for key in 1...5 { try store.apply(.createObject(task(Int64(key)))) }
    let table = try store.requireTable("Task")
    try store.database.commit()
    try store.database.beginRead()
    let (scan, other) = (try store.scan(table), try store.scan(table))
    try scan.restart()
    #expect(try scan.next() && scan.next())
    scan.pause()
    #expect(scan.isPaused)
    #expect(try scan.next())
    #expect(scan.row == 3)
    scan.pause()
    try other.restart()
    #expect(try other.next())
    other.pause()
    #expect(!scan.isPaused && other.isPaused)
    // A statement that stays open would keep the old snapshot, and the writer from beginning.
    try store.database.endRead()
    #expect(!other.isPaused)
    try store.database.beginWrite()
    try other.restart()
    #expect(try other.next())
    other.pause()
    #expect(!other.isPaused)
    try store.database.commit()
  }
}
