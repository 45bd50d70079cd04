// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel

extension PropertySchema {
  init(vector json: JSON, name: String) throws(VectorError) {
    self.init(
      name: name,
      type: try ValueType(vector: json.text("type")),
      isNullable: try json.flag("nullable"),
      collection: try CollectionKind(vector: json.text("collection")),
      linkTarget: try json["target"]?.asText()
    )
  }
}

extension ValueType {
  init(vector name: String) throws(VectorError) {
    let types: KeyValuePairs<String, ValueType> = [
      "mixed": .mixed, "int": .int, "bool": .bool, "string": .string, "binary": .binary,
      "timestamp": .timestamp,
      "float": .float, "double": .double, "decimal": .decimal, "link": .link, "objectId": .objectId,
      "uuid": .uuid,
    ]
    self = try types.value(name, else: "no type of property is called")
  }
}

extension CollectionKind {
  init(vector name: String) throws(VectorError) {
    let kinds: KeyValuePairs<String, CollectionKind> = [
      "single": .single, "list": .list, "dictionary": .dictionary, "set": .set,
    ]
    self = try kinds.value(name, else: "no collection is called")
  }
}

extension ClassKind {
  init(vector name: String) throws(VectorError) {
    let kinds: KeyValuePairs<String, ClassKind> = [
      "top-level": .topLevel, "embedded": .embedded, "asymmetric": .asymmetric,
    ]
    self = try kinds.value(name, else: "no class is")
  }
}

extension KeyValuePairs where Key == String {
  fileprivate func value(_ name: String, else text: String) throws(VectorError) -> Value {
    guard let pair = first(where: { $0.key == name }) else { throw VectorError("\(text) \(name)") }
    return pair.value
  }
}

extension Schema {
  /// Creates a schema from an object of classes by name (states of `merge.jsonl`).
  init(vector json: JSON) throws(VectorError) {
    self.init(
      try (json.objectValue ?? []).map { member throws(VectorError) in
        try ClassSchema(vector: member.value, name: member.name)
      }
    )
  }
}

extension ClassSchema {
  init(vector json: JSON, name: String) throws(VectorError) {
    var key: PropertySchema?
    if let declaration = json["pk"] {
      key = PropertySchema(
        name: try declaration.text("name"),
        type: try ValueType(vector: declaration.text("type")),
        isNullable: try declaration.flag("nullable")
      )
    }
    let properties = try json.members("properties").map { member throws(VectorError) in
      try PropertySchema(vector: member.value, name: member.name)
    }
    self.init(
      name: name,
      kind: try ClassKind(vector: json.text("kind")),
      primaryKey: key,
      properties: properties
    )
  }
}
