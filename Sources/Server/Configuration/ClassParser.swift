// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncRules
import FlexSyncServerSupport

/// Converts the JSON schema of a collection to its class and the embedded classes within it.
struct ClassParser {
  let collection: CollectionSchema
  let relationships: [String: Relationship]
  let primaryKeyTypes: [String: ValueType]
  let isAsymmetric: Bool
  /// The embedded classes found so far.
  private(set) var embedded: [ClassSchema] = []

  /// Returns the class of the collection, followed by its embedded classes.
  mutating func parse() -> [ClassSchema] {
    guard let properties = collection.node.member("properties") else {
      collection.node.error("properties is missing")
      return []
    }
    let required = Set(collection.node.strings("required"))
    for name in required.sorted() where properties.value[name] == nil {
      collection.node.member("required")?.warning("names \"\(name)\", which is not among the properties")
    }
    var result = ClassSchema(
      name: collection.className,
      kind: isAsymmetric ? .asymmetric : .topLevel,
      primaryKey: primaryKey(in: properties, isRequired: required.contains("_id")),
      properties: []
    )
    for (name, node) in properties.members() where name != "_id" {
      let field = Field(
        name: name,
        className: result.name,
        path: name,
        isRequired: required.contains(name)
      )
      guard let property = property(field, node) else { continue }
      append(property, node, to: &result)
    }
    return [result] + embedded
  }

  private struct Field {
    let name: String
    var className: String
    /// The field's path from the root of the collection's documents, in the form that relationships use.
    var path: String
    var isRequired: Bool
  }

  private func primaryKey(in properties: ConfigurationNode, isRequired: Bool) -> PropertySchema? {
    guard let node = properties.member("_id") else {
      return properties.reject("_id is missing; every synced class must have it as its primary key")
    }
    let name = node.string("bsonType") ?? ""
    guard let type = ScalarType(name: name)?.type, [.objectId, .string, .int, .uuid].contains(type) else {
      return node.reject(
        "bsonType is \"\(name)\"; a primary key must be an objectId, string, int, long or uuid"
      )
    }
    return PropertySchema(name: "_id", type: type, isNullable: !isRequired)
  }

  /// Adds a property, whose name must not look like another.
  private func append(
    _ property: PropertySchema,
    _ node: ConfigurationNode,
    to classSchema: inout ClassSchema
  ) {
    if let twin = classSchema.property(named: property.name) {
      node.error(UnicodeTwins(property.name, twin.name).problem("property"))
    }
    classSchema.properties.append(property)
  }

  private mutating func property(_ field: Field, _ node: ConfigurationNode) -> PropertySchema? {
    let name = field.name
    guard !name.isEmpty, name.utf8.count <= SchemaLimits.propertyNameByteCount else {
      return node.reject("a field name must have 1 to \(SchemaLimits.propertyNameByteCount) bytes")
    }
    if let relationship = relationships[field.path] {
      return link(name, node, to: relationship)
    }
    guard let element = elementType(node) else { return nil }
    switch element.name {
    case "array":
      guard let items = node.member("items") else {
        return node.reject("items is missing; it must give the type of the array's elements")
      }
      let collection: CollectionKind = node.bool("uniqueItems", default: false) ? .set : .list
      return collectionProperty(field, items, collection)
    case "object":
      if let values = node.member("additionalProperties"), values.value.objectValue != nil {
        return collectionProperty(field, values, .dictionary)
      }
      return embeddedObject(field, node, .single)
    default:
      return scalar(name, node, element, collection: .single, isNullable: !field.isRequired)
    }
  }

  /// Returns a collection property whose elements `node` describes.
  private mutating func collectionProperty(
    _ field: Field,
    _ node: ConfigurationNode,
    _ collection: CollectionKind
  ) -> PropertySchema? {
    guard let element = elementType(node) else { return nil }
    switch element.name {
    case "array":
      node.error("only mixed fields can hold nested collections")
      return nil
    case "object": return embeddedObject(field, node, collection)
    default:
      return scalar(field.name, node, element, collection: collection, isNullable: element.isNullable)
    }
  }

  private func scalar(
    _ name: String,
    _ node: ConfigurationNode,
    _ element: ScalarType.Name,
    collection: CollectionKind,
    isNullable: Bool
  ) -> PropertySchema? {
    guard let type = ScalarType(name: element.name)?.type else {
      return node.reject("unknown bsonType \"\(element.name)\"")
    }
    return PropertySchema(
      name: name,
      type: type,
      isNullable: type == .mixed || isNullable,
      collection: collection
    )
  }

  private func link(_ name: String, _ node: ConfigurationNode, to relationship: Relationship)
    -> PropertySchema
  {
    let isArray = node.string("bsonType") == "array"
    let isDictionary = node.string("bsonType") == "object"
    if isArray != relationship.isList, !isDictionary {
      node.error(
        "is_list of the relationship is \(relationship.isList), but the field is "
          + (isArray ? "an array" : "not an array")
      )
    }
    let element =
      isArray ? node.member("items") : isDictionary ? node.member("additionalProperties") : node
    let key = element.flatMap(elementType)?.name
    let type = key.flatMap { ScalarType(name: $0)?.type }
    if type != primaryKeyTypes[relationship.className] {
      node.error("bsonType differs from that of _id in class \"\(relationship.className)\"")
    }
    return PropertySchema(
      name: name,
      type: .link,
      isNullable: !isArray,
      collection: isDictionary
        ? .dictionary : isArray ? (node.bool("uniqueItems", default: false) ? .set : .list) : .single,
      linkTarget: relationship.className
    )
  }

  private mutating func embeddedObject(
    _ field: Field,
    _ node: ConfigurationNode,
    _ collection: CollectionKind
  ) -> PropertySchema? {
    guard let properties = node.member("properties") else {
      return node.reject(
        "an object must have properties (embedded object) or additionalProperties (dictionary)"
      )
    }
    guard collection != .set else { return node.reject("a set cannot hold embedded objects") }
    let title = node.string("title") ?? "\(field.className)_\(field.name)"
    guard title.utf8.count <= SchemaLimits.classNameByteCount else {
      return node.reject("title is longer than \(SchemaLimits.classNameByteCount) bytes")
    }
    let required = Set(node.strings("required"))
    var result = ClassSchema(name: title, kind: .embedded, primaryKey: nil, properties: [])
    for (name, member) in properties.members() {
      let inner = Field(
        name: name,
        className: title,
        path: "\(field.path).\(name)",
        isRequired: required.contains(name)
      )
      guard let property = property(inner, member) else { continue }
      append(property, member, to: &result)
    }
    embedded.append(result)
    return PropertySchema(
      name: field.name,
      type: .link,
      isNullable: collection != .list,
      collection: collection,
      linkTarget: title
    )
  }

  /// Returns the type in `bsonType`: a single name, or a list of a name and "null". Reports anything else as an
  /// error.
  private func elementType(_ node: ConfigurationNode) -> ScalarType.Name? {
    guard let type = node.member("bsonType") else { return node.reject("bsonType is missing") }
    if let name = type.value.stringValue { return ScalarType.Name(name: name, isNullable: false) }
    let names = type.strings()
    let others = names.filter { $0 != "null" }
    guard others.count == 1 else {
      return type.reject("must be one type, or one type and \"null\"; use \"mixed\" for several")
    }
    return ScalarType.Name(name: others[0], isNullable: names.contains("null"))
  }
}

/// A scalar type of App Services schemas.
struct ScalarType {
  let type: ValueType

  /// A type as written in a schema.
  struct Name {
    let name: String
    let isNullable: Bool
  }

  /// Returns nil for names that are not scalar types.
  init?(name: String) {
    let types: [String: ValueType] = [
      "objectId": .objectId, "string": .string, "int": .int, "long": .int, "bool": .bool, "date": .timestamp,
      "double": .double, "float": .float, "decimal": .decimal, "uuid": .uuid, "binData": .binary,
      "mixed": .mixed,
    ]
    guard let type = types[name] else { return nil }
    self.type = type
  }
}
