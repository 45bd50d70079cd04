// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel

/// A class as declared by the app.
struct DeclaredClass: Equatable, Sendable {
  var schema: ClassSchema
  /// All properties in the order of declaration, including the primary key.
  var propertyNames: [String]
}

/// Reads the classes of a configuration and checks everything that can be checked without the file.
enum SchemaDeclaration {
  /// The types allowed for a primary key.
  private static let keyTypes: Set<ValueType> = [.int, .string, .objectId, .uuid]

  /// - Parameter known: further classes that links may point to.
  /// - Throws: `CoreError` INVALID_ARGUMENT, naming the class and the property.
  static func read(
    _ classes: UnsafeBufferPointer<flx_class_info_t>,
    isSynced: Bool,
    known: Schema = Schema()
  ) throws -> [DeclaredClass] {
    var result: [DeclaredClass] = []
    var names: Set<String> = []
    for info in classes {
      let declared = try read(info)
      guard names.insert(declared.schema.name).inserted else {
        throw CoreError.invalidArgument("The class '\(declared.schema.name)' is declared twice.")
      }
      try checkKey(of: declared.schema, isSynced: isSynced)
      result.append(declared)
    }
    let embedded = Set(result.lazy.map(\.schema).filter { $0.kind == .embedded }.map(\.name))
    for declared in result {
      try checkLinks(of: declared.schema, names.union(known.classes.map(\.name)))
      try checkSets(of: declared.schema, embedded)
    }
    try checkAsymmetric(result.map(\.schema), known: known, isSynced: isSynced)
    return result
  }

  private static func read(_ info: flx_class_info_t) throws -> DeclaredClass {
    let name = try info.name.text("The name of a class")
    try checkName(name, limit: SchemaLimits.classNameByteCount, what: "The class name")
    guard let kind = UInt8(exactly: info.kind.rawValue).flatMap(ClassKind.init(rawValue:)) else {
      throw CoreError.invalidArgument("The class '\(name)' has an unknown kind (\(info.kind.rawValue)).")
    }
    let properties = try CArray.view(info.properties, count: info.property_count, "properties of '\(name)'")
    var classSchema = ClassSchema(name: name, kind: kind, primaryKey: nil, properties: [])
    var names: [String] = []
    for property in properties {
      let schema = try read(property, of: name)
      guard !names.contains(schema.name) else {
        throw CoreError.invalidArgument("The property '\(name).\(schema.name)' is declared twice.")
      }
      names.append(schema.name)
      guard property.is_primary_key else {
        classSchema.properties.append(schema)
        continue
      }
      guard classSchema.primaryKey == nil else {
        throw CoreError.invalidArgument("The class '\(name)' has more than one primary key.")
      }
      classSchema.primaryKey = schema
    }
    return DeclaredClass(schema: classSchema, propertyNames: names)
  }

  private static func read(_ info: flx_property_info_t, of className: String) throws -> PropertySchema {
    let name = try info.name.text("The name of a property of '\(className)'")
    try checkName(
      name,
      limit: SchemaLimits.propertyNameByteCount,
      what: "The name of a property of '\(className)'"
    )
    let place = "'\(className).\(name)'"
    guard let type = UInt8(exactly: info.type.rawValue).flatMap(ValueType.init(rawValue:)) else {
      throw CoreError.invalidArgument("The property \(place) has an unknown type (\(info.type.rawValue)).")
    }
    guard let collection = UInt8(exactly: info.collection.rawValue).flatMap(CollectionKind.init(rawValue:))
    else {
      throw CoreError.invalidArgument(
        "The property \(place) has an unknown collection kind (\(info.collection.rawValue))."
      )
    }
    let target = try info.link_target.text("The link target of \(place)")
    guard (type == .link) == !target.isEmpty else {
      throw CoreError.invalidArgument(
        type == .link
          ? "The property \(place) is a link; name its class in link_target."
          : "The property \(place) is not a link, but has the link target '\(target)'."
      )
    }
    return PropertySchema(
      name: name,
      type: type,
      isNullable: isNullable(info.is_nullable, type, collection),
      collection: collection,
      linkTarget: type == .link ? target : nil,
      isIndexed: info.is_indexed
    )
  }

  /// Single links and values in dictionaries of links are always nullable, and so is mixed; links in lists and sets
  /// never are (protocol §10.4).
  private static func isNullable(_ declared: Bool, _ type: ValueType, _ collection: CollectionKind) -> Bool {
    switch type {
    case .link: collection == .single || collection == .dictionary
    case .mixed: true
    default: declared
    }
  }

  private static func checkName(_ name: String, limit: Int, what: String) throws {
    guard !name.isEmpty, name.utf8.count <= limit, !name.utf8.contains(0) else {
      throw CoreError.invalidArgument("\(what) must have 1 to \(limit) bytes, none of them zero: '\(name)'.")
    }
  }

  private static func checkKey(of classSchema: ClassSchema, isSynced: Bool) throws {
    let name = classSchema.name
    guard classSchema.kind != .embedded else {
      guard classSchema.primaryKey == nil else {
        throw CoreError.invalidArgument("The embedded class '\(name)' cannot have a primary key.")
      }
      return
    }
    guard let key = classSchema.primaryKey else {
      throw CoreError.invalidArgument("The class '\(name)' has no primary key. Declare one named '_id'.")
    }
    guard key.collection == .single, keyTypes.contains(key.type) else {
      throw CoreError.invalidArgument(
        "The primary key '\(name).\(key.name)' must be an int, string, object id or UUID."
      )
    }
    guard !isSynced || key.name == "_id" else {
      throw CoreError.invalidArgument(
        "The primary key of the synced class '\(name)' must be named '_id', not '\(key.name)'."
      )
    }
  }

  private static func checkSets(of classSchema: ClassSchema, _ embedded: Set<String>) throws {
    for property in classSchema.properties where property.collection == .set {
      guard let target = property.linkTarget, embedded.contains(target) else { continue }
      throw CoreError.invalidArgument(
        "The set '\(classSchema.name).\(property.name)' cannot hold objects of the embedded class '\(target)'. "
          + "Use a list."
      )
    }
  }

  private static func checkLinks(of classSchema: ClassSchema, _ names: Set<String>) throws {
    for property in classSchema.properties {
      guard let target = property.linkTarget, !names.contains(target) else { continue }
      throw CoreError.invalidArgument(
        "The property '\(classSchema.name).\(property.name)' links to '\(target)', which is not declared."
      )
    }
  }
}
