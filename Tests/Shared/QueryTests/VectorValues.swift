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

  static func base64(_ text: String) -> Value? {
    try? constant("binary(B64\"\(text)\")", as: .binary)
  }

  /// The value of a literal of the query language beside a property of a type.
  private static func constant(_ text: String, as type: ValueType) throws -> Value? {
    let property = PropertySchema(name: "a", type: type)
    let schema = Schema([ClassSchema(name: "C", primaryKey: nil, properties: [property])])
    let bound = try Query.parse("a == \(text)").bind(to: schema, className: "C")
    guard case .comparison(let comparison) = bound.predicate, case .constant(let value) = comparison.right
    else {
      return nil
    }
    return value
  }
}

extension RowImage {
  func adding(_ name: String, _ value: Value) -> RowImage {
    var image = self
    image.fields[name] = .value(value)
    return image
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
    guard let keyValue = json["pk"].flatMap(VectorValues.value), let key = PrimaryKey(keyValue) else {
      return
    }
    let image = image(json["fields"], of: className, into: dataset)
    dataset.insert(StoredObject(className: className, key: key, image: image.adding("_id", keyValue)))
  }

  private static func image(_ fields: JSON?, of className: String, into dataset: Dataset) -> RowImage {
    var image = RowImage()
    for field in fields?.objectValue ?? [] {
      let target = dataset.schema[className]?.property(named: field.name)?.linkTarget
      if let list = (field.value["list"] ?? field.value["set"])?.arrayValue {
        image.fields[field.name] = .list(list.compactMap { value($0, target, dataset) })
      } else if let entries = field.value["dictionary"]?.objectValue {
        image.fields[field.name] = .dictionary(
          DictionaryEntry.sorted(
            entries.map { DictionaryEntry($0.name, value($0.value, target, dataset) ?? .null) }
          )
        )
      } else if let value = value(field.value, target, dataset) {
        image.fields[field.name] = .value(value)
      }
    }
    return image
  }

  /// Embedded objects become objects with a made-up key.
  private static func value(_ json: JSON, _ target: String?, _ dataset: Dataset) -> Value? {
    guard let fields = json["object"], let target else { return VectorValues.value(json) }
    let key = PrimaryKey.int(Int64(dataset.objects[target]?.count ?? 0))
    let object = image(fields, of: target, into: dataset)
    dataset.insert(StoredObject(className: target, key: key, image: object))
    return .link(Link(className: target, key: key))
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
      name: name,
      type: type == "decimal" ? .decimal : types[type] ?? .mixed,
      isNullable: json["nullable"]?.boolValue ?? false,
      collection: kinds[json["collection"]?.stringValue ?? ""] ?? .single,
      linkTarget: json["target"]?.stringValue
    )
  }
}
