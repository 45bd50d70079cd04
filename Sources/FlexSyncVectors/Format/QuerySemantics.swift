// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery

/// Reads a data set of `rql_semantics.json` with its cases (the file explains its format).
extension QueryDataset {
  static func semantics(_ json: JSON) throws(VectorError) -> (QueryDataset, [QueryVectors.Case]) {
    let classes = try json.elements("classes").map { element throws(VectorError) in
      try ClassSchema(semantics: element)
    }
    let schema = Schema(classes)
    let objects = try json.elements("objects")
    var links: [String: Link] = [:]
    for object in objects { links[try object.text("id")] = try Link(semantics: object, schema) }
    var state: [String: [PrimaryKey: [String: ModelState.Node]]] = [:]
    let reader = SemanticsReader(schema: schema, links: links)
    for object in objects {
      guard let link = links[try object.text("id")] else { continue }
      state[link.className, default: [:]][link.key] = try reader.fields(of: object)
    }
    let name = try json.text("name")
    let cases = try json.elements("cases").enumerated().map { offset, element throws(VectorError) in
      try reader.queryCase(element, id: "\(name)-\(offset + 1)")
    }
    return (QueryDataset(schema: schema, state: ModelState(objects: state)), cases)
  }
}

private struct SemanticsReader {
  let schema: Schema
  let links: [String: Link]

  func queryCase(_ json: JSON, id: String) throws(VectorError) -> QueryVectors.Case {
    var keys: Set<PrimaryKey>?
    if json["error"] == nil {
      let ids = json["ids"]?.arrayValue ?? json["ordered_ids"]?.arrayValue ?? []
      keys = Set(ids.compactMap { $0.stringValue.flatMap { links[$0]?.key } })
    }
    var errors: Set<String> = []
    switch json["error"]?.stringValue {
    case "SyntaxError": errors = ["syntax"]
    case "InvalidQueryArgError": errors = ["argument"]
    case "InvalidQueryError": errors = ["query", "sort", "operation"]
    default: break
    }
    return QueryVectors.Case(
      id: id,
      className: try json.text("class"),
      query: try json.text("query"),
      arguments: try (json["args"]?.arrayValue ?? []).map { element throws(VectorError) in
        try argument(element)
      },
      keys: keys,
      errors: errors,
      count: json["count"] == nil ? 0 : try json.number("count")
    )
  }

  private func argument(_ json: JSON) throws(VectorError) -> QueryArgument {
    guard let elements = json.arrayValue else { return .value(try value(json, .mixed)) }
    return .list(try elements.map { element throws(VectorError) in try value(element, .mixed) })
  }

  func fields(of object: JSON) throws(VectorError) -> [String: ModelState.Node] {
    let values = try object.field("values")
    var fields: [String: ModelState.Node] = [:]
    for property in schema[try object.text("class")]?.properties ?? [] {
      fields[property.name] =
        try values[property.name].map { json throws(VectorError) in try node(json, property) }
        ?? ModelState.Node(initialOf: property)
    }
    return fields
  }

  private func node(_ json: JSON, _ property: PropertySchema) throws(VectorError) -> ModelState.Node {
    switch property.collection {
    case .single: return .scalar(try value(json, property.type))
    case .list:
      return .list(
        try json.asElements().map { element throws(VectorError) in .scalar(try value(element, property.type))
        }
      )
    case .set:
      return .set(
        Set(try json.asElements().map { element throws(VectorError) in try value(element, property.type) })
      )
    case .dictionary:
      var entries: [[UInt8]: ModelState.Node] = [:]
      for member in json.objectValue ?? [] {
        entries[Array(member.name.utf8)] = .scalar(try value(member.value, property.type))
      }
      return .dictionary(entries)
    }
  }

  /// Embedded objects and collections inside a mixed become null, because the evaluator does not see them.
  private func value(_ json: JSON, _ type: ValueType) throws(VectorError) -> Value {
    switch (json, type) {
    case (.null, _), (.array, _): return .null
    case (.bool(let value), _): return .bool(value)
    case (.string(let value), _): return .string(value)
    case (.integer(let value), .double): return .double(Double(value))
    case (.integer(let value), .float): return .float(Float(value))
    case (.integer(let value), _): return .int(value)
    case (.double(let value), .float): return .float(Float(value))
    case (.double(let value), _): return .double(value)
    case (.object(let members), _):
      return try members.first.map { member throws(VectorError) in try tagged(member) } ?? .null
    }
  }

  private func tagged(_ member: JSON.Member) throws(VectorError) -> Value {
    let text = member.value.stringValue ?? ""
    switch member.name {
    case "$float": return .float(Float(member.value.doubleValue ?? Double(text) ?? .nan))
    case "$double": return .double(member.value.doubleValue ?? Double(text) ?? .nan)
    case "$decimal": return .decimal(try Decimal128(text: text))
    case "$oid": return ObjectId(hex: text).map(Value.objectId) ?? .null
    case "$uuid": return UUIDValue(text).map(Value.uuid) ?? .null
    case "$binary": return Base64.decode(text).map(Value.binary) ?? .null
    case "$ref": return links[text].map(Value.link) ?? .null
    case "$date":
      let parts = try member.value.asElements()
      guard parts.count == 2 else { throw VectorError("no date: \(member.value.serialized)") }
      return Timestamp(seconds: try parts[0].asNumber(), nanoseconds: try parts[1].asNumber()).map(
        Value.timestamp
      ) ?? .null
    default: return .null
    }
  }
}

extension Link {
  /// The identity of an object: its primary key, or its name in the file if the class has none.
  fileprivate init(semantics json: JSON, _ schema: Schema) throws(VectorError) {
    let className = try json.text("class")
    let reader = SemanticsReader(schema: schema, links: [:])
    var key = PrimaryKey.string(try json.text("id"))
    if let property = schema[className]?.primaryKey,
      case .scalar(let value) = try reader.fields(of: json)[property.name]
    {
      key = PrimaryKey(value) ?? key
    }
    self.init(className: className, key: key)
  }
}

extension ClassSchema {
  fileprivate init(semantics json: JSON) throws(VectorError) {
    let properties = try json.elements("properties").map { element throws(VectorError) in
      try PropertySchema(semantics: element)
    }
    let key = json["primaryKey"]?.stringValue
    let isEmbedded = json["embedded"]?.boolValue == true
    self.init(
      name: try json.text("name"),
      kind: isEmbedded ? .embedded : .topLevel,
      primaryKey: properties.first { $0.name == key },
      properties: properties
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
  /// The number of a literal of the query language, which alone knows decimal text.
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
