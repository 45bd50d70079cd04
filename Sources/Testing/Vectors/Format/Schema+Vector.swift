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
    switch name {
    case "mixed": self = .mixed
    case "int": self = .int
    case "bool": self = .bool
    case "string": self = .string
    case "binary": self = .binary
    case "timestamp": self = .timestamp
    case "float": self = .float
    case "double": self = .double
    case "decimal": self = .decimal
    case "link": self = .link
    case "objectId": self = .objectId
    case "uuid": self = .uuid
    default: throw VectorError("no type of property is called \(name)")
    }
  }
}

extension CollectionKind {
  init(vector name: String) throws(VectorError) {
    switch name {
    case "single": self = .single
    case "list": self = .list
    case "dictionary": self = .dictionary
    case "set": self = .set
    default: throw VectorError("no collection is called \(name)")
    }
  }
}

extension ClassKind {
  init(vector name: String) throws(VectorError) {
    switch name {
    case "top-level": self = .topLevel
    case "embedded": self = .embedded
    case "asymmetric": self = .asymmetric
    default: throw VectorError("no class is \(name)")
    }
  }
}

extension Schema {
  /// Creates a schema from an object of classes by name (states of `merge.jsonl`).
  init(vector json: JSON) throws(VectorError) {
    var classes: [ClassSchema] = []
    for member in json.objectValue ?? [] {
      classes.append(try ClassSchema(vector: member.value, name: member.name))
    }
    self.init(classes)
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
    var properties: [PropertySchema] = []
    for member in try json.members("properties") {
      properties.append(try PropertySchema(vector: member.value, name: member.name))
    }
    self.init(
      name: name,
      kind: try ClassKind(vector: json.text("kind")),
      primaryKey: key,
      properties: properties
    )
  }
}
