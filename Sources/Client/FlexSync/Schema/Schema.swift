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
  /// The classes of the realm: those in `Configuration.objectTypes`, or else those of the program, and those that the realm
  /// has been used with since it was opened. A class of the program is missing if another one has the same name.
  public var schema: Schema {
    let known = handle.classSchemas
    guard configuration.objectTypes == nil, !isFrozen else { return Schema(objectSchema: known) }
    let names = Set(known.map(\.className))
    let others = ProgramClasses.unambiguous.map(DiscoveredClass.of).filter { discovered in
      !names.contains(discovered.name) && discovered.fits(handle)
    }
    return Schema(objectSchema: known + others.map { ObjectSchema($0) })
  }
}

extension DiscoveredClass {
  /// Whether a realm can have the class: a synced one needs the primary key `_id`, and a local one uploads nothing.
  fileprivate func fits(_ realm: _RealmHandle) -> Bool {
    guard realm.isSynced else { return !(type is AsymmetricObject.Type) }
    return type is EmbeddedObject.Type || primaryKeyOrdinal.map { properties[$0].columnName } == "_id"
  }
}
