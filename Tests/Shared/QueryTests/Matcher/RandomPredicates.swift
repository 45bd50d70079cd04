// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import FlexSyncTestSupport

/// Random classes, objects and predicates, from so few values that they meet often.
struct RandomPredicates {
  var random: SeededGenerator
  private(set) var properties: [PropertySchema] = []

  static let types: [ValueType] = [
    .int, .bool, .string, .binary, .timestamp, .float, .double, .decimal, .objectId, .uuid, .mixed, .link,
  ]

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    for number in 0..<Int.random(in: 2...7, using: &random) {
      let type = random.pick(Self.types)
      let collection: CollectionKind = random.chance(30) ? random.pick([.list, .set]) : .single
      properties.append(
        PropertySchema(
          name: "p\(number)",
          type: type,
          isNullable: random.chance(60),
          collection: collection,
          linkTarget: type == .link ? "Other" : nil
        )
      )
    }
  }

  // MARK: Objects

  mutating func object() -> RowImage {
    RowImage(Dictionary(uniqueKeysWithValues: properties.map { ($0.name, field($0)) }))
  }

  /// The object with some of its properties changed.
  mutating func changed(_ object: RowImage) -> RowImage {
    var object = object
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let property = random.pick(properties)
      object.fields[property.name] = field(property)
    }
    return object
  }

  private mutating func field(_ property: PropertySchema) -> RowImage.Field {
    guard property.collection != .single else { return .value(element(property)) }
    return .list((0..<Int.random(in: 0...3, using: &random)).map { _ in element(property) })
  }

  private mutating func element(_ property: PropertySchema) -> Value {
    property.isNullable && random.chance(20) ? .null : value(property.type)
  }

  mutating func value(_ type: ValueType) -> Value {
    switch type {
    case .int: .int(random.pick([0, 1, 2, 3, 4, 5, 6, 7, 16_777_217, 9_007_199_254_740_993, .min, .max]))
    case .bool: .bool(random.chance(50))
    case .string: .string(random.pick(Self.strings))
    case .binary: .binary(random.pick([[], [0], [0xFF], Array("a".utf8), Array("customer/0001".utf8)]))
    case .timestamp: .timestamp(timestamp())
    case .float: .float(random.pick([0, -0.0, 1, 1.5, 0.1, 2.25, 5, 1.234568e12, .infinity, .nan]))
    case .double:
      .double(random.pick([0, -0.0, 1, 1.5, 0.1, Double(Float(0.1)), 5.5, 0x1p53, 0x1p63, -.infinity, .nan]))
    case .decimal: .decimal(random.pick(Self.decimals))
    case .objectId:
      .objectId(ObjectId(high: UInt64.random(in: 1...2, using: &random), low: random.pick([0, 1])))
    case .uuid: .uuid(UUIDValue(high: UInt64.random(in: 1...2, using: &random), low: random.pick([0, 1])))
    case .link: .link(Link(className: "Other", key: random.pick([.int(1), .string("a"), .null])))
    case .mixed:
      random.chance(5)
        ? random.pick([.list([.int(1)]), .dictionary([DictionaryEntry("a", .int(1))])])
        : value(random.pick(Self.types.filter { $0 != .mixed }))
    }
  }

  private static let strings = [
    "", "a", "A", "ab", "b", "a\u{0}", "ä", "é", "e\u{301}", "customer/0001", "customer/0002",
    "customer/0002/x",
    "customer", "custome",
  ]

  private static let decimals: [Decimal128] = [
    decimal(0, 0), decimal(1, 0), decimal(10, -1), decimal(15, -1), decimal(1, -1), decimal(1_234_568, 6),
    decimal(5, 0), decimal(1, 300), decimal(1, -300), decimal(1, 6000), decimal(1, 0, isNegative: true),
    // Not-a-number and the infinities.
    decimal(0, 9696), decimal(0, 9184), decimal(0, 9184, isNegative: true),
  ]

  private static func decimal(_ digits: UInt64, _ exponent: Int32, isNegative: Bool = false) -> Decimal128 {
    Decimal128(coefficientHigh: 0, coefficientLow: digits, exponent: exponent, isNegative: isNegative)
  }

  private mutating func timestamp() -> Timestamp {
    let seconds = random.pick([0, 1, 1_700_000_000, 1 << 34, -(1 << 34)] as [Int64])
    return Timestamp(seconds: seconds, nanoseconds: seconds < 0 ? -1 : random.pick([0, 1])) ?? .epoch
  }
}

extension RandomPredicates {
  // MARK: Predicates

  mutating func predicate(depth: Int = 3) -> Predicate {
    switch Int.random(in: 0..<(depth > 0 ? 12 : 6), using: &random) {
    case 0 where random.chance(20): return random.pick([.always, .never])
    case 6: return .not(predicate(depth: depth - 1))
    case 7, 8, 9: return .all(conditions(depth))
    case 10, 11: return .any(conditions(depth))
    case 5: return between()
    default: return .comparison(comparison())
    }
  }

  private mutating func conditions(_ depth: Int) -> [Predicate] {
    (0..<Int.random(in: 2...3, using: &random)).map { _ in predicate(depth: depth - 1) }
  }

  /// Two bounds for one property.
  private mutating func between() -> Predicate {
    let property = random.pick(properties)
    let path = Operand.path(PropertyPath(property, of: "A"))
    let lower = Comparison(
      path,
      random.pick([.greater, .greaterOrEqual]),
      .constant(constantValue(property.type))
    )
    let upper = Comparison(path, random.pick([.less, .lessOrEqual]), .constant(constantValue(property.type)))
    return .all([.comparison(lower), .comparison(upper)])
  }

  private mutating func comparison() -> Comparison {
    let path = path()
    let symbol = symbol(path.type)
    let ignoresCase = (symbol.isForText || symbol == .equal) && random.chance(25)
    let other = random.chance(8) ? Operand.path(self.path()) : constant(path.type)
    return random.chance(85)
      ? Comparison(.path(path), symbol, other, ignoresCase: ignoresCase)
      : Comparison(other, symbol, .path(path), ignoresCase: ignoresCase)
  }

  private mutating func symbol(_ type: ValueType) -> Comparison.Operator {
    if type == .string || type == .binary || type == .mixed, random.chance(40) {
      return random.pick([.beginsWith, .beginsWith, .endsWith, .contains, .like])
    }
    return random.pick([.equal, .equal, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
  }

  private mutating func constant(_ type: ValueType) -> Operand {
    guard random.chance(25) else { return .constant(constantValue(type)) }
    let values = (0..<Int.random(in: 0...3, using: &random)).map { _ in constantValue(type) }
    return .list(values, random.pick([nil, nil, .any, .all, Quantifier.none]))
  }

  private mutating func constantValue(_ type: ValueType) -> Value {
    if random.chance(8) { return .null }
    if random.chance(5) { return value(.mixed) }
    let numbers: [ValueType] = [.int, .float, .double, .decimal]
    return value(numbers.contains(type) && random.chance(40) ? random.pick(numbers) : type)
  }

  private mutating func path() -> PropertyPath {
    let property = random.pick(properties)
    let quantifier: Quantifier? =
      property.collection == .single ? nil : random.pick([nil, nil, .any, .all, Quantifier.none])
    let isCounted = property.collection != .single && random.chance(15)
    var path = PropertyPath(property, of: "A", measure: isCounted ? .count : .value)
    path.quantifier = isCounted ? nil : quantifier
    return path
  }
}

extension Comparison.Operator {
  fileprivate var isForText: Bool {
    switch self {
    case .beginsWith, .endsWith, .contains, .like: true
    default: false
    }
  }
}
