// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery

/// Reads values as the vectors write them; nil for collections and embedded objects.
enum VectorValues {
  static func value(_ json: JSON) -> Value? {
    guard let member = json.objectValue?.first else { return nil }
    let text = member.value.stringValue ?? ""
    switch member.name {
    case "null": return .null
    case "int": return Int64(text).map { .int($0) }
    case "bool": return member.value.boolValue.map { .bool($0) }
    case "string": return .string(text)
    case "binary": return Hex.decode(text).map { .binary($0) }
    case "timestamp": return timestamp(member.value)
    case "float": return UInt32(text, radix: 16).map { .float(Float(bitPattern: $0)) }
    case "double": return UInt64(text, radix: 16).map { .double(Double(bitPattern: $0)) }
    case "decimal": return decimal(member.value)
    case "objectId": return ObjectId(hex: text).map { .objectId($0) }
    case "uuid": return UUIDValue(text).map { .uuid($0) }
    case "link": return link(member.value).map { .link($0) }
    default: return nil
    }
  }

  private static func timestamp(_ json: JSON) -> Value? {
    guard let seconds = json["s"]?.stringValue.flatMap({ Int64($0) }),
      let nanoseconds = json["ns"]?.integerValue
    else { return nil }
    return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds)).map { .timestamp($0) }
  }

  private static func decimal(_ json: JSON) -> Value? {
    if let text = json.stringValue { return decimal(text) }
    return json["text"]?.stringValue.flatMap(decimal)
  }

  private static func decimal(_ text: String) -> Value? {
    guard case .decimal(let decimal) = try? constant(text, as: .decimal) else { return nil }
    return .decimal(decimal)
  }

  private static func link(_ json: JSON) -> Link? {
    guard let table = json["table"]?.stringValue, let key = json["pk"].flatMap(value).flatMap(PrimaryKey.init)
    else { return nil }
    return Link(className: table, key: key)
  }

  /// The value of a literal of the query language beside a property of a type.
  private static func constant(_ text: String, as type: ValueType) throws -> Value? {
    let property = PropertySchema(name: "a", type: type)
    let schema = Schema([ClassSchema(name: "C", primaryKey: nil, properties: [property])])
    let bound = try Query.parse("a == \(text)").bind(to: schema, className: "C")
    guard case .comparison(let comparison) = bound.predicate, case .constant(let value) = comparison.right else {
      return nil
    }
    return value
  }
}

/// The data set of rql.jsonl.
enum VectorDataset {
  static func load() throws -> Dataset {
    let json = try JSON.parse(try VectorFiles.bytes(of: "rql_dataset.json"))
    let dataset = Dataset()
    for member in json["schema"]?.objectValue ?? [] { dataset.schema[member.name] = classSchema(member) }
    for member in json["objects"]?.objectValue ?? [] {
      for object in member.value.arrayValue ?? [] { insert(object, of: member.name, into: dataset) }
    }
    return dataset
  }

  private static func insert(_ json: JSON, of className: String, into dataset: Dataset) {
    guard let keyValue = json["pk"].flatMap(VectorValues.value), let key = PrimaryKey(keyValue) else { return }
    var image = RowImage(["_id": .value(keyValue)])
    for field in json["fields"]?.objectValue ?? [] {
      if let value = VectorValues.value(field.value) {
        image.fields[field.name] = .value(value)
      } else if let list = (field.value["list"] ?? field.value["set"])?.arrayValue {
        image.fields[field.name] = .list(list.compactMap(VectorValues.value))
      }
    }
    dataset.insert(StoredObject(className: className, key: key, image: image))
  }

  private static func classSchema(_ member: JSON.Member) -> ClassSchema {
    let properties = (member.value["properties"]?.objectValue ?? []).map { property($0.name, $0.value) }
    let key = member.value["pk"].map { property($0["name"]?.stringValue ?? "_id", $0) }
    let kind: ClassKind = member.value["kind"]?.stringValue == "embedded" ? .embedded : .topLevel
    return ClassSchema(name: member.name, kind: kind, primaryKey: key, properties: properties)
  }

  private static func property(_ name: String, _ json: JSON) -> PropertySchema {
    let kinds: [String: CollectionKind] = ["list": .list, "set": .set, "dictionary": .dictionary]
    let types = Dictionary(uniqueKeysWithValues: ValueType.allCases.map { ($0.description, $0) })
    let type = json["type"]?.stringValue ?? ""
    return PropertySchema(
      name: name, type: type == "decimal" ? .decimal : types[type] ?? .mixed,
      isNullable: json["nullable"]?.boolValue ?? false,
      collection: kinds[json["collection"]?.stringValue ?? ""] ?? .single,
      linkTarget: json["target"]?.stringValue)
  }
}
