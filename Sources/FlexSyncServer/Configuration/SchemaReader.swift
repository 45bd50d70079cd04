// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The classes of the synced database, and which collection holds which class.
struct DatabaseSchema {
  var schema = Schema()
  var classByCollection: [String: String] = [:]
}

/// Reads the `schema.json` and `relationships.json` of every collection of the synced database.
struct SchemaReader {
  let reader: DirectoryReader
  let sync: SyncConfiguration
  let asymmetricClasses: Set<String>

  func read() -> DatabaseSchema {
    let collections = collectionSchemas()
    var database = DatabaseSchema()
    for collection in collections { database.classByCollection[collection.name] = collection.className }
    let keyTypes = primaryKeyTypes(collections)
    for collection in collections {
      let parser = ClassParser(
        collection: collection,
        relationships: relationships(of: collection.name, in: database.classByCollection),
        primaryKeyTypes: keyTypes,
        isAsymmetric: asymmetricClasses.contains(collection.className)
      )
      for classSchema in parser.parse() { add(classSchema, from: collection, to: &database.schema) }
    }
    if collections.isEmpty && !sync.isDevelopmentMode {
      reader.problems.error(
        folder,
        nil,
        "no collection has a schema.json; without development mode one is needed"
      )
    }
    return database
  }

  private var folder: String { "data_sources/\(sync.serviceName)/\(sync.databaseName)" }

  private func collectionSchemas() -> [CollectionSchema] {
    reader.directories(folder).compactMap { name in
      guard let node = reader.json("\(folder)/\(name)/schema.json"), node.value != .object([]) else {
        return nil
      }
      guard let title = node.string("title"), !title.isEmpty else {
        node.error("title is missing; it names the class of the collection \"\(name)\"")
        return nil
      }
      guard title.utf8.count <= SchemaLimits.classNameByteCount else {
        node.member("title")?.error("is longer than \(SchemaLimits.classNameByteCount) bytes")
        return nil
      }
      return CollectionSchema(name: name, className: title, node: node)
    }
  }

  private func primaryKeyTypes(_ collections: [CollectionSchema]) -> [String: ValueType] {
    var types: [String: ValueType] = [:]
    for collection in collections {
      let name = collection.node.member("properties")?.member("_id")?.value["bsonType"]?.stringValue
      types[collection.className] = name.flatMap { ScalarType(name: $0)?.type }
    }
    return types
  }

  private func relationships(of collection: String, in classes: [String: String]) -> [String: Relationship] {
    guard let node = reader.json("\(folder)/\(collection)/relationships.json") else { return [:] }
    var result: [String: Relationship] = [:]
    for (field, relationship) in node.members() {
      guard let target = target(of: relationship, in: classes) else { continue }
      // "addresses.[].landlord" is the field of every element.
      result[field.replacing(".[]", with: "")] = Relationship(
        className: target,
        isList: relationship.bool("is_list", default: false)
      )
    }
    return result
  }

  private func target(of relationship: ConfigurationNode, in classes: [String: String]) -> String? {
    guard let reference = relationship.string("ref") else {
      relationship.error("ref is missing")
      return nil
    }
    let prefix = "#/relationship/\(sync.serviceName)/\(sync.databaseName)/"
    guard reference.hasPrefix(prefix) else {
      relationship.member("ref")?.error("is \"\(reference)\"; a synced relationship starts with \(prefix)")
      return nil
    }
    let collection = String(reference.dropFirst(prefix.count))
    if let key = relationship.string("foreign_key"), key != "_id" {
      relationship.member("foreign_key")?.error("is \"\(key)\"; a synced relationship refers to _id")
    }
    guard let target = classes[collection] else {
      relationship.member("ref")?.error("the collection \"\(collection)\" has no schema")
      return nil
    }
    return target
  }

  private func add(_ classSchema: ClassSchema, from collection: CollectionSchema, to schema: inout Schema) {
    if let existing = schema[classSchema.name], existing != classSchema {
      collection.node.error("class \"\(classSchema.name)\" is declared twice with different properties")
      return
    }
    schema[classSchema.name] = classSchema
  }
}

/// The schema file of one collection.
struct CollectionSchema {
  let name: String
  let className: String
  let node: ConfigurationNode
}

/// A field that refers to objects of another class.
struct Relationship {
  let className: String
  let isList: Bool
}
