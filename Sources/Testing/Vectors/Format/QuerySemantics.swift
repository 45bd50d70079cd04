// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery

/// Reads a data set of `rql_semantics.json` with its cases (the file explains its format).
extension QueryDataset {
  static func semantics(_ json: JSON) throws(VectorError) -> (QueryDataset, [QueryCase]) {
    let classes = try json.elements("classes").map { element throws(VectorError) in
      try ClassSchema(semantics: element)
    }
    let dataset = QueryDataset(schema: Schema(classes))
    let objects = try json.elements("objects")
    var reader = SemanticsReader(dataset: dataset)
    for object in objects { try reader.readIdentity(of: object) }
    for object in objects {
      guard let link = reader.links[try object.text("id")] else { continue }
      dataset.insert(link, try reader.image(object.field("values"), of: link.className))
    }
    let name = try json.text("name")
    let cases = try json.elements("cases").enumerated().map { offset, element throws(VectorError) in
      try reader.queryCase(element, id: "\(name)-\(offset + 1)")
    }
    return (dataset, cases)
  }
}

private struct SemanticsReader {
  let dataset: QueryDataset
  /// The objects by their names in the file.
  private(set) var links: [String: Link] = [:]

  /// Reads the identity of an object: its primary key, or its name in the file if the class declares none.
  mutating func readIdentity(of object: JSON) throws(VectorError) {
    let (name, className) = (try object.text("id"), try object.text("class"))
    var key = PrimaryKey.string(name)
    if let property = dataset.schema[className]?.primaryKey {
      if let json = object["values"]?[property.name] { key = PrimaryKey(try value(json, property)) ?? key }
    }
    links[name] = Link(className: className, key: key)
  }

  func queryCase(_ json: JSON, id: String) throws(VectorError) -> QueryCase {
    let isOrdered = json["ordered_ids"] != nil
    let ids = (json["ordered_ids"] ?? json["ids"])?.arrayValue
    var errors: Set<String> = []
    switch json["error"]?.stringValue {
    case "SyntaxError": errors = ["syntax"]
    case "InvalidQueryArgError": errors = ["argument"]
    case "InvalidQueryError": errors = ["query", "sort", "operation"]
    default: break
    }
    return QueryCase(
      id: id,
      className: try json.text("class"),
      query: try json.text("query"),
      arguments: try (json["args"]?.arrayValue ?? []).map { element throws(VectorError) in
        try argument(element)
      },
      keys: ids?.compactMap { $0.stringValue.flatMap { links[$0]?.key } },
      isOrdered: isOrdered,
      description: nil,
      isAccepted: json["error"] == nil,
      errors: errors,
      count: json["count"] == nil ? 0 : try json.number("count")
    )
  }

  private func argument(_ json: JSON) throws(VectorError) -> QueryArgument {
    let any = PropertySchema(name: "", type: .mixed)
    guard let elements = json.arrayValue else { return .value(try value(json, any)) }
    return .list(try elements.map { element throws(VectorError) in try value(element, any) })
  }

  func image(_ values: JSON, of className: String) throws(VectorError) -> RowImage {
    let classSchema = dataset.schema[className]
    var image = RowImage()
    for property in (classSchema?.properties ?? []) + [classSchema?.primaryKey].compactMap({ $0 }) {
      image.fields[property.name] = try field(values[property.name], property)
    }
    return image
  }

  private func field(_ json: JSON?, _ property: PropertySchema) throws(VectorError) -> RowImage.Field {
    switch property.collection {
    case .single:
      guard let json else { return .value(ModelNode.initialValue(of: property)) }
      return .value(try value(json, property))
    case .list, .set:
      let elements = json?.arrayValue ?? []
      return .list(try elements.map { element throws(VectorError) in try value(element, property) })
    case .dictionary: return .dictionary(try entries(json ?? .object([]), property))
    }
  }

  private func entries(_ json: JSON, _ property: PropertySchema) throws(VectorError) -> [DictionaryEntry] {
    DictionaryEntry.sorted(
      try (json.objectValue ?? []).map { member throws(VectorError) in
        DictionaryEntry(member.name, try value(member.value, property))
      }
    )
  }

  private func value(_ json: JSON, _ property: PropertySchema) throws(VectorError) -> Value {
    switch (json, property.type) {
    case (.null, _), (.array, _): return .null
    case (.bool(let value), _): return .bool(value)
    case (.string(let value), _): return .string(value)
    case (.integer(let value), .double): return .double(Double(value))
    case (.integer(let value), .float): return .float(Float(value))
    case (.integer(let value), _): return .int(value)
    case (.double(let value), .float): return .float(Float(value))
    case (.double(let value), _): return .double(value)
    case (.object(let members), _):
      if let member = members.first, member.name.hasPrefix("$") { return try tagged(member) }
      guard let target = property.linkTarget else { throw VectorError("no value: \(json.serialized)") }
      return dataset.insertEmbedded(target, try image(json, of: target))
    }
  }

  private func tagged(_ member: JSON.Member) throws(VectorError) -> Value {
    let text = member.value.stringValue ?? member.value.serialized
    let mixed = PropertySchema(name: "", type: .mixed)
    switch member.name {
    case "$float": return Float(text).map(Value.float) ?? .null
    case "$double": return Double(text).map(Value.double) ?? .null
    case "$decimal": return .decimal(try Decimal128(text: text))
    case "$oid": return ObjectId(hex: text).map(Value.objectId) ?? .null
    case "$uuid": return UUIDValue(text).map(Value.uuid) ?? .null
    case "$binary": return Base64.decode(text).map(Value.binary) ?? .null
    case "$ref": return links[text].map(Value.link) ?? .null
    case "$list":
      return .list(
        try member.value.asElements().map { element throws(VectorError) in try value(element, mixed) }
      )
    case "$dict": return .dictionary(try entries(member.value, mixed))
    case "$date":
      let parts = try member.value.asElements()
      guard parts.count == 2 else { throw VectorError("no date: \(member.value.serialized)") }
      return Timestamp(seconds: try parts[0].asNumber(), nanoseconds: try parts[1].asNumber()).map(
        Value.timestamp
      ) ?? .null
    default: throw VectorError("no value: \(member.name)")
    }
  }
}

extension ClassSchema {
  fileprivate init(semantics json: JSON) throws(VectorError) {
    let properties = try json.elements("properties").map { element throws(VectorError) in
      try PropertySchema(semantics: element)
    }
    let key = json["primaryKey"]?.stringValue
    let isEmbedded = json["embedded"]?.boolValue == true
    // All links refer to a primary key, so every class needs one.
    let madeUpKey = isEmbedded ? nil : PropertySchema(name: "flx_id", type: .string)
    self.init(
      name: try json.text("name"),
      kind: isEmbedded ? .embedded : .topLevel,
      primaryKey: properties.first { $0.name == key } ?? madeUpKey,
      properties: properties.filter { $0.name != key }
    )
  }
}

extension PropertySchema {
  fileprivate init(semantics json: JSON) throws(VectorError) {
    let type: ValueType =
      switch try json.text("type") {
      case "date": .timestamp
      case "data": .binary
      case let name: try ValueType(vector: name)
      }
    let collection =
      try json["collection"].map { name throws(VectorError) in
        try CollectionKind(vector: name.asText())
      } ?? .single
    let isNullable =
      json["optional"]?.boolValue == true || type == .mixed || type == .link && collection == .single
    self.init(
      name: try json.text("name"),
      type: type,
      isNullable: isNullable,
      collection: collection,
      linkTarget: json["target"]?.stringValue
    )
  }
}

extension Decimal128 {
  /// Parses a number as a literal of the query language, which is the only parser of decimal text.
  init(text: String) throws(VectorError) {
    let schema = Schema([
      ClassSchema(name: "C", primaryKey: nil, properties: [PropertySchema(name: "a", type: .decimal)])
    ])
    guard let query = try? Query.parse("a == \(text)").bind(to: schema, className: "C"),
      case .comparison(let comparison) = query.predicate,
      case .constant(.decimal(let decimal)) = comparison.right
    else { throw VectorError("no decimal: \(text)") }
    self = decimal
  }
}
