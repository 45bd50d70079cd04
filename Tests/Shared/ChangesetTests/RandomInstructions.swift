// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport

/// Random instructions that have a form on the wire; they need not make sense together.
struct RandomInstructions {
  private var generator: SeededGenerator

  /// Whether few objects, names and indexes occur, the greatest among them, so that instructions meet.
  private let isNarrow: Bool

  init(seed: UInt64, isNarrow: Bool = false) {
    generator = SeededGenerator(seed: seed)
    self.isNarrow = isNarrow
  }

  mutating func list(maximumCount: Int) -> [Instruction] {
    (0..<Int.random(in: 0...maximumCount, using: &generator)).map { _ in instruction() }
  }

  private mutating func instruction() -> Instruction {
    switch Int.random(in: 0..<14, using: &generator) {
    case 0: addTable()
    case 1: .eraseTable(name: name())
    case 2: .createObject(object())
    case 3: .eraseObject(object())
    case 4: update()
    case 5: .addInteger(path(), delta: integer())
    case 6: addColumn()
    case 7: .eraseColumn(table: name(), name: name())
    case 8: .arrayInsert(path(endsInIndex: true), payload(), priorSize: size())
    case 9: .arrayMove(path(endsInIndex: true), to: size(), priorSize: size())
    case 10: .arrayErase(path(endsInIndex: true), priorSize: size())
    case 11: .clear(path(), pick(CollectionKind.allCases))
    case 12: .setInsert(path(), payload())
    default: .setErase(path(), payload())
    }
  }

  private mutating func addTable() -> Instruction {
    let kind = pick(ClassKind.allCases)
    if kind == .embedded { return .addTable(name: name(), kind: kind, primaryKey: nil) }
    let type = pick([ValueType.int, .string, .objectId, .uuid, .mixed])
    let key = PropertySchema(name: name(), type: type, isNullable: flag())
    return .addTable(name: name(), kind: kind, primaryKey: type == .mixed ? nil : key)
  }

  private mutating func addColumn() -> Instruction {
    let type = pick(ValueType.allCases)
    let collection = pick(CollectionKind.allCases)
    let property = PropertySchema(
      name: name(),
      type: type,
      isNullable: flag(),
      collection: collection,
      linkTarget: type == .link ? name() : nil
    )
    return .addColumn(table: name(), property, keyType: collection == .dictionary ? .string : nil)
  }

  private mutating func update() -> Instruction {
    let endsInIndex = flag()
    let detail: UpdateDetail = endsInIndex ? .priorSize(size()) : .isDefault(flag())
    return .update(path(endsInIndex: endsInIndex), payload(), detail)
  }

  private mutating func path(endsInIndex: Bool = false) -> PropertyPath {
    var elements: [PathElement] = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
      flag() ? .index(size()) : .name(name())
    }
    if endsInIndex {
      elements.append(.index(size()))
    } else if case .index = elements.last {
      elements.removeLast()
    }
    if !endsInIndex, case .index = elements.last { elements = [] }
    return PropertyPath(object: object(), field: name(), path: elements)
  }

  private mutating func object() -> ObjectReference { ObjectReference(table: name(), key: key()) }

  private mutating func key() -> PrimaryKey {
    if isNarrow { return .int(1) }
    return switch Int.random(in: 0..<6, using: &generator) {
    case 0: .null
    case 1: .int(integer())
    case 2: .string(name())
    case 3: .objectId(objectId())
    case 4: .uuid(UUIDValue(high: generator.next(), low: generator.next()))
    default: .globalKey(high: generator.next(), low: generator.next())
    }
  }

  private mutating func payload() -> Payload {
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: pick([.object, .dictionary, .list, .set, .erased])
    default: .value(value())
    }
  }

  private mutating func value() -> Value {
    switch pick(ValueType.allCases) {
    case .mixed: .null
    case .int: .int(integer())
    case .bool: .bool(flag())
    case .string:
      flag() ? .string(text()) : .malformedString([0xff, UInt8.random(in: 0...255, using: &generator)])
    case .binary: .binary(Array(text().utf8))
    case .timestamp: .timestamp(Timestamp(milliseconds: integer()))
    case .float: .float(Float(bitPattern: UInt32(truncatingIfNeeded: generator.next())))
    case .double: .double(Double(bitPattern: generator.next()))
    case .decimal: .decimal(decimal())
    case .link: .link(Link(className: name(), key: key()))
    case .objectId: .objectId(objectId())
    case .uuid: .uuid(UUIDValue(high: generator.next(), low: generator.next()))
    }
  }

  private mutating func decimal() -> Decimal128 {
    Decimal128(
      coefficientHigh: generator.next() >> UInt64.random(in: 15...64, using: &generator),
      coefficientLow: generator.next(),
      exponent: Int32.random(in: -6176...6111, using: &generator),
      isNegative: flag()
    )
  }

  private mutating func objectId() -> ObjectId {
    ObjectId(high: generator.next(), low: UInt32(truncatingIfNeeded: generator.next()))
  }

  /// All magnitudes are equally likely, because the length of the coding depends on them.
  private mutating func integer() -> Int64 {
    Int64(bitPattern: generator.next()) >> Int64.random(in: 0...63, using: &generator)
  }

  private mutating func size() -> UInt32 {
    if isNarrow { return pick([0, 1, 2, .max - 1, .max]) }
    return UInt32(truncatingIfNeeded: generator.next()) >> UInt32.random(in: 0...31, using: &generator)
  }

  private mutating func flag() -> Bool { Bool.random(using: &generator) }

  /// Among the names are two that Swift's `==` takes for one.
  private mutating func name() -> String {
    if isNarrow { return "a" }
    return pick([
      "Task", "name", "", "caf\u{e9}", "cafe\u{301}", "a name that is too long to be stored inline",
    ])
  }

  private mutating func text() -> String {
    String(repeating: pick(["x", "é", "\u{0}", "👍"]), count: Int.random(in: 0...100, using: &generator))
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &generator)]
  }
}
