// SPDX-License-Identifier: Apache-2.0

/// The type of a property's values. Raw values are those used on the wire (protocol §6.4 and §6.5).
public enum ValueType: UInt8, Hashable, Sendable, CaseIterable {
  case mixed = 0
  case int = 1
  case bool = 2
  case string = 3
  case binary = 4
  case timestamp = 5
  case float = 6
  case double = 7
  case decimal = 8
  case link = 9
  case objectId = 10
  case uuid = 11
}

extension ValueType: CustomStringConvertible {
  /// The name used in messages and in the query language.
  public var description: String {
    switch self {
    case .mixed: "mixed"
    case .int: "int"
    case .bool: "bool"
    case .string: "string"
    case .binary: "binary"
    case .timestamp: "timestamp"
    case .float: "float"
    case .double: "double"
    case .decimal: "decimal128"
    case .link: "link"
    case .objectId: "objectId"
    case .uuid: "uuid"
    }
  }
}

/// Whether a property holds one value or a collection. Raw values are those used on the wire (protocol §6.5).
public enum CollectionKind: UInt8, Hashable, Sendable, CaseIterable {
  case single = 0
  case list = 1
  case dictionary = 2
  case set = 3
}

/// One property of a class.
public struct PropertySchema: Hashable, Sendable {
  public var name: String
  public var type: ValueType
  /// Whether the value, or for a collection each element, may be null.
  public var isNullable: Bool
  public var collection: CollectionKind
  /// The class that a link leads to; nil for other types.
  public var linkTarget: String?
  /// Whether a local index serves queries on this property. Indexes do not belong to the synced schema.
  public var isIndexed: Bool

  public init(
    name: String,
    type: ValueType,
    isNullable: Bool = false,
    collection: CollectionKind = .single,
    linkTarget: String? = nil,
    isIndexed: Bool = false
  ) {
    self.name = name
    self.type = type
    self.isNullable = isNullable
    self.collection = collection
    self.linkTarget = linkTarget
    self.isIndexed = isIndexed
  }

  /// Whether two declarations of a property mean the same on the wire, regardless of local indexes.
  public func agrees(with other: PropertySchema) -> Bool {
    name == other.name && type == other.type && isNullable == other.isNullable
      && collection == other.collection
      && linkTarget == other.linkTarget
  }
}

/// The kind of objects in a class. Raw values are those used on the wire (protocol §6.5, AddTable).
public enum ClassKind: UInt8, Hashable, Sendable, CaseIterable {
  /// Objects with their own identity.
  case topLevel = 0
  /// Objects that exist only inside a property of another object and have no primary key.
  case embedded = 1
  /// Objects that are uploaded and never stored on the device.
  case asymmetric = 2
}

/// A class: its name, kind, primary key, and other properties in declaration order.
public struct ClassSchema: Hashable, Sendable {
  public var name: String
  public var kind: ClassKind
  /// The primary key; nil only for embedded classes. Not repeated in `properties`.
  public var primaryKey: PropertySchema?
  public var properties: [PropertySchema]

  public init(
    name: String,
    kind: ClassKind = .topLevel,
    primaryKey: PropertySchema?,
    properties: [PropertySchema]
  ) {
    self.name = name
    self.kind = kind
    self.primaryKey = primaryKey
    self.properties = properties
  }

  /// Returns the property with the given name, which may be the primary key.
  public func property(named name: String) -> PropertySchema? {
    if let primaryKey, primaryKey.name == name { return primaryKey }
    return properties.first { $0.name == name }
  }
}

/// The classes of a realm or of an app, by name.
public struct Schema: Hashable, Sendable {
  private var classesByName: [String: ClassSchema] = [:]

  public init(_ classes: [ClassSchema] = []) {
    for classSchema in classes { classesByName[classSchema.name] = classSchema }
  }

  public subscript(className: String) -> ClassSchema? {
    get { classesByName[className] }
    set { classesByName[className] = newValue }
  }

  /// All classes sorted by name, the order in which clients declare them (protocol §10.1).
  public var classes: [ClassSchema] { classesByName.values.sorted { $0.name < $1.name } }

  public var isEmpty: Bool { classesByName.isEmpty }
}

/// The size limits of names and values (protocol §11).
public enum SchemaLimits {
  /// The maximum length of a class name in UTF-8 bytes.
  public static let classNameByteCount = 57
  /// The maximum length of a property name in UTF-8 bytes.
  public static let propertyNameByteCount = 63
  /// The maximum size of a string or binary value in bytes: slightly less than 16 MiB.
  public static let valueByteCount = 0xFFFFF8 - 16
}
