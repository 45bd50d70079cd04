// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncJSON
import FlexSyncModel

import enum FlexSyncQuery.SetElements

/// The reason why a document of an import file cannot be imported.
package struct DocumentError: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) {
    self.description = description
  }
}

/// An object as described by a document: its key and the content of every property.
package struct ImportedObject {
  /// The content of a property.
  package enum Content: Hashable {
    case value(Value)
    case elements([Value])
    case entries([DictionaryEntry])
    /// The instructions that create embedded objects in an empty place.
    case embedded([Instruction])
  }

  package let reference: ObjectReference
  package let contents: [(property: PropertySchema, content: Content)]
}

/// Reads documents of one class.
package struct DocumentReader {
  private let classSchema: ClassSchema
  private let primaryKey: PropertySchema
  let schema: Schema
  private let mixedReader: MixedReader

  /// - Parameter classByCollection: The classes by collection name, to resolve references in mixed values.
  /// - Throws: `DocumentError` if the objects of the class are not documents.
  package init(className: String, schema: Schema, classByCollection: [String: String]) throws {
    guard let classSchema = schema[className], let primaryKey = classSchema.primaryKey else {
      throw DocumentError(
        description: "the app has no collection or class \"\(className)\"; it has "
          + DocumentReader.names(schema, classByCollection).joined(separator: ", ")
      )
    }
    self.classSchema = classSchema
    self.primaryKey = primaryKey
    self.schema = schema
    mixedReader = MixedReader(schema: schema, classByCollection: classByCollection)
  }

  /// Returns the collections whose documents can be read, and the classes that have none.
  private static func names(_ schema: Schema, _ classByCollection: [String: String]) -> [String] {
    let collections = classByCollection.filter { schema[$0.value]?.primaryKey != nil }
    let classes = schema.classes.filter { $0.primaryKey != nil }.map(\.name)
    return collections.keys.sorted() + classes.filter { !collections.values.contains($0) }.sorted()
  }

  /// Returns the field names in a document that the class does not have. Those inside embedded objects contain dots.
  package func unknownFields(_ document: JSON) -> [String] { unknownFields(document, of: classSchema) }

  private func unknownFields(_ document: JSON, of classSchema: ClassSchema) -> [String] {
    (document.objectValue ?? []).flatMap { member -> [String] in
      guard let property = classSchema.property(named: member.name) else { return [member.name] }
      guard isEmbedded(property), let target = property.linkTarget.flatMap({ schema[$0] }) else { return [] }
      let objects =
        switch property.collection {
        case .single: [member.value]
        case .list, .set: member.value.arrayValue ?? []
        case .dictionary: (member.value.objectValue ?? []).map(\.value)
        }
      return objects.flatMap { unknownFields($0, of: target) }.map { "\(member.name).\($0)" }
    }
  }

  package func object(_ document: JSON) throws -> ImportedObject {
    guard document.objectValue != nil else { throw DocumentError(description: "not a JSON object") }
    guard let key = PrimaryKey(try value(document[primaryKey.name], primaryKey)) else {
      throw DocumentError(description: "field \"\(primaryKey.name)\" is not a valid primary key")
    }
    let reference = ObjectReference(table: classSchema.name, key: key)
    return ImportedObject(
      reference: reference,
      contents: try classSchema.properties.map { property in
        let path = PropertyPath(object: reference, field: property.name)
        return (property, try content(document[property.name], property, at: path))
      }
    )
  }

  /// Returns the content of a property.
  ///
  /// - Parameter path: The place where the content will be stored.
  func content(_ json: JSON?, _ property: PropertySchema, at path: PropertyPath) throws
    -> ImportedObject.Content
  {
    if isEmbedded(property) { return .embedded(try embedded(json, property, at: path)) }
    switch property.collection {
    case .single: return .value(try value(json, property))
    case .list:
      guard let json, json != .null else { return .elements([]) }
      guard let elements = json.arrayValue else { throw mismatch(property, json) }
      return .elements(try elements.map { try value($0, property) })
    case .set:
      guard let json, json != .null else { return .elements([]) }
      guard let elements = json.arrayValue else { throw mismatch(property, json) }
      return .elements(distinct(try elements.map { try value($0, property) }))
    case .dictionary:
      guard let json, json != .null else { return .entries([]) }
      guard let members = json.objectValue else { throw mismatch(property, json) }
      return .entries(try entries(members, property))
    }
  }

  /// Returns the elements of a set without duplicates, in the order in which sets are read.
  private func distinct(_ values: [Value]) -> [Value] {
    var result: [Value] = []
    for value in values where !result.contains(where: { SetElements.areSame($0, value) }) {
      result.append(value)
    }
    return result.sorted(by: SetElements.precedes)
  }

  /// Returns the entries of a dictionary, sorted by the bytes of their keys.
  private func entries(_ members: [JSON.Member], _ property: PropertySchema) throws -> [DictionaryEntry] {
    try members.map { member in
      guard DictionaryKey.isValid(member.name) else {
        throw DocumentError(
          description: "field \"\(property.name)\" has the key \"\(DictionaryKey.text(member.name))\"; "
            + DictionaryKey.rule
        )
      }
      return DictionaryEntry(member.name, try value(member.value, property))
    }
    .sorted { UTF8Order.isLess($0.key, $1.key) }
  }

  private func value(_ json: JSON?, _ property: PropertySchema) throws -> Value {
    guard let json, json != .null else {
      guard property.isNullable else {
        throw DocumentError(description: "field \"\(property.name)\" is required but missing or null")
      }
      return .null
    }
    guard property.type == .link else {
      let value =
        property.type == .mixed ? mixedReader.value(json) : ExtendedJSON.value(json, as: property.type)
      guard let value else { throw mismatch(property, json) }
      return value
    }
    guard let target = property.linkTarget, let type = schema[target]?.primaryKey?.type,
      let key = ExtendedJSON.value(json, as: type).flatMap(PrimaryKey.init)
    else { throw mismatch(property, json) }
    return .link(Link(className: target, key: key))
  }

  func mismatch(_ property: PropertySchema, _ json: JSON) -> DocumentError {
    let text = json.serialized
    let shown = text.count > 60 ? "\(text.prefix(60))…" : text
    let type = property.linkTarget.map { "link to \($0)" } ?? property.type.description
    return DocumentError(description: "field \"\(property.name)\" is \(shown), which is not a valid \(type)")
  }
}

extension ImportedObject.Content {
  /// Returns the instructions that create the content in an empty place.
  package func filling(_ path: PropertyPath, _ collection: CollectionKind) -> [Instruction] {
    switch self {
    case .value(let value): return Instruction.placing(value, at: path, replacing: false)
    case .embedded(let instructions): return instructions
    case .entries(let entries):
      return entries.flatMap { entry in
        Instruction.placing(entry.value, at: path.appending(.name(entry.key)), replacing: false)
      }
    case .elements(let values) where collection == .set: return values.map { .setInsert(path, .value($0)) }
    case .elements(let values):
      return values.enumerated().flatMap { index, value in
        let position = UInt32(truncatingIfNeeded: index)
        return Instruction.inserting(value, at: path.appending(.index(position)), priorSize: position)
      }
    }
  }
}
