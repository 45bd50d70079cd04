// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncModel

/// The schema files that an app directory needs for what clients have added to the schema in development mode: the
/// inverse of `SchemaReader`.
public struct SchemaFiles {
  /// The files with their paths in the app directory. A file of a class that the directory has already declares
  /// everything that the class has.
  public private(set) var files: [(path: String, content: String)] = []
  /// Steps that the operator has to take besides adding the files.
  public private(set) var notes: [String] = []

  private let stored: Schema
  private let app: AppConfiguration

  /// - Parameter stored: The schema of the app's data.
  public init(of stored: Schema, missingFrom app: AppConfiguration) {
    self.stored = stored
    self.app = app
    for classSchema in stored.classes where classSchema.kind != .embedded {
      guard isIncomplete(classSchema, path: []) else { continue }
      guard FileName.isPlain(classSchema.name) else {
        notes.append(
          "class \"\(classSchema.name)\" has a name that cannot be that of a folder; it is left out"
        )
        continue
      }
      add(classSchema)
    }
  }

  /// Whether the directory lacks the class, or something in it or in what it embeds.
  private func isIncomplete(_ classSchema: ClassSchema, path: [String]) -> Bool {
    guard let declared = app.schema[classSchema.name] else { return true }
    return classSchema.properties.contains { property in
      if declared.property(named: property.name) == nil { return true }
      guard let embedded = embedded(property), !path.contains(embedded.name) else { return false }
      return isIncomplete(embedded, path: path + [embedded.name])
    }
  }

  private func embedded(_ property: PropertySchema) -> ClassSchema? {
    property.linkTarget.flatMap { stored[$0] }.flatMap { $0.kind == .embedded ? $0 : nil }
  }

  private mutating func add(_ classSchema: ClassSchema) {
    if classSchema.kind == .asymmetric, app.schema[classSchema.name] == nil {
      notes.append("add \"\(classSchema.name)\" to asymmetric_tables in sync/config.json")
    }
    var relationships: [JSON.Member] = []
    let schema = object(classSchema, title: classSchema.name, at: "", path: [], &relationships)
    let folder = folder(of: classSchema.name)
    files.append(("\(folder)/schema.json", schema.indented() + "\n"))
    guard !relationships.isEmpty else { return }
    files.append(("\(folder)/relationships.json", JSON.object(relationships).indented() + "\n"))
  }

  private func folder(of className: String) -> String {
    app.folderByClass[className] ?? "\(app.sync.folder)/\(app.sync.databaseName)/\(className)"
  }

  /// Returns the schema of an object.
  ///
  /// - Parameters:
  ///   - place: What precedes the names of the object's fields in `relationships.json`.
  ///   - path: The embedded classes around the object.
  private mutating func object(
    _ classSchema: ClassSchema,
    title: String,
    at place: String,
    path: [String],
    _ relationships: inout [JSON.Member]
  ) -> JSON {
    var properties: [JSON.Member] = []
    var required: [JSON] = []
    for property in [classSchema.primaryKey].compactMap({ $0 }) + classSchema.properties {
      guard let content = content(property, in: classSchema, at: place, path: path, &relationships) else {
        continue
      }
      properties.append(JSON.Member(property.name, content))
      if property.collection == .single, !property.isNullable { required.append(.string(property.name)) }
    }
    var members = [JSON.Member("title", .string(title)), JSON.Member("bsonType", "object")]
    if !required.isEmpty { members.append(JSON.Member("required", .array(required))) }
    members.append(JSON.Member("properties", .object(properties)))
    return .object(members)
  }

  private mutating func content(
    _ property: PropertySchema,
    in owner: ClassSchema,
    at place: String,
    path: [String],
    _ relationships: inout [JSON.Member]
  ) -> JSON? {
    let name = place + property.name
    if let embedded = embedded(property) {
      guard !path.contains(embedded.name) else {
        notes.append(
          "property \"\(owner.name).\(property.name)\" is left out: schema.json cannot say that \"\(embedded.name)\" "
            + "embeds objects of its own class"
        )
        return nil
      }
      let inner = property.collection == .list ? "\(name).[]." : "\(name)."
      let element = object(
        embedded,
        title: embedded.name,
        at: inner,
        path: path + [embedded.name],
        &relationships
      )
      return collection(property.collection, of: element)
    }
    guard let target = property.linkTarget else {
      return collection(property.collection, of: scalar(property))
    }
    let place = folder(of: target).split(separator: "/").suffix(2).joined(separator: "/")
    relationships.append(
      JSON.Member(
        name,
        [
          "ref": .string("#/relationship/\(app.sync.serviceName)/\(place)"), "foreign_key": "_id",
          "is_list": .bool([.list, .set].contains(property.collection)),
        ]
      )
    )
    let key = stored[target]?.primaryKey.map(\.type) ?? .objectId
    return collection(property.collection, of: ["bsonType": .string(Self.name(of: key))])
  }

  private func scalar(_ property: PropertySchema) -> JSON {
    let name = JSON.string(Self.name(of: property.type))
    guard property.collection != .single, property.isNullable, property.type != .mixed else {
      return ["bsonType": name]
    }
    return ["bsonType": .array([name, "null"])]
  }

  private func collection(_ kind: CollectionKind, of element: JSON) -> JSON {
    switch kind {
    case .single: element
    case .list: ["bsonType": "array", "items": element]
    case .set: ["bsonType": "array", "uniqueItems": true, "items": element]
    case .dictionary: ["bsonType": "object", "additionalProperties": element]
    }
  }

  private static func name(of type: ValueType) -> String {
    switch type {
    case .int: "long"
    case .binary: "binData"
    case .timestamp: "date"
    case .decimal: "decimal"
    case .bool, .string, .float, .double, .objectId, .uuid, .mixed, .link: type.description
    }
  }
}

extension JSON {
  /// The value as text with a line for each member, for people to read.
  fileprivate func indented(by margin: String = "") -> String {
    let inner = margin + "  "
    switch self {
    case .object(let members) where !members.isEmpty:
      let lines = members.map {
        "\(inner)\(JSON.string($0.name).serialized): \($0.value.indented(by: inner))"
      }
      return "{\n\(lines.joined(separator: ",\n"))\n\(margin)}"
    default: return serialized
    }
  }
}
