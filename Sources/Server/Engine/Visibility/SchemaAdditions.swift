// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// The additions of a client's declarations to the server's schema (protocol §10.2).
struct SchemaAdditions {
  /// The new classes and, for each existing class that is extended, a class with the new properties only.
  private(set) var schema = Schema()
  /// The maximum number of properties of a class: what the database can store if each needs two columns.
  private static let maximumPropertyCount = 900
  private static let keyTypes: Set<ValueType> = [.int, .string, .objectId, .uuid]

  /// - Parameter isAllowed: whether clients may add anything, as in development mode.
  /// - Throws: `SessionFailure` with error 225 for declarations that contradict the schema, or are new and not
  ///   allowed.
  init(_ declarations: [Instruction], to known: Schema, isAllowed: Bool) throws {
    for declaration in declarations {
      switch declaration {
      case .addTable(let name, let kind, let key): try addClass(name, kind, key, known)
      case .addColumn(let table, let property, let keyType): try addProperty(property, keyType, table, known)
      case .eraseTable(let name):
        throw SessionFailure.invalidSchemaChange("class \"\(name)\" cannot be removed")
      case .eraseColumn(let table, let name):
        throw SessionFailure.invalidSchemaChange("property \"\(table).\(name)\" cannot be removed")
      default: break
      }
    }
    guard isAllowed || schema.isEmpty else { throw refusal(known) }
    try checkTargets(known)
  }

  /// Checks that nothing links to asymmetric objects (protocol §10.2), and that targets are named as they are
  /// declared. Asymmetric objects may link to others, as in Realm's clients.
  private func checkTargets(_ known: Schema) throws {
    for classSchema in schema.classes {
      for property in classSchema.properties {
        guard let target = property.linkTarget, let declared = known[target] ?? schema[target] else {
          continue
        }
        try SchemaNames.checkSpelling(target, declared.name, kind: "class")
        guard declared.kind == .asymmetric else { continue }
        throw SessionFailure.invalidSchemaChange(
          "property \"\(classSchema.name).\(property.name)\" links to class \"\(target)\", which is "
            + "asymmetric: no property can link to its objects"
        )
      }
    }
  }

  private mutating func addClass(
    _ name: String,
    _ kind: ClassKind,
    _ key: PropertySchema?,
    _ known: Schema
  ) throws {
    let primaryKey = key.map { PropertySchema(name: $0.name, type: $0.type, isNullable: $0.isNullable) }
    guard let existing = known[name] ?? schema[name] else {
      try SchemaNames.checkClass(name)
      if let primaryKey { try SchemaNames.checkProperty(primaryKey.name, of: name) }
      guard kind == .embedded || primaryKey?.name == "_id" else {
        throw SessionFailure.invalidSchemaChange("class \"\(name)\" needs a primary key named \"_id\"")
      }
      if let primaryKey, !SchemaAdditions.keyTypes.contains(primaryKey.type) {
        throw SessionFailure.invalidSchemaChange(
          "the primary key of class \"\(name)\" is \(primaryKey.words); it must be an int, string, objectId or uuid"
        )
      }
      schema[name] = ClassSchema(name: name, kind: kind, primaryKey: primaryKey, properties: [])
      return
    }
    try SchemaNames.checkSpelling(name, existing.name, kind: "class")
    guard existing.kind == kind else {
      throw SessionFailure.invalidSchemaChange(
        "class \"\(name)\" is \(kind.words), but \(existing.kind.words) on the server"
      )
    }
    guard existing.primaryKey == primaryKey else {
      throw SessionFailure.invalidSchemaChange(
        "class \"\(name)\" has \(primaryKey.keyWords), but \(existing.primaryKey.keyWords) on the server"
      )
    }
  }

  private mutating func addProperty(
    _ property: PropertySchema,
    _ keyType: ValueType?,
    _ table: String,
    _ known: Schema
  ) throws {
    if let keyType, keyType != .string {
      throw SessionFailure.invalidSchemaChange(
        "property \"\(table).\(property.name)\" is a dictionary with keys of type \(keyType); keys must be of type "
          + "string"
      )
    }
    guard let existingClass = schema[table] ?? known[table] else {
      throw SessionFailure.invalidSchemaChange(
        "property \"\(table).\(property.name)\" belongs to a class that is not declared"
      )
    }
    try SchemaNames.checkSpelling(table, existingClass.name, kind: "class")
    guard
      let existing = known[table]?.property(named: property.name)
        ?? existingClass.property(named: property.name)
    else {
      try SchemaNames.checkProperty(property.name, of: table)
      var extended =
        schema[table]
        ?? ClassSchema(
          name: table,
          kind: existingClass.kind,
          primaryKey: existingClass.primaryKey,
          properties: []
        )
      extended.properties.append(property)
      schema[table] = extended
      guard
        extended.properties.count + (known[table]?.properties.count ?? 0)
          <= SchemaAdditions.maximumPropertyCount
      else {
        throw SessionFailure.invalidSchemaChange(
          "class \"\(table)\" has more than \(SchemaAdditions.maximumPropertyCount) properties"
        )
      }
      return
    }
    try SchemaNames.checkSpelling(property.name, existing.name, kind: "property", prefix: "\(table).")
    guard existing.agrees(with: property) else {
      if let reason = property.difference(inNullabilityFrom: existing) {
        throw SessionFailure.invalidSchemaChange("property \"\(table).\(property.name)\" \(reason)")
      }
      throw SessionFailure.invalidSchemaChange(
        "property \"\(table).\(property.name)\" is \(property.words), but \(existing.words) on the server"
      )
    }
  }

  /// Returns the refusal. It words the first addition as Realm's clients know it, and then names the others.
  private func refusal(_ known: Schema) -> SessionFailure {
    let additions = schema.classes.flatMap { addition -> [(words: String, name: String)] in
      guard known[addition.name] != nil else {
        return [("adding schema for Realm table \"\(addition.name)\"", "class \"\(addition.name)\"")]
      }
      return addition.properties.map { property in
        (
          "adding \"\(property.columnType)\" column at field \"\(property.name)\" in schema \"\(addition.name)\"",
          "property \"\(addition.name).\(property.name)\""
        )
      }
    }
    let others = additions.dropFirst().map(\.name).joined(separator: ", ")
    return SessionFailure.invalidSchemaChange(
      "non-breaking schema change: \(additions.first?.words ?? ""), "
        + "schema changes from clients are restricted when developer mode is disabled"
        + (others.isEmpty ? "" : "; so are \(others)")
    )
  }
}

extension ClassKind {
  /// The kind in words, for messages.
  fileprivate var words: String {
    switch self {
    case .topLevel: "a class of top-level objects"
    case .embedded: "a class of embedded objects"
    case .asymmetric: "an asymmetric class"
    }
  }
}

extension PropertySchema? {
  /// A primary key in words, for messages.
  fileprivate var keyWords: String {
    guard let self else { return "no primary key" }
    return "the primary key \"\(self.name)\" (\(self.words))"
  }
}

extension PropertySchema {
  /// The type of the values, as Realm's clients know it from errors.
  fileprivate var columnType: String {
    switch type {
    case .int: "Int"
    case .bool: "Bool"
    case .string: "String"
    case .binary: "Binary"
    case .timestamp: "Timestamp"
    case .float: "Float"
    case .double: "Double"
    case .decimal: "Decimal"
    case .objectId: "ObjectID"
    case .uuid: "UUID"
    case .mixed: "Mixed"
    case .link: "Link"
    }
  }

  /// Returns the difference in words if it is only whether values may be null; otherwise nil.
  fileprivate func difference(inNullabilityFrom existing: PropertySchema) -> String? {
    var copy = self
    copy.isNullable = existing.isNullable
    guard existing.agrees(with: copy) else { return nil }
    let (mine, theirs) = isNullable ? ("optional", "required") : ("required", "optional")
    guard collection == .single else { return "has elements that are \(mine), but \(theirs) on the server" }
    return "is \(mine), but \(theirs) on the server (\"required\" in schema.json)"
  }

  /// The declaration in words, for messages.
  fileprivate var words: String {
    let element =
      (isNullable ? "optional " : "") + (linkTarget.map { "link to \"\($0)\"" } ?? type.description)
    return switch collection {
    case .single: "a single \(element)"
    case .list: "a list of \(element)"
    case .dictionary: "a dictionary of \(element)"
    case .set: "a set of \(element)"
    }
  }
}
