// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A class as declared by the app.
struct DeclaredClass: Equatable, Sendable {
  var schema: ClassSchema
  /// All properties in the order of declaration, including the primary key.
  var propertyNames: [String]
}

extension DeclaredClass {
  /// A class as the file declares it.
  init(_ schema: ClassSchema) {
    self.init(
      schema: schema,
      propertyNames: ([schema.primaryKey].compactMap(\.self) + schema.properties).map(\.name)
    )
  }
}

/// Checks declarations as far as that is possible without the file.
enum SchemaDeclaration {
  /// The types allowed for a primary key.
  private static let keyTypes: Set<ValueType> = [.int, .string, .objectId, .uuid]

  /// - Parameter known: further classes that links may point to.
  /// - Throws: `CoreError` INVALID_ARGUMENT, naming the class and the property.
  static func check(_ classes: [DeclaredClass], isSynced: Bool, known: Schema = Schema()) throws {
    var names: Set<String> = []
    for declared in classes {
      try checkNames(of: declared)
      guard names.insert(declared.schema.name).inserted else {
        throw CoreError.invalidArgument("The class '\(declared.schema.name)' is declared twice.")
      }
      try checkKey(of: declared.schema, isSynced: isSynced)
    }
    let schemas = classes.map(\.schema)
    let embedded = Set(schemas.lazy.filter { $0.kind == .embedded }.map(\.name))
    for schema in schemas {
      try checkLinks(of: schema, names.union(known.classes.map(\.name)))
      try checkSets(of: schema, embedded)
    }
    try checkAsymmetric(schemas, known: known, isSynced: isSynced)
  }

  private static func checkNames(of declared: DeclaredClass) throws {
    let className = declared.schema.name
    try checkName(className, limit: SchemaLimits.classNameByteCount, what: "The class name")
    var names: Set<String> = []
    for name in declared.propertyNames {
      try checkName(
        name,
        limit: SchemaLimits.propertyNameByteCount,
        what: "The name of a property of '\(className)'"
      )
      guard names.insert(name).inserted else {
        throw CoreError.invalidArgument("The property '\(className).\(name)' is declared twice.")
      }
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
      // The server identifies objects by their keys.
      guard isSynced else { return }
      throw CoreError.invalidArgument(
        "There must be a primary key property named '_id' on a synchronized Realm but none was found for type "
          + "'\(name)'."
      )
    }
    guard key.collection == .single, keyTypes.contains(key.type) else {
      throw CoreError.invalidArgument(
        "The primary key '\(name).\(key.name)' must be an int, string, object id or UUID."
      )
    }
    guard !isSynced || key.name == "_id" else {
      throw CoreError.invalidArgument(
        "The primary key property on a synchronized Realm must be named '_id' but found '\(key.name)' for type "
          + "'\(name)'."
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
