// SPDX-License-Identifier: Apache-2.0

/// A class of objects as the schema describes it.
public struct ObjectSchema {
  /// The name of the class in the schema.
  public let className: String
  /// The stored properties, those of superclasses first, each in declared order.
  public let properties: [Property]
  /// The Swift class; `DynamicObject` for a class that the program does not use with the realm.
  public let objectClass: AnyClass
  /// Whether the objects live inside other objects.
  public let isEmbedded: Bool
  /// Whether the objects are only uploaded.
  public let isAsymmetric: Bool
  /// The properties that are not stored: linking objects.
  private let computedProperties: [Property]

  /// - Parameter kind: the class whose objects they are like: `Object`, `EmbeddedObject` or `AsymmetricObject`.
  init(_ discovered: DiscoveredClass, kind: ObjectBase.Type? = nil) {
    let kind = kind ?? discovered.type
    className = discovered.name
    properties = discovered.properties.map(Property.init(_:))
    computedProperties = discovered.backlinks.map(Property.init(_:))
    objectClass = discovered.type
    isEmbedded = kind is EmbeddedObject.Type
    isAsymmetric = kind is AsymmetricObject.Type
  }

  /// The primary key; nil if the class has none.
  public var primaryKeyProperty: Property? { properties.first(where: \.isPrimaryKey) }

  /// The property with a name, also one of linking objects; nil if there is none.
  public subscript(propertyName: String) -> Property? {
    (properties + computedProperties).first { $0.name == propertyName }
  }
}

extension ObjectSchema: Equatable {
  /// Classes are equal if their properties are, whatever their names.
  public static func == (left: ObjectSchema, right: ObjectSchema) -> Bool {
    left.properties == right.properties && left.computedProperties == right.computedProperties
  }
}

extension ObjectSchema: CustomStringConvertible {
  public var description: String {
    let lines = (properties + computedProperties).map { "\t\(indented($0.description))\n" }
    return "\(className) \(isEmbedded ? "(embedded) " : ""){\n\(lines.joined())}"
  }
}

extension ObjectBase {
  /// The schema of the object's class.
  public final var objectSchema: ObjectSchema {
    guard let managed = _managed, self is DynamicObject else { return ObjectSchema(discovered) }
    return managed.realm.schema(of: managed.binding)
  }

  /// The schema of the class; nil for classes of FlexSync, such as `Object`.
  public final class func sharedSchema() -> ObjectSchema? {
    let own: [ObjectBase.Type] = [
      ObjectBase.self, Object.self, EmbeddedObject.self, AsymmetricObject.self, DynamicObject.self,
    ]
    return own.contains { $0 == self } ? nil : ObjectSchema(DiscoveredClass.of(self))
  }
}

func indented(_ text: String) -> String {
  text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n\t")
}
