// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// A seeded generator, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &self)]
  }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}

/// Small data sets and query texts in which every rule meets every other.
struct RandomQueries {
  var random: SeededGenerator

  static let singleTypes: [ValueType] = [
    .int, .bool, .string, .binary, .timestamp, .float, .double, .objectId, .uuid,
  ]

  /// Class A with every type, single, nullable and as list, and links to A and B.
  static let schema: Schema = {
    let singles = singleTypes.flatMap { type in
      [
        PropertySchema(name: "\(type)", type: type),
        PropertySchema(name: "\(type)Opt", type: type, isNullable: true),
      ]
    }
    let lists = singleTypes.map {
      PropertySchema(name: "\($0)List", type: $0, isNullable: true, collection: .list)
    }
    let links = ["A", "B"].flatMap { (target: String) in
      [
        PropertySchema(name: "to\(target)", type: .link, isNullable: true, linkTarget: target),
        PropertySchema(name: "all\(target)", type: .link, collection: .list, linkTarget: target),
      ]
    }
    let key = PropertySchema(name: "_id", type: .int)
    return Schema(
      ["A", "B"].map { ClassSchema(name: $0, primaryKey: key, properties: singles + lists + links) }
    )
  }()

  mutating func dataset() -> Dataset {
    let dataset = Dataset()
    dataset.schema = Self.schema
    for className in ["A", "B"] {
      for number in 0..<Int64.random(in: 0...12, using: &random) {
        var image = RowImage(["_id": .value(.int(number))])
        for property in Self.schema[className]?.properties ?? [] {
          image.fields[property.name] = field(property)
        }
        dataset.insert(StoredObject(className: className, key: .int(number), image: image))
      }
    }
    return dataset
  }

  private mutating func field(_ property: PropertySchema) -> RowImage.Field {
    guard property.collection == .list else { return .value(value(property)) }
    return .list((0..<Int.random(in: 0...3, using: &random)).map { _ in value(property) })
  }

  private mutating func value(_ property: PropertySchema) -> Value {
    if property.isNullable && random.chance(25) { return .null }
    if let target = property.linkTarget {
      // Some of these objects do not exist: dangling links.
      return .link(Link(className: target, key: .int(Int64.random(in: 0...14, using: &random))))
    }
    return value(property.type)
  }

  mutating func value(_ type: ValueType) -> Value {
    switch type {
    case .int: .int(random.pick([0, 1, 2, -1, 5, Int64.max, Int64.min]))
    case .bool: .bool(random.chance(50))
    case .string:
      .string(random.pick(["", "a", "A", "ab", "b", "aB", "ä", "Ä", "日本", "a\"'\\", "e\u{301}", "é", "a*"]))
    case .binary: .binary(random.pick([[], [0], [0xFF], [0xFF, 0xFF], Array("ab".utf8), Array("a".utf8)]))
    case .timestamp: .timestamp(timestamp())
    case .float: .float(random.pick([0, -0.0, 1, 1.5, 2.25, -1, .infinity, .nan]))
    case .double: .double(random.pick([0, -0.0, 1, 1.5, 2.25, -1, 0x1p63, -.infinity, .nan, 0.1]))
    case .objectId: .objectId(ObjectId(high: 1, low: UInt32.random(in: 0...3, using: &random)))
    case .uuid: .uuid(UUIDValue(high: 1, low: UInt64.random(in: 0...3, using: &random)))
    case .mixed, .decimal, .link: .null
    }
  }

  private mutating func timestamp() -> Timestamp {
    let seconds = random.pick([0, 1, -1, 1_700_000_000] as [Int64])
    let nanoseconds = random.pick([0, 1, 999_999_999] as [Int32])
    return Timestamp(seconds: seconds, nanoseconds: seconds < 0 ? -nanoseconds : nanoseconds) ?? .epoch
  }
}

extension RandomQueries {
  /// A query text with its arguments; it may be one that does not bind.
  mutating func query() -> (text: String, arguments: [QueryArgument]) {
    var arguments: [QueryArgument] = []
    let text = condition(depth: 3, &arguments)
    return (text, arguments)
  }

  private mutating func condition(depth: Int, _ arguments: inout [QueryArgument]) -> String {
    let choice = Int.random(in: 0..<(depth > 0 ? 10 : 6), using: &random)
    switch choice {
    case 6: return "NOT (" + condition(depth: depth - 1, &arguments) + ")"
    case 7, 8, 9:
      let left = condition(depth: depth - 1, &arguments)
      let right = condition(depth: depth - 1, &arguments)
      return "(\(left) \(choice == 7 ? "AND" : "OR") \(right))"
    case 5 where random.chance(20): return random.pick(["TRUEPREDICATE", "FALSEPREDICATE"])
    default: return comparison(&arguments)
    }
  }

  private mutating func comparison(_ arguments: inout [QueryArgument]) -> String {
    let (path, type) = self.path()
    var symbol = random.pick(["==", "!=", "<", "<=", ">", ">=", "==", "!="])
    if type == .string || type == .binary, random.chance(50) {
      symbol = random.pick(["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "==", "!="])
      if random.chance(40) { symbol += "[c]" }
    }
    if random.chance(15) { symbol = "==" }
    let other = random.chance(15) ? self.path().text : constant(type, &arguments)
    return random.chance(80) ? "\(path) \(symbol) \(other)" : "\(other) \(symbol) \(path)"
  }

  private mutating func constant(_ type: ValueType, _ arguments: inout [QueryArgument]) -> String {
    let constantType =
      type.isFloating && random.chance(30) ? .int : type == .int && random.chance(30) ? .double : type
    if random.chance(20) {
      let values = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        random.chance(10) ? .null : value(constantType)
      }
      arguments.append(.list(values))
      return random.pick(["", "", "ANY ", "ALL ", "NONE "]) + "$\(arguments.count - 1)"
    }
    arguments.append(.value(random.chance(10) ? .null : value(constantType)))
    return "$\(arguments.count - 1)"
  }

  private mutating func path() -> (text: String, type: ValueType) {
    var names: [String] = []
    while random.chance(30), names.count < 3 { names.append(random.pick(["toA", "toB", "allA", "allB"])) }
    let type = random.pick(Self.singleTypes)
    let kind = Int.random(in: 0..<10, using: &random)
    names.append(kind < 7 ? "\(type)\(random.pick(["", "Opt"]))" : "\(type)List")
    let isMultiple = kind >= 7 || names.contains { $0.hasPrefix("all") }
    var prefix = isMultiple ? random.pick(["", "", "ANY ", "ALL ", "NONE "]) : ""
    if kind == 9 {
      if !names.contains(where: { $0.hasPrefix("all") }) { prefix = "" }
      return (prefix + names.joined(separator: ".") + ".@count", .int)
    }
    return (prefix + names.joined(separator: "."), type)
  }
}

extension ValueType {
  fileprivate var isFloating: Bool { self == .float || self == .double }
}
