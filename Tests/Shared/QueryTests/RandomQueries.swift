// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import FlexSyncTestSupport

/// Small data sets and query texts in which every rule meets every other.
struct RandomQueries {
  var random: SeededGenerator

  static let types: [ValueType] = [
    .int, .bool, .string, .binary, .timestamp, .float, .double, .decimal, .objectId, .uuid, .mixed,
  ]

  /// Class A with every type, single, nullable and in each kind of collection, and links to A, B and the embedded
  /// class E; B the same with indexes.
  static let schema = Schema([
    ClassSchema(name: "A", primaryKey: key, properties: properties(isIndexed: false)),
    ClassSchema(name: "B", primaryKey: key, properties: properties(isIndexed: true)),
    ClassSchema(name: "E", kind: .embedded, primaryKey: nil, properties: embeddedProperties),
  ])

  private static let key = PropertySchema(name: "_id", type: .int)

  private static func properties(isIndexed: Bool) -> [PropertySchema] {
    let singles = types.flatMap { type in
      [false, true].map { isNullable in
        PropertySchema(
          name: "\(type.word)\(isNullable ? "Opt" : "")",
          type: type,
          isNullable: isNullable || type == .mixed,
          isIndexed: isIndexed
        )
      }
    }
    let collections = types.flatMap { type in
      [CollectionKind.list, .set, .dictionary].map { kind in
        PropertySchema(name: "\(type.word)\(kind.suffix)", type: type, isNullable: true, collection: kind)
      }
    }
    return singles + collections + links
  }

  private static let links: [PropertySchema] =
    ["A", "B"].flatMap { (target: String) in
      [
        PropertySchema(name: "to\(target)", type: .link, isNullable: true, linkTarget: target),
        PropertySchema(name: "all\(target)", type: .link, collection: .list, linkTarget: target),
        PropertySchema(name: "some\(target)", type: .link, collection: .set, linkTarget: target),
        PropertySchema(
          name: "map\(target)",
          type: .link,
          isNullable: true,
          collection: .dictionary,
          linkTarget: target
        ),
      ]
    } + [
      PropertySchema(name: "one", type: .link, isNullable: true, linkTarget: "E"),
      PropertySchema(name: "many", type: .link, collection: .list, linkTarget: "E"),
    ]

  private static let embeddedProperties = [
    PropertySchema(name: "int", type: .int),
    PropertySchema(name: "stringOpt", type: .string, isNullable: true),
    PropertySchema(name: "decimalOpt", type: .decimal, isNullable: true),
    PropertySchema(name: "intList", type: .int, isNullable: true, collection: .list),
    PropertySchema(name: "toA", type: .link, isNullable: true, linkTarget: "A"),
  ]

  mutating func dataset(size: Int = 12) -> Dataset {
    let dataset = Dataset()
    dataset.schema = Self.schema
    for className in ["A", "B"] {
      for number in 0..<Int64(size) {
        var image = RowImage(["_id": .value(.int(number))])
        fill(&image, of: className, in: dataset)
        dataset.insert(StoredObject(className: className, key: .int(number), image: image))
      }
    }
    return dataset
  }

  private mutating func fill(_ image: inout RowImage, of className: String, in dataset: Dataset) {
    for property in Self.schema[className]?.properties ?? [] {
      image.fields[property.name] = field(property, in: dataset)
    }
  }

  private mutating func field(_ property: PropertySchema, in dataset: Dataset) -> RowImage.Field {
    let count = Int.random(in: 0...3, using: &random)
    switch property.collection {
    case .single: return .value(value(property, in: dataset))
    case .list: return .list((0..<count).map { _ in value(property, in: dataset) })
    case .set:
      // Sets hold no collections.
      return .list(
        distinct((0..<count).map { _ in value(property, in: dataset) }.filter { $0.type != .mixed })
      )
    case .dictionary:
      let keys = ["a", "b", "k y"].filter { _ in random.chance(50) }
      return .dictionary(keys.map { DictionaryEntry($0, value(property, in: dataset)) })
    }
  }

  /// A set holds one of several equal values, and is read in their order.
  private func distinct(_ values: [Value]) -> [Value] {
    let keyed = values.map { (key: SortKeyCoding.key(of: $0), value: $0) }
    let unique = Dictionary(keyed.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    return unique.values.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
  }

  private mutating func value(_ property: PropertySchema, in dataset: Dataset) -> Value {
    if property.isNullable && random.chance(25) { return .null }
    guard let target = property.linkTarget else { return value(property.type).asStored }
    guard target == "E" else { return link(to: target) }
    var image = RowImage()
    fill(&image, of: "E", in: dataset)
    let key = PrimaryKey.int(Int64(dataset.objects["E"]?.count ?? 0))
    dataset.insert(StoredObject(className: "E", key: key, image: image))
    return .link(Link(className: "E", key: key))
  }

  /// Some of these objects do not exist: dangling links.
  private mutating func link(to target: String) -> Value {
    .link(Link(className: target, key: .int(Int64.random(in: 0...14, using: &random))))
  }

  mutating func value(_ type: ValueType) -> Value {
    switch type {
    case .int: .int(random.pick([0, 1, 2, -1, 5, Int64.max, Int64.min]))
    case .bool: .bool(random.chance(50))
    case .string:
      .string(
        random.pick([
          "", "a", "A", "ab", "b", "aB", "ä", "Ä", "日本", "Σας", "ΣΑΣ", "a\"'\\", "e\u{301}", "é", "a*",
        ])
      )
    case .binary: .binary(random.pick([[], [0], [0xFF], [0xFF, 0xFF], Array("ab".utf8), Array("a".utf8)]))
    case .timestamp: .timestamp(timestamp())
    case .float: .float(random.pick([0, -0.0, 1, 1.5, 2.25, -1, .infinity, .nan]))
    case .double: .double(random.pick([0, -0.0, 1, 1.5, 2.25, -1, 0x1p63, -.infinity, .nan, 0.1]))
    case .decimal: .decimal(decimal())
    case .objectId: .objectId(ObjectId(high: 1, low: UInt32.random(in: 0...3, using: &random)))
    case .uuid: .uuid(UUIDValue(high: 1, low: UInt64.random(in: 0...3, using: &random)))
    case .mixed: mixed()
    case .link: link(to: "A")
    }
  }

  /// A value without collections in it, as arguments of queries are.
  mutating func scalar(_ type: ValueType) -> Value {
    let value = value(type)
    return value.type == .mixed ? .null : value
  }

  private mutating func mixed() -> Value {
    if random.chance(15) { return .null }
    if random.chance(10) { return .list((0..<Int.random(in: 0...2, using: &random)).map { _ in mixed() }) }
    if random.chance(10) {
      return .dictionary(
        ["a", "b"].filter { _ in random.chance(50) }.map { DictionaryEntry($0, mixed()) }
      )
    }
    return value(random.pick(Self.types.filter { $0 != .mixed } + [.link, .int, .string]))
  }

  private mutating func decimal() -> Decimal128 {
    let coefficient = random.pick([0, 1, 2, 5, 10, 15, 225, 100, .max] as [UInt64])
    let exponent = random.pick([0, 0, -1, -2, 3, -20] as [Int32])
    let decimal = Decimal128(
      coefficientHigh: 0,
      coefficientLow: coefficient,
      exponent: exponent,
      isNegative: random.chance(25)
    )
    // Not-a-number and the infinities have the exponents that the format reserves.
    guard random.chance(10) else { return decimal }
    let special = random.pick([9184, 9696] as [Int32])
    return Decimal128(coefficientHigh: 0, coefficientLow: 0, exponent: special, isNegative: false)
  }

  private mutating func timestamp() -> Timestamp {
    let seconds = random.pick([0, 1, -1, 1_700_000_000] as [Int64])
    let nanoseconds = random.pick([0, 1, 999_999_999] as [Int32])
    return Timestamp(seconds: seconds, nanoseconds: seconds < 0 ? -nanoseconds : nanoseconds) ?? .epoch
  }
}

extension ValueType {
  /// The beginning of the names of properties of the type.
  var word: String { self == .decimal ? "decimal" : description }
}

extension CollectionKind {
  fileprivate var suffix: String {
    switch self {
    case .single: ""
    case .list: "List"
    case .set: "Set"
    case .dictionary: "Map"
    }
  }
}

extension Value {
  /// A file keeps 0.0 for −0.0.
  fileprivate var asStored: Value {
    switch self {
    case .float(let float): .float(float + 0)
    case .double(let double): .double(double + 0)
    case .list(let elements): .list(elements.map(\.asStored))
    case .dictionary(let entries): .dictionary(entries.map { DictionaryEntry($0.key, $0.value.asStored) })
    default: self
    }
  }
}
