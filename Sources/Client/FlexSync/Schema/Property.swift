// SPDX-License-Identifier: Apache-2.0

/// A property as the schema describes it. See `ObjectSchema`.
public struct Property: Sendable {
  /// The name in the Swift class.
  public let name: String
  /// The name in the file, which is the same unless the class maps it (`propertiesMapping`).
  public let columnName: String
  /// The type of the value, or of the elements of a collection.
  public let type: PropertyType
  /// Whether it is a `List`.
  public let isArray: Bool
  /// Whether it is a `MutableSet`.
  public let isSet: Bool
  /// Whether it is a `Map`.
  public let isMap: Bool
  /// Whether there is an index for queries. A primary key has one.
  public let isIndexed: Bool
  /// Whether the value, or each element of a collection, may be nil.
  public let isOptional: Bool
  /// The class that the objects are of; nil if the type is neither `object` nor `linkingObjects`.
  public let objectClassName: String?
  let isPrimaryKey: Bool
  /// For linking objects, the property in their class that links.
  let originProperty: String?
}

extension Property {
  init(_ property: DiscoveredProperty) {
    name = property.name
    columnName = property.columnName
    type = property.type.publicType
    isArray = property.type.collectionKind == .list
    isSet = property.type.collectionKind == .set
    isMap = property.type.collectionKind == .dictionary
    isIndexed = property.isIndexed || property.isPrimaryKey
    isOptional = property.type.isNullable && type != .any
    objectClassName =
      property.type.dynamicTarget ?? property.type.linkTarget.map { DiscoveredClass.of($0).name }
    isPrimaryKey = property.isPrimaryKey
    originProperty = nil
  }

  init(_ backlink: DiscoveredBacklink) {
    name = backlink.name
    columnName = backlink.name
    type = .linkingObjects
    // As in the SDK, whose linking objects are an array.
    isArray = true
    isSet = false
    isMap = false
    isIndexed = false
    isOptional = false
    objectClassName = DiscoveredClass.of(backlink.originClass).name
    isPrimaryKey = false
    originProperty = backlink.originProperty
  }
}

extension Property {
  /// The type in messages, such as `'string?' array`.
  var kind: String {
    let collection = isArray ? " array" : isSet ? " set" : isMap ? " dictionary" : ""
    return "'\(objectClassName ?? type.name)\(isOptional ? "?" : "")'\(collection)"
  }
}

extension Property: Equatable {
  /// Compares everything but the names in the file and the kinds of collections, as the SDK does.
  public static func == (left: Property, right: Property) -> Bool {
    left.name == right.name && left.type == right.type && left.isIndexed == right.isIndexed
      && left.isPrimaryKey == right.isPrimaryKey && left.isOptional == right.isOptional
      && left.objectClassName == right.objectClassName && left.originProperty == right.originProperty
  }
}

extension Property: CustomStringConvertible {
  public var description: String {
    let target =
      objectClassName.map {
        "\tobjectClassName = \($0);\n\tlinkOriginPropertyName = \(originProperty ?? "(null)");\n"
      } ?? ""
    return "\(name) {\n\ttype = \(type.name);\n\(target)\tcolumnName = \(columnName);\n"
      + "\tindexed = \(word(isIndexed));\n\tisPrimary = \(word(isPrimaryKey));\n"
      + "\tarray = \(word(isArray));\n\tset = \(word(isSet));\n\tdictionary = \(word(isMap));\n"
      + "\toptional = \(word(isOptional));\n}"
  }

  private func word(_ value: Bool) -> String { value ? "YES" : "NO" }
}

/// The type of a property, or of the elements of a collection.
public enum PropertyType: Int32, Sendable {
  case int = 0
  case bool = 1
  case string = 2
  case data = 3
  case date = 4
  case float = 5
  case double = 6
  /// A link to an object, or an embedded object.
  case object = 7
  /// The objects that link to the object; not stored.
  case linkingObjects = 8
  /// A value of any type.
  case any = 9
  case objectId = 10
  case decimal128 = 11
  // The SDK's name.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  case UUID = 12
}

extension PropertyType {
  /// The name in descriptions of schemas.
  var name: String {
    switch self {
    case .int: "int"
    case .bool: "bool"
    case .string: "string"
    case .data: "data"
    case .date: "date"
    case .float: "float"
    case .double: "double"
    case .object: "object"
    case .linkingObjects: "linking objects"
    case .any: "mixed"
    case .objectId: "object id"
    case .decimal128: "decimal128"
    case .UUID: "uuid"
    }
  }
}
