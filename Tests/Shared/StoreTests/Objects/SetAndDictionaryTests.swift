// SPDX-License-Identifier: Apache-2.0

import CSQLite
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncQuery
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore
@testable import FlexSyncStore

@Suite struct SetAndDictionaryTests {
  let store: ObjectStore
  let row: Int64

  init() throws {
    store = try taskStore()
    row = try store.create(.int(1), in: try #require(try store.table(named: "Task"))).row
  }

  /// One set and one dictionary for each type of element, filled with all `values`.
  private func fill(_ type: ValueType, _ values: [Value]) throws {
    let kinds = [CollectionKind.set, .dictionary]
    for kind in kinds {
      let property = PropertySchema(name: "\(kind)", type: type, isNullable: true, collection: kind)
      try store.declareProperty(property, of: "Task")
    }
    for (index, value) in values.enumerated() {
      #expect(try store.setInsert(value, row: row, store.column("Task", "set")))
      #expect(try !store.setInsert(value, row: row, store.column("Task", "set")))
      try store.dictionarySet(value, of: "k\(index)", row: row, store.column("Task", "dictionary"))
    }
  }

  private static let samples: [(ValueType, [Value])] = [
    (.int, [.null, .int(.min), .int(0), .int(7)]), (.bool, [.null, .bool(false), .bool(true)]),
    (.string, [.null, .string(""), .string("B"), .string("a"), .string("e\u{301}"), .string("\u{e9}")]),
    (.binary, [.null, .binary([]), .binary([0]), .binary([0, 255])]),
    (
      .timestamp,
      [-1500, -1000, -500, 0, 1, 1000].map { .timestamp(Timestamp(milliseconds: $0)) }
    ), (.float, [.null, .float(-.infinity), .float(0.1), .float(.nan)]),
    (.double, [.null, .double(-1), .double(0.1), .double(.infinity), .double(.nan)]),
    (.objectId, [.null, .objectId(ObjectId(high: 0, low: 0)), .objectId(ObjectId(high: .max, low: 1))]),
    (.uuid, [.null, .uuid(UUIDValue(high: 0, low: 9)), .uuid(UUIDValue(high: .max, low: 1))]),
  ]

  @Test(arguments: 0..<samples.count)
  func valuesOfEveryTypeAreKeptAndReadSorted(index: Int) throws {
    let (type, values) = Self.samples[index]
    try fill(type, values.reversed())
    let set = try store.column("Task", "set")
    #expect(try store.setValues(row: row, set) == values)
    #expect(try store.setCount(row: row, set) == values.count)
    #expect(try store.setValues(from: 1, limit: 1, row: row, set) == [values[1]])
    let dictionary = try store.column("Task", "dictionary")
    #expect(try store.dictionaryEntries(row: row, dictionary).map(\.value) == values.reversed())
    for value in values { #expect(try store.setErase(value, row: row, set)) }
    #expect(try store.setValues(row: row, set).isEmpty)
  }

  @Test func aDictionaryIsSortedByTheBytesOfItsKeys() throws {
    let counts = try store.column("Task", "counts")
    let keys = ["", "B", "a", "e\u{301}", "\u{e9}", "\u{ff5e}", "\u{10000}"]
    for (index, key) in keys.enumerated().reversed() {
      try store.dictionarySet(.int(Int64(index)), of: key, row: row, counts)
    }
    #expect(try store.dictionary(task(1), "counts").map(\.value) == keys.indices.map { .int(Int64($0)) })
    #expect(
      try store.dictionaryEntries(from: 2, limit: 1, row: row, counts) == [DictionaryEntry("a", .int(2))]
    )
    #expect(try store.dictionaryValue(of: "\u{e9}", row: row, counts) == .int(4))
    #expect(try store.dictionaryErase("\u{e9}", row: row, counts))
    #expect(try !store.dictionaryErase("\u{e9}", row: row, counts))
    #expect(try store.dictionaryCount(row: row, counts) == keys.count - 1)
  }

  @Test func zeroAndMinusZeroAreOneElement() throws {
    try fill(.double, [.double(0)])
    #expect(try !store.setInsert(.double(-0.0), row: row, store.column("Task", "set")))
  }

  @Test func oneNumberIsOneElementOfWhateverType() throws {
    let ten = Decimal128(coefficientHigh: 0, coefficientLow: 10, exponent: -1, isNegative: false)
    try fill(.mixed, [.int(1), .double(1.5), .string("1"), .bool(true), .null, .binary([0x31])])
    let set = try store.column("Task", "set")
    for same in [.double(1), .float(1.5), .decimal(ten)] as [Value] {
      #expect(try !store.setInsert(same, row: row, set))
      #expect(try store.setContains(same, row: row, set))
    }
    #expect(
      try store.setValues(row: row, set) == [
        .null, .bool(true), .int(1), .double(1.5), .string("1"), .binary([0x31]),
      ]
    )
    #expect(try store.setErase(.decimal(ten), row: row, set))
    #expect(try !store.setContains(.int(1), row: row, set))
  }

  @Test func oneDecimalIsOneElementHoweverItIsWritten() throws {
    func decimal(_ coefficient: UInt64, _ exponent: Int32) -> Value {
      .decimal(
        Decimal128(coefficientHigh: 0, coefficientLow: coefficient, exponent: exponent, isNegative: false)
      )
    }
    try fill(.decimal, [decimal(25, -1), decimal(10, -1), .null])
    let set = try store.column("Task", "set")
    #expect(try !store.setInsert(decimal(100, -2), row: row, set))
    #expect(try store.setValues(row: row, set) == [.null, decimal(10, -1), decimal(25, -1)])
    #expect(try store.setErase(decimal(1, 0), row: row, set))
    #expect(try store.setCount(row: row, set) == 2)
  }

  /// Values of all types of numbers, of which many are the same elements.
  private static let numbers: [Value] = {
    var numbers: [Value] = [
      .int(.max), .int(.min), .double(0x1p63), .double(-0x1p63), .bool(true), .string("1"), .null,
    ]
    for text in [
      "0", "-0", "1", "-1", "0.1", "1.5", "16777217", "9007199254740993", "1e30", "3e-44", "inf", "-inf",
      "nan",
    ] {
      if let int = Int64(text) { numbers.append(.int(int)) }
      if let float = Float(text) { numbers += [.float(float), .double(Double(float))] }
      if let double = Double(text) { numbers.append(.double(double)) }
      if let decimal = Decimal128(number: text) { numbers.append(.decimal(decimal)) }
    }
    numbers += [
      .decimal(Decimal128(coefficientHigh: 0, coefficientLow: 10, exponent: -1, isNegative: false)),
      .decimal(Decimal128(0.1 as Double)), .decimal(Decimal128(number: "0.10000000149011612") ?? .zero),
      .float(Float(bitPattern: 0x7fc0_0001)), .double(Double(bitPattern: 0x7ff8_0000_0000_0001)),
    ]
    return numbers
  }()

  @Test func aNumberIsFoundInASetInEveryFormOfIt() throws {
    try fill(.mixed, [])
    let set = try store.column("Task", "set")
    for element in Self.numbers {
      try store.setInsert(element, row: row, set)
      for value in Self.numbers {
        let isSame = SetElements.areSame(element, value)
        #expect(try store.setContains(value, row: row, set) == isSame, "\(value) in a set of \(element)")
      }
      try store.setErase(element, row: row, set)
    }
  }

  @Test(arguments: [ValueType.decimal, .mixed])
  func anElementIsFoundWithoutReadingTheSet(type: ValueType) throws {
    try fill(type, [])
    let set = try store.column("Task", "set")
    for number in 0..<300 {
      let decimal = Decimal128(
        coefficientHigh: 0,
        coefficientLow: UInt64(number),
        exponent: -1,
        isNegative: false
      )
      try store.setInsert(.decimal(decimal), row: row, set)
      if type == .mixed { try store.setInsert(.string("text \(number)"), row: row, set) }
    }
    let steps = set.statements.reduce(0) { count, statement in
      count + (statement.map { Int(sqlite3_stmt_status($0.handle, SQLITE_STMTSTATUS_VM_STEP, 0)) } ?? 0)
    }
    // Reading the set for each would take about 300,000 steps, or four times that.
    #expect((1..<100_000).contains(steps))
  }

  @Test func whatDoesNotFitIsRefused() throws {
    let moments = try store.column("Task", "moments")
    #expect(throws: ObjectError(.notNullable)) { try store.setInsert(.null, row: row, moments) }
    #expect(throws: ObjectError(.wrongType(expected: .timestamp, found: .int))) {
      try store.setInsert(.int(1), row: row, moments)
    }
    #expect(try !store.setContains(.int(1), row: row, moments))
    let counts = try store.column("Task", "counts")
    #expect(throws: ObjectError(.notNullable)) { try store.dictionarySet(.null, of: "a", row: row, counts) }
    #expect(throws: ObjectError.self) { try store.setInsert(.int(1), row: row, counts) }
    #expect(throws: ObjectError.self) { try store.dictionaryErase("a", row: row, moments) }
    #expect(throws: ObjectError.self) { try store.set(.int(1), row: row, counts) }
    #expect(throws: ObjectError(.missingObject)) {
      try store.dictionarySet(.int(1), of: "a", row: 99, counts)
    }
  }

  @Test func aLinkToTheObjectWithTheKeyNullNeedsAClassWithSuchKeys() throws {
    let ann = person("Ann")
    try store.apply(.createObject(ann))
    let none = Value.link(Link(className: "Task", key: .null))
    #expect(throws: ApplyError.self) { try store.apply(.setInsert(ann.at("watched"), .value(none))) }
    #expect(throws: ApplyError.self) {
      try store.apply(.update(ann.at("roles", key: "a"), .value(none), .isDefault(false)))
    }
    #expect(try store.set(ann, "watched").isEmpty && store.dictionary(ann, "roles").isEmpty)
  }

  @Test func theKeysOfADictionaryAreTexts() throws {
    let property = PropertySchema(name: "numbered", type: .int, collection: .dictionary)
    #expect(throws: ApplyError.self) {
      try store.apply(.addColumn(table: "Task", property, keyType: .int))
    }
    try store.apply(.addColumn(table: "Task", property, keyType: .string))
  }

  @Test func anErasedObjectTakesItsElementsAlong() throws {
    try store.setInsert(.string("a"), row: row, store.column("Task", "labels"))
    try store.dictionarySet(.int(1), of: "a", row: row, store.column("Task", "counts"))
    try store.erase(row: row, in: try #require(try store.table(named: "Task")))
    for table in ["Task.labels", "Task.counts"] {
      #expect(try store.database.integer("SELECT count(*) FROM \"\(table)\"") == 0)
    }
  }

  @Test func aDeletedObjectLeavesSetsAndBecomesNullInDictionaries() throws {
    let ann = person("Ann")
    try store.apply([
      .createObject(ann), .createObject(task(2)),
      .setInsert(ann.at("watched"), .value(link(1))), .setInsert(ann.at("watched"), .value(link(2))),
      .update(ann.at("roles", key: "a"), .value(link(1)), .isDefault(false)),
      .update(ann.at("roles", key: "b"), .value(link(2)), .isDefault(false)),
      .update(ann.at("roles", key: "c"), .value(link(1)), .isDefault(false)),
    ])
    #expect(try store.incomingLinks(to: task(1)).count == 3)
    let done = try store.localErase(task(1))
    #expect(
      done == [
        .setErase(ann.at("watched"), .value(link(1))),
        .update(ann.at("roles", key: "a"), .value(.null), .isDefault(false)),
        .update(ann.at("roles", key: "c"), .value(.null), .isDefault(false)), .eraseObject(task(1)),
      ]
    )
    #expect(try store.set(ann, "watched") == [link(2)])
    #expect(try store.dictionary(ann, "roles").map(\.value) == [.null, link(2), .null])
  }

  @Test func aLinkThatDanglesIsHiddenUntilItsTargetComes() throws {
    let ann = person("Ann")
    try store.apply([.createObject(ann), .setInsert(ann.at("watched"), .value(link(2)))])
    try store.apply(.setInsert(ann.at("watched"), .value(link(1))))
    let (annRow, watched) = (try store.existingRow(ann), try store.column("Person", "watched"))
    #expect(try store.visibleCount(row: annRow, watched) == 1)
    #expect(try store.setCount(row: annRow, watched) == 2)
    try store.apply(.createObject(task(2)))
    #expect(try store.visibleTargetRows(row: annRow, watched) == [row, store.existingRow(task(2))])
  }

  @Test func collectionsSurviveReopening() throws {
    let folder = TemporaryFolder()
    do {
      let store = try ObjectStore(try folder.open())
      try store.database.write {
        try store.declare(taskSchema)
        try store.apply([
          .createObject(task(1)), .setInsert(task(1).at("labels"), .value(.null)),
          .update(task(1).at("counts", key: "a"), .value(.int(3)), .isDefault(false)),
        ])
      }
    }
    let store = try ObjectStore(try folder.open())
    #expect(try store.set(task(1), "labels") == [.null])
    #expect(try store.dictionary(task(1), "counts") == [DictionaryEntry("a", .int(3))])
  }
}
