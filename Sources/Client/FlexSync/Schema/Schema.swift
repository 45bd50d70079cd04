// SPDX-License-Identifier: Apache-2.0

/// The classes of a realm.
///
/// ```swift
/// for property in realm.schema["Person"]?.properties ?? [] {
///   print(property.name, property.type)
/// }
/// ```
public struct Schema {
  /// The classes, in the order in which the realm got them.
  public let objectSchema: [ObjectSchema]

  /// The class with a name; nil if the realm does not have it.
  public subscript(className: String) -> ObjectSchema? {
    objectSchema.first { $0.className == className }
  }
}

extension Schema: Equatable {
  /// Schemas are equal if they have the same classes with the same properties.
  public static func == (left: Schema, right: Schema) -> Bool {
    left.objectSchema.count == right.objectSchema.count
      && left.objectSchema.allSatisfy { right[$0.className] == $0 }
  }
}

extension Schema: CustomStringConvertible {
  public var description: String {
    let classes = objectSchema.sorted { $0.className < $1.className }
    return "Schema {\n\(classes.map { "\t\(indented($0.description))\n" }.joined())}"
  }
}

extension Realm {
  /// The classes of the realm: those in `Configuration.objectTypes` and those that it has been used with since it was
  /// opened.
  public var schema: Schema { Schema(objectSchema: handle.classSchemas) }
}
