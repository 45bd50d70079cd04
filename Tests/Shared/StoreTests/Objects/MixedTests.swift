// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncStore

@Suite struct MixedTests {
  @Test func zeroHasNoSignAndAllThatAreNotANumberAreOneValue() throws {
    let store = try noteStore()
    try store.apply(.createObject(note(1)))
    let unusual: [(Value, Value)] = [
      (.float(-0.0), .float(0)), (.double(-0.0), .double(0)),
      (.float(Float(bitPattern: 0xffc0_0001)), .float(.nan)),
      (.double(Double(bitPattern: 0x7ff8_0000_0000_0123)), .double(.nan)),
    ]
    for (value, stored) in unusual {
      try store.apply(.update(note(1).at("any"), .value(value), .isDefault(false)))
      #expect(try store.storedValue(row: store.existingRow(note(1)), store.column("Note", "any")) == stored)
      let nested = MixedCoding.blob(of: .list([.dictionary([DictionaryEntry("a", value)])]))
      #expect(
        nested.withUnsafeBytes { MixedCoding.value(of: $0) }
          == .list([.dictionary([DictionaryEntry("a", stored)])])
      )
    }
  }

  @Test func anyScalarInAMixedComesBackBitForBit() throws {
    let store = try noteStore()
    try store.apply(.createObject(note(1)))
    let (row, column) = (try store.existingRow(note(1)), try store.column("Note", "any"))
    for (index, value) in scalars.enumerated() {
      try store.apply(.update(note(1).at("any"), .value(value), .isDefault(false)))
      #expect(try store.storedValue(row: row, column) == value)
      try store.apply(
        .arrayInsert(note(1).at("anything", UInt32(index)), .value(value), priorSize: UInt32(index))
      )
    }
    #expect(try store.list(note(1), "anything") == scalars)
  }

  @Test func aNewObjectHasTheDecimalZeroWhereNullDoesNotFit() throws {
    let store = try noteStore()
    try store.apply(.createObject(note(1)))
    #expect(try store.read(note(1), "price") == decimal(0))
    #expect(try store.read(note(1), "discount") == .null)
    #expect(
      try store.fullState(of: store.existingRow(note(1)), in: store.column("Note", "any").table).count == 1
    )
    try store.declareProperty(PropertySchema(name: "tax", type: .decimal), of: "Note")
    #expect(try store.read(note(1), "tax") == decimal(0))
    let tax = PropertyPath(object: note(1), field: "tax")
    #expect(throws: ApplyError.self) { try store.apply(.update(tax, .value(.null), .isDefault(false))) }
  }

  @Test func decimalsKeepTheirRepresentation() throws {
    let store = try noteStore()
    try store.apply(.createObject(note(1)))
    let decimals = scalars.filter { $0.type == .decimal }
    for (index, value) in decimals.enumerated() {
      for property in ["price", "discount"] {
        try store.apply(.update(note(1).at(property), .value(value), .isDefault(false)))
        #expect(try store.read(note(1), property) == value)
      }
      let path = note(1).at("prices", UInt32(index))
      try store.apply(.arrayInsert(path, .value(value), priorSize: UInt32(index)))
    }
    #expect(try store.list(note(1), "prices") == decimals)
  }

  @Test func rowScansGiveDecimalsAndMixedValues() throws {
    let store = try noteStore()
    let columns = [try store.column("Note", "any"), try store.column("Note", "price")]
    for (key, value) in scalars.enumerated() {
      try store.apply([
        .createObject(note(Int64(key))),
        .update(note(Int64(key)).at("any"), .value(value), .isDefault(false)),
        .update(note(Int64(key)).at("price"), .value(decimal(UInt64(key))), .isDefault(false)),
      ])
    }
    let scan = try store.scan(columns[0].table, columns: columns)
    try scan.restart()
    for (key, value) in scalars.enumerated() {
      #expect(try scan.next())
      #expect(scan.value(0) == value)
      #expect(scan.value(1) == decimal(UInt64(key)))
      withUnsafeTemporaryAllocation(of: Cell.self, capacity: 2) { cells in
        guard let start = cells.baseAddress else { return }
        scan.read(into: start)
        #expect(cells[0].model == value)
        #expect(cells[1].model == decimal(UInt64(key)))
      }
    }
  }

  @Test func aLinkInAMixedComesAndGoesWithItsTarget() throws {
    let store = try noteStore()
    try store.apply([
      .createObject(note(1)), .update(note(1).at("any"), .value(link(1)), .isDefault(false)),
    ])
    #expect(try store.read(note(1), "any") == .null)
    try store.apply(.createObject(task(1)))
    #expect(try store.read(note(1), "any") == link(1))
  }

  @Test func deletingAnObjectTakesLinksOutOfMixedValues() throws {
    let store = try noteStore()
    try store.apply([
      .createObject(task(1)), .createObject(note(1)),
      .update(note(1).at("any"), .value(link(1)), .isDefault(false)),
      .arrayInsert(note(1).at("anything", 0), .value(link(2)), priorSize: 0),
      .arrayInsert(note(1).at("anything", 1), .value(link(1)), priorSize: 1),
    ])
    let instructions = try store.localErase(task(1))
    #expect(
      instructions == [
        .update(note(1).at("any"), .value(.null), .isDefault(false)),
        .arrayErase(note(1).at("anything", 1), priorSize: 2), .eraseObject(task(1)),
      ]
    )
    #expect(try store.list(note(1), "anything") == [link(2)])
  }

  @Test func linksInMixedValuesAreFoundByAnIndex() throws {
    let store = try noteStore()
    for property in ["any", "anything"] {
      let column = try store.column("Note", property)
      let value = column.isList ? "value" : column.sqlName
      let table = column.isList ? column.sqlName : column.table.sqlName
      let plan = try store.database.withStatement(
        "EXPLAIN QUERY PLAN SELECT 1 FROM \(table) WHERE \(value) = ?1 AND \(MixedCoding.isLink(value))"
      ) { try $0.step() ? $0.text(3) : "" }
      #expect(
        plan.contains("USING INDEX flx_links_") || plan.contains("USING COVERING INDEX flx_links_"),
        "\(plan)"
      )
    }
  }

  @Test func linksToWhatIsNoObjectOfItsOwnAreRefused() throws {
    let store = try noteStore()
    try store.apply(.createObject(note(1)))
    for target in [Link(className: "Nothing", key: .int(1)), Link(className: "Task", key: .string("x"))] {
      #expect(throws: ApplyError.self) {
        try store.apply(.update(note(1).at("any"), .value(.link(target)), .isDefault(false)))
      }
    }
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func damagedBytesReadAsSomeValueOrNull(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let nested = Value.list(scalars + [.dictionary([DictionaryEntry("a", .list(scalars))])])
    for _ in 0..<1000 {
      var bytes = MixedCoding.blob(
        of: Bool.random(using: &random) ? nested : scalars.randomElement(using: &random) ?? .null
      )
      guard !bytes.isEmpty else { continue }
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
      let value = bytes.withUnsafeBytes { MixedCoding.value(of: $0) }
      if let value { _ = MixedCoding.blob(of: value) }
    }
  }

  @Test func collectionsInAMixedReadBackUpToTheLimitOfLevels() throws {
    var value = Value.list(scalars)
    for level in 2...MixedCoding.greatestDepth {
      value =
        level % 2 == 0
        ? .dictionary([DictionaryEntry("", value), DictionaryEntry("é", .int(1))]) : .list([value])
    }
    #expect(MixedCoding.blob(of: value).withUnsafeBytes { MixedCoding.value(of: $0) } == value)
    let store = try noteStore()
    try store.apply(.createObject(note(1)))
    let (row, column) = (try store.existingRow(note(1)), try store.column("Note", "any"))
    try store.set(value, row: row, column)
    #expect(try store.storedValue(row: row, column) == value)
    let deeper = Value.list([value])
    #expect(MixedCoding.blob(of: deeper).withUnsafeBytes { MixedCoding.value(of: $0) } == nil)
    #expect(throws: ObjectError(.nestedTooDeeply(limit: 100))) { try store.set(deeper, row: row, column) }
  }
}

extension Cell {
  /// The value of a scalar.
  fileprivate var model: Value {
    switch kind {
    case .null: .null
    case .int: .int(Int64(bitPattern: first))
    case .bool: .bool(first != 0)
    case .string:
      String(validating: bytes, as: UTF8.self).map(Value.string) ?? .malformedString([UInt8](bytes))
    case .binary: .binary([UInt8](bytes))
    case .timestamp:
      .timestamp(
        Timestamp(
          seconds: Int64(bitPattern: first),
          nanoseconds: Int32(truncatingIfNeeded: Int64(bitPattern: second))
        ) ?? .epoch
      )
    case .float: .float(Float(bitPattern: UInt32(truncatingIfNeeded: first)))
    case .double: .double(Double(bitPattern: first))
    case .objectId: .objectId(ObjectId(high: first, low: UInt32(truncatingIfNeeded: second)))
    case .uuid: .uuid(UUIDValue(high: first, low: second))
    case .decimal: .decimal(Decimal128(high: first, low: second))
    case .mixedLink: MixedLink.link(of: bytes).map(Value.link) ?? .null
    case .list: .list([])
    case .dictionary: .dictionary([])
    }
  }
}
