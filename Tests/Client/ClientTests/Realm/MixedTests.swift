// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

@Suite struct MixedTests {
  let folder = TemporaryFolder()

  private func realm() throws -> TestRealm { try TestRealm(path: folder.file("test.realm"), classes: .notes) }

  /// One of each type.
  private static let cells: [Cell] = [
    .null, .int(.min), .bool(true), .string("é"), .binary([0, 255]), .timestamp(-1, -500), .float(1.5),
    .double(-2.25), .double(3), .objectId("65a0000000000000000000ff"), .uuid(Array(0..<16)),
    .decimal("-12.50"), .decimal("nan"), .decimal("1E-7"),
  ]

  @Test func decimalsComeBackAsTheyWereWritten() throws {
    let realm = try realm()
    let note = try realm.write { try realm.create("Note", .int(1)) }
    #expect(try note.get("price") == .decimal("0"))
    #expect(try note.get("discount") == .null)
    for text in [
      "1.50", "-0", "123456789012345678901234567890.1234", "9E6111", "1E-6176", "inf", "-inf", "nan",
    ] {
      try realm.write {
        try note.set("price", .decimal(text))
        try note.set("discount", .decimal(text))
        try note.list("prices").append(.decimal(text))
      }
      #expect(try note.get("price") == .decimal(text))
      #expect(try note.get("discount") == .decimal(text))
      #expect(try note.list("prices").cells.last == .decimal(text))
    }
    try realm.write {
      try note.set("discount", .null)
      expectFailure(.FLX_STATUS_NULL_NOT_ALLOWED) { try note.set("price", .null) }
      expectFailure(.FLX_STATUS_TYPE_MISMATCH) { try note.set("price", .double(1)) }
    }
    #expect(try note.get("discount") == .null)
  }

  @Test func decimalsCompareByTheirNumber() throws {
    func order(_ left: String, _ right: String) -> Int32 {
      var (first, second) = (flx_decimal_t(), flx_decimal_t())
      #expect(left.withC { flx_decimal_parse($0, &first) })
      #expect(right.withC { flx_decimal_parse($0, &second) })
      return flx_decimal_compare(first, second)
    }
    #expect(order("1.0", "1.00") == 0)
    #expect(order("-0", "0") == 0)
    #expect(order("2", "10") < 0)
    #expect(order("-2", "-10") > 0)
    #expect(order("nan", "-inf") < 0)
    var decimal = flx_decimal_t()
    for text in ["", "x", "1.2.3", "1e", "--1", "1E7000"] {
      #expect(!text.withC { flx_decimal_parse($0, &decimal) })
    }
  }

  @Test func aMixedHoldsAValueOfAnyType() throws {
    let realm = try realm()
    let note = try realm.write { try realm.create("Note", .int(1)) }
    let list = try note.list("anything")
    for cell in Self.cells {
      try realm.write {
        try note.set("any", cell)
        #expect(try note.get("any") == cell)
        try list.append(cell)
      }
      #expect(try note.get("any") == cell)
    }
    #expect(try list.cells == Self.cells)
    #expect(try realm.find("Note", .int(1))?.get("any") == Self.cells.last)
  }

  @Test func aLinkInAMixedLeadsToAnyClassAndFollowsItsTarget() throws {
    let realm = try TestRealm(path: folder.file("test.realm"), classes: .notes + .tasks)
    let (note, task) = try realm.write {
      (try realm.create("Note", .int(1)), try realm.create("Task", .int(1)))
    }
    let list = try note.list("anything")
    try realm.write {
      try note.set("any", task.link)
      try list.append(try realm.create("Person", .string("Ann")).link)
      try list.append(task.link)
    }
    #expect(try note.get("any") == task.link)
    #expect(try list.get(1) == task.link)
    #expect(try realm.linked(list.get(0), "Person")?.get("age") == .int(0))
    try realm.write { try task.delete() }
    #expect(try note.get("any") == .null)
    #expect(try list.count == 1)
  }

  @Test func collectionsNestInAMixed() throws {
    let realm = try realm()
    let note = try realm.write { try realm.create("Note", .int(1)) }
    let any = Place.property(note, "any")
    let (list, dictionary) = try realm.write {
      try any.setList()
      let list = try any.list()
      for cell in Self.cells { try list.append(cell) }
      try list.insertDictionary(at: 0)
      try list.insertList(at: 1)
      let dictionary = try Place.element(list, 0).dictionary()
      try Entries.set(dictionary, "b", .int(1))
      try Entries.set(dictionary, "a", .decimal("1.50"))
      try Place.entry(dictionary, "c").setList()
      try Place.entry(dictionary, "c").list().append(.string("deep"))
      return (list, dictionary)
    }
    defer { flx_dictionary_release(dictionary) }
    #expect(try note.get("any") == .list)
    #expect(try list.cells == [.dictionary, .list] + Self.cells)
    #expect(try Entries.all(dictionary) == [#"a=decimal("1.50")"#, "b=int(1)", "c=list"])
    #expect(try Place.entry(dictionary, "c").list().cells == [.string("deep")])
    try realm.write {
      try list.move(0, 2)
      #expect(try list.cells.prefix(3) == [.list, Self.cells[0], .dictionary])
      try list.erase(0)
      try list.set(0, .int(7))
    }
    #expect(try list.cells.prefix(2) == [.int(7), .dictionary])
    let moved = try Place.element(list, 1).dictionary()
    defer { flx_dictionary_release(moved) }
    try realm.write { try Entries.erase(moved, "b") }
    #expect(try Entries.all(moved) == [#"a=decimal("1.50")"#, "c=list"])
    #expect(try realm.find("Note", .int(1))?.get("any") == .list)
  }

  @Test func aHandleWhoseCollectionWasReplacedIsInvalid() throws {
    let realm = try realm()
    let note = try realm.write { try realm.create("Note", .int(1)) }
    let any = Place.property(note, "any")
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try any.list() }
    try realm.write { try any.setList() }
    let list = try any.list()
    expectFailure(.FLX_STATUS_TYPE_MISMATCH) { _ = try any.dictionary() }
    try realm.write { try note.set("any", .int(1)) }
    expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { _ = try list.count }
    try realm.write {
      expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { try list.append(.int(1)) }
      try any.setList()
      try list.append(.int(2))
      try any.setList()
    }
    #expect(try list.count == 0)
    try realm.write { try note.delete() }
    expectFailure(.FLX_STATUS_OBJECT_INVALIDATED) { _ = try list.count }
  }

  @Test func largeCollectionsAreBuiltElementByElement() throws {
    let realm = try realm()
    let note = try realm.write { try realm.create("Note", .int(1)) }
    let any = Place.property(note, "any")
    try realm.write {
      try any.setList()
      let list = try any.list()
      for index in 0..<2000 { try list.insert(.int(Int64(index)), at: index) }
    }
    #expect(try any.list().count == 2000)
  }

  @Test func whatCannotBePutIntoAMixedIsRefused() throws {
    let realm = try realm()
    let note = try realm.write { try realm.create("Note", .int(1)) }
    let any = Place.property(note, "any")
    expectFailure(.FLX_STATUS_NOT_IN_WRITE_TRANSACTION) { try any.setList() }
    try realm.write {
      expectFailure(.FLX_STATUS_TYPE_MISMATCH) { try note.set("any", .list) }
      expectFailure(.FLX_STATUS_TYPE_MISMATCH) { try Place.property(note, "price").setList() }
      expectFailure(.FLX_STATUS_TYPE_MISMATCH) { try note.list("prices").insertList(at: 0) }
      try any.setList()
      var list = try any.list()
      expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { try list.insertList(at: 1) }
      expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { _ = try Place.element(list, 0).list() }
      expectFailure(.FLX_STATUS_INDEX_OUT_OF_BOUNDS) { try list.erase(0) }
      for _ in 2...100 {
        try list.insertList(at: 0)
        list = try Place.element(list, 0).list()
      }
      expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { try list.insertList(at: 0) }
      try Place.property(note, "any").setDictionary()
      let dictionary = try any.dictionary()
      defer { flx_dictionary_release(dictionary) }
      expectFailure(.FLX_STATUS_INVALID_ARGUMENT) { try Entries.set(dictionary, "$a", .int(1)) }
    }
  }
}

/// Random writes of decimals and into mixed values of a synced realm: whoever applies its changesets has the same.
@Suite struct RandomMixedChangesetTests {
  @Test(arguments: 0..<4)
  func changesetsMakeTheSameObjectsElsewhere(_ round: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    let account = try TestAccount()
    let realm = try account.open(memory: "mixed-\(seed)", classes: .notes)
    try realm.updateSubscriptions { try $0.add(realm.objects("Note")) }
    for _ in 0..<30 {
      try realm.beginWrite()
      for _ in 0..<Int.random(in: 0...8, using: &generator) {
        let key = Cell.int(Int64.random(in: 0..<3, using: &generator))
        let note = try realm.find("Note", key) ?? realm.create("Note", key)
        let name = ["any", "anything", "byName"][Int.random(in: 0..<3, using: &generator)]
        try change(note, name, &generator)
      }
      if Int.random(in: 0..<6, using: &generator) == 0 { try realm.cancel() } else { try realm.commit() }
    }
    let file = (Handle.object(realm.handle) as Realm).file
    let copy = try ObjectStore.inMemory()
    for entry in try file.uploads(after: 0, byteLimit: .max).entries {
      try copy.database.write { try copy.apply(ChangesetCodec.decode(entry.changeset).instructions) }
    }
    let expected = try state(of: file.objects)
    #expect(!expected.isEmpty)
    #expect(try state(of: copy) == expected, "seed \(seed)")
  }

  private func state(of store: ObjectStore) throws -> [ObjectReference: [Instruction]] {
    var state: [ObjectReference: [Instruction]] = [:]
    for table in try store.tables.values {
      for row in try store.rows(table) {
        let instructions = try store.fullState(of: row, in: table)
        if let object = instructions.first?.object { state[object] = instructions }
      }
    }
    return state
  }

  private func change(_ note: TestObject, _ name: String, _ generator: inout SeededGenerator) throws {
    switch name {
    case "any":
      let kind = try note.get("any")
      if ![.list, .dictionary].contains(kind) || Int.random(in: 0..<8, using: &generator) == 0 {
        try replace(.property(note, name), &generator) { try note.set(name, $0) }
      } else {
        try changeInside(.property(note, name), kind, &generator)
      }
    case "anything": try change(note.list(name), &generator)
    default:
      let dictionary = try Place.property(note, name).dictionary()
      defer { flx_dictionary_release(dictionary) }
      try change(dictionary, &generator)
    }
  }

  private func changeInside(_ place: Place, _ kind: Cell, _ generator: inout SeededGenerator) throws {
    guard kind == .dictionary else { return try change(place.list(), &generator) }
    let dictionary = try place.dictionary()
    defer { flx_dictionary_release(dictionary) }
    try change(dictionary, &generator)
  }

  private func replace(
    _ place: Place,
    _ generator: inout SeededGenerator,
    set: (Cell) throws -> Void
  ) throws {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: try place.setList()
    case 1: try place.setDictionary()
    default: try set(cell(&generator))
    }
  }

  private func cell(_ generator: inout SeededGenerator) -> Cell {
    let number = Int64.random(in: -9...9, using: &generator)
    return [.null, .int(number), .string("\(number)"), .decimal("\(number).50"), .bool(number > 0)][
      Int.random(in: 0..<5, using: &generator)
    ]
  }

  private func change(_ list: TestList, _ generator: inout SeededGenerator) throws {
    let count = try list.count
    let index = Int.random(in: 0...count, using: &generator)
    guard index < count else {
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: return try list.insertList(at: index)
      case 1: return try list.insertDictionary(at: index)
      default: return try list.insert(cell(&generator), at: index)
      }
    }
    let kind = try list.get(index)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: try replace(.element(list, index), &generator) { try list.set(index, $0) }
    case 1: try list.move(index, Int.random(in: 0..<count, using: &generator))
    case 2: try list.erase(index)
    case 3 where count > 3: try list.clear()
    case _ where [.list, .dictionary].contains(kind):
      try changeInside(.element(list, index), kind, &generator)
    default: try list.insert(cell(&generator), at: index)
    }
  }

  private func change(_ dictionary: OpaquePointer, _ generator: inout SeededGenerator) throws {
    let key = ["", "a", "b", "é"][Int.random(in: 0..<4, using: &generator)]
    var (value, isThere) = (flx_value_t(), false)
    try key.withC { key in try attempt { flx_dictionary_get(dictionary, key, &value, &isThere, $0) } }
    let kind = Cell(value)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: try Entries.erase(dictionary, key)
    case 1: try attempt { flx_dictionary_clear(dictionary, $0) }
    case _ where [.list, .dictionary].contains(kind):
      try changeInside(.entry(dictionary, key), kind, &generator)
    default: try replace(.entry(dictionary, key), &generator) { try Entries.set(dictionary, key, $0) }
    }
  }
}
