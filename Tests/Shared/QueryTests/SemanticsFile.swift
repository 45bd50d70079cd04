// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel
import FlexSyncQuery

/// rql_semantics.json: data sets with their queries.
struct SemanticsFile {
  struct Case {
    let className: String
    let text: String
    let arguments: [QueryArgument]
    let expected: JSON
  }

  let name: String
  let dataset = Dataset()
  private(set) var cases: [Case] = []
  private var keys: [String: Link] = [:]

  static func load() throws -> [SemanticsFile] {
    let json = try JSON.parse(try VectorFiles.bytes(of: "rql_semantics.json"))
    return (json["datasets"]?.arrayValue ?? []).map(SemanticsFile.init)
  }

  private init(_ json: JSON) {
    name = json["name"]?.stringValue ?? ""
    for json in json["classes"]?.arrayValue ?? [] { addClass(json) }
    let objects = json["objects"]?.arrayValue ?? []
    for json in objects { addKey(json) }
    for json in objects { addObject(json) }
    for json in json["cases"]?.arrayValue ?? [] { addCase(json) }
  }

  /// The keys of objects by the names that the file gives them.
  func keys(_ ids: JSON?) -> [PrimaryKey]? {
    ids?.arrayValue?.compactMap { $0.stringValue.flatMap { keys[$0]?.key } }
  }

  private mutating func addClass(_ json: JSON) {
    let name = json["name"]?.stringValue ?? ""
    var properties = (json["properties"]?.arrayValue ?? []).map(Self.property)
    let keyName = json["primaryKey"]?.stringValue
    let isEmbedded = json["embedded"]?.boolValue == true
    let madeUpKey = isEmbedded ? nil : PropertySchema(name: "flx_id", type: .string)
    let key = properties.first { $0.name == keyName } ?? madeUpKey
    properties.removeAll { $0.name == keyName }
    dataset.schema[name] = ClassSchema(
      name: name,
      kind: isEmbedded ? .embedded : .topLevel,
      primaryKey: key,
      properties: properties
    )
  }

  private static func property(_ json: JSON) -> PropertySchema {
    let kinds: [String: CollectionKind] = ["list": .list, "set": .set, "dictionary": .dictionary]
    let names: [String: ValueType] = ["date": .timestamp, "data": .binary, "decimal": .decimal]
    let types = Dictionary(uniqueKeysWithValues: ValueType.allCases.map { ($0.description, $0) })
    let type = json["type"]?.stringValue ?? ""
    return PropertySchema(
      name: json["name"]?.stringValue ?? "",
      type: names[type] ?? types[type] ?? .mixed,
      isNullable: json["optional"]?.boolValue
        ?? (json["type"] == "link" && json["collection"] == "dictionary"),
      collection: kinds[json["collection"]?.stringValue ?? ""] ?? .single,
      linkTarget: json["target"]?.stringValue
    )
  }

  private mutating func addKey(_ json: JSON) {
    let (id, className) = (json["id"]?.stringValue ?? "", json["class"]?.stringValue ?? "")
    guard let property = dataset.schema[className]?.primaryKey else { return }
    let value = json["values"]?[property.name].flatMap { self.value($0, property) } ?? .string(id)
    keys[id] = PrimaryKey(value).map { Link(className: className, key: $0) }
  }

  private mutating func addObject(_ json: JSON) {
    let id = json["id"]?.stringValue ?? ""
    guard let link = keys[id], let classSchema = dataset.schema[link.className] else { return }
    var image = RowImage()
    for property in classSchema.properties {
      image.fields[property.name] = field(json["values"]?[property.name], property)
    }
    if let key = classSchema.primaryKey, let value = link.key.value { image.fields[key.name] = .value(value) }
    dataset.insert(StoredObject(className: link.className, key: link.key, image: image))
  }

  private mutating func addCase(_ json: JSON) {
    let arguments = (json["args"]?.arrayValue ?? []).map { argument -> QueryArgument in
      if let list = argument.arrayValue { return .list(list.map { value($0, nil) ?? .null }) }
      return .value(value(argument, nil) ?? .null)
    }
    cases.append(
      Case(
        className: json["class"]?.stringValue ?? "",
        text: json["query"]?.stringValue ?? "",
        arguments: arguments,
        expected: json
      )
    )
  }

  private func field(_ json: JSON?, _ property: PropertySchema) -> RowImage.Field {
    if property.collection == .dictionary {
      let entries = (json?.objectValue ?? []).map { DictionaryEntry($0.name, element($0.value, property)) }
      return .dictionary(DictionaryEntry.sorted(entries))
    }
    if property.collection != .single {
      return .list((json?.arrayValue ?? []).map { element($0, property) })
    }
    return .value(json.map { element($0, property) } ?? Self.fallback(property))
  }

  /// A value, or a new object if the target is an embedded class; these get made-up keys.
  private func element(_ json: JSON, _ property: PropertySchema) -> Value {
    if let value = value(json, property) { return value }
    guard let target = property.linkTarget, json.objectValue != nil, let classSchema = dataset.schema[target]
    else {
      return .null
    }
    let key = PrimaryKey.int(Int64(dataset.objects[target]?.count ?? 0))
    let fields = classSchema.properties.map { ($0.name, field(json[$0.name], $0)) }
    let image = RowImage(Dictionary(uniqueKeysWithValues: fields))
    dataset.insert(StoredObject(className: target, key: key, image: image))
    return .link(Link(className: target, key: key))
  }

  /// Plain JSON, read as the type of the property if there is one.
  private func value(_ json: JSON, _ property: PropertySchema?) -> Value? {
    switch json {
    case .null: return .null
    case .bool(let bool): return .bool(bool)
    case .integer(let int): return number(Double(int), int, property)
    case .double(let double): return .double(double)
    case .string(let text): return .string(text)
    case .object(let members): return members.first.flatMap { tagged($0.name, $0.value) }
    case .array: return nil
    }
  }

  private func number(_ double: Double, _ int: Int64, _ property: PropertySchema?) -> Value {
    property?.type == .double ? .double(double) : .int(int)
  }

  private func tagged(_ tag: String, _ json: JSON) -> Value? {
    let text = json.stringValue ?? ""
    switch tag {
    case "$ref": return keys[text].map { .link($0) }
    case "$float": return (json.doubleValue ?? Double(text)).map { .float(Float($0)) }
    case "$double": return Double(text).map { .double($0) }
    case "$decimal": return VectorValues.value(.object([JSON.Member("decimal", json)]))
    case "$oid": return ObjectId(hex: text).map { .objectId($0) }
    case "$uuid": return UUIDValue(text).map { .uuid($0) }
    case "$binary": return VectorValues.base64(text)
    case "$list": return .list((json.arrayValue ?? []).map { value($0, nil) ?? .null })
    case "$dict":
      let entries = (json.objectValue ?? []).map { DictionaryEntry($0.name, value($0.value, nil) ?? .null) }
      return .dictionary(DictionaryEntry.sorted(entries))
    case "$date":
      let parts = json.arrayValue?.compactMap(\.integerValue) ?? []
      guard parts.count == 2 else { return nil }
      return Timestamp(seconds: parts[0], nanoseconds: Int32(parts[1])).map { .timestamp($0) }
    default: return nil
    }
  }

  private static func fallback(_ property: PropertySchema) -> Value {
    property.isNullable ? .null : property.type.zero
  }
}
