// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncRules
import FlexSyncServerSupport

/// The classes of the synced data source and the collections that hold them.
struct DatabaseSchema {
  var schema = Schema()
  var classByCollection: [String: String] = [:]
  /// The folders of the collections, by class.
  var folderByClass: [String: String] = [:]
}

/// Reads the `schema.json` and `relationships.json` of every collection of the synced data source. All of its
/// databases are synced; development mode uses the one named in the configuration.
struct SchemaReader {
  let reader: DirectoryReader
  let sync: SyncConfiguration
  /// The names of asymmetric classes or of their collections.
  let asymmetricClasses: Set<String>

  func read() -> DatabaseSchema {
    let all = collectionSchemas()
    let (collections, keyless) = (all.filter { !$0.hasNoKey }, all.filter(\.hasNoKey))
    var database = DatabaseSchema()
    var classByPath: [String: String] = [:]
    for collection in collections {
      classByPath["\(collection.folder.database)/\(collection.folder.name)"] = collection.className
      database.folderByClass[collection.className] = collection.folder.path
      // If two databases have a collection of the same name, the first one wins.
      let name = collection.folder.name
      database.classByCollection[name] = database.classByCollection[name] ?? collection.className
    }
    let keyTypes = primaryKeyTypes(collections)
    for collection in collections {
      var parser = ClassParser(
        collection: collection,
        relationships: relationships(of: collection, in: classByPath),
        primaryKeyTypes: keyTypes,
        isAsymmetric: asymmetricClasses.contains(collection.className)
          || asymmetricClasses.contains(collection.folder.name)
      )
      for classSchema in parser.parse() { add(classSchema, from: collection, to: &database.schema) }
    }
    for collection in keyless { warn(of: collection, in: database.schema) }
    if collections.isEmpty && !sync.isDevelopmentMode {
      reader.problems.error(
        sync.folder,
        "no collection has a schema.json with an _id; without development mode, one is required"
      )
    }
    return database
  }

  /// Warns of a collection that is not synced. Exports can contain a collection for each embedded class, whose
  /// properties are declared by the classes that embed it.
  private func warn(of collection: CollectionSchema, in schema: Schema) {
    let name = collection.className
    let properties = collection.node.member("properties")
    guard let embedded = schema[name], embedded.kind == .embedded else {
      (properties ?? collection.node).warning(
        "_id is missing, and no class embeds \"\(name)\": this collection is not synced. Every synced class "
          + "must have _id as its primary key"
      )
      return
    }
    for (field, node) in properties?.members() ?? [] where embedded.property(named: field) == nil {
      node.warning(
        "is not synced: the class that embeds \"\(name)\" declares no property \"\(field)\" for it"
      )
    }
  }

  private func collectionSchemas() -> [CollectionSchema] {
    var collections: [CollectionSchema] = []
    for folder in sync.collections(reader) {
      guard let collection = collectionSchema(folder) else { continue }
      let other = collections.first { other in
        other.className == collection.className && other.folder.database != folder.database
      }
      if let other {
        collection.node.member("title")?.warning(
          "the class \"\(collection.className)\" is already defined in \(other.folder.path); this collection is "
            + "not synced"
        )
      } else {
        collections.append(collection)
      }
    }
    return collections
  }

  private func collectionSchema(_ folder: CollectionFolder) -> CollectionSchema? {
    guard let node = reader.json("\(folder.path)/schema.json"), node.value != .object([]) else { return nil }
    guard let title = node.string("title"), !title.isEmpty else {
      return node.reject("title is missing; it must name the class of the collection \"\(folder.name)\"")
    }
    guard title.utf8.count <= SchemaLimits.classNameByteCount else {
      return node.member("title")?.reject("is longer than \(SchemaLimits.classNameByteCount) bytes")
    }
    return CollectionSchema(folder: folder, className: title, node: node)
  }

  private func primaryKeyTypes(_ collections: [CollectionSchema]) -> [String: ValueType] {
    var types: [String: ValueType] = [:]
    for collection in collections {
      let name = collection.node.member("properties")?.member("_id")?.value["bsonType"]?.stringValue
      types[collection.className] = name.flatMap { ScalarType(name: $0)?.type }
    }
    return types
  }

  private func relationships(of collection: CollectionSchema, in classes: [String: String])
    -> [String: Relationship]
  {
    guard let node = reader.json("\(collection.folder.path)/relationships.json") else { return [:] }
    var result: [String: Relationship] = [:]
    for (field, relationship) in node.members() {
      guard let target = target(of: relationship, in: classes) else { continue }
      // "addresses.[].landlord" denotes the field in every element.
      result[field.replacing(".[]", with: "")] = Relationship(
        className: target,
        isList: relationship.bool("is_list", default: false)
      )
    }
    return result
  }

  /// - Parameter classes: The classes by database and collection, separated by a slash.
  private func target(of relationship: ConfigurationNode, in classes: [String: String]) -> String? {
    guard let reference = relationship.string("ref") else { return relationship.reject("ref is missing") }
    let prefix = "#/relationship/\(sync.serviceName)/"
    guard reference.hasPrefix(prefix) else {
      return relationship.member("ref")?.reject(
        "is \"\(reference)\"; the ref of a synced relationship must start with \(prefix)"
      )
    }
    let collection = String(reference.dropFirst(prefix.count))
    if let key = relationship.string("foreign_key"), key != "_id" {
      relationship.member("foreign_key")?.error("is \"\(key)\"; a synced relationship must refer to _id")
    }
    guard let target = classes[collection] else {
      return relationship.member("ref")?.reject("the collection \"\(collection)\" has no schema with an _id")
    }
    return target
  }

  private func add(_ classSchema: ClassSchema, from collection: CollectionSchema, to schema: inout Schema) {
    let existing = schema[classSchema.name]
    if let existing, !UTF8Order.areEqual(existing.name, classSchema.name) {
      collection.node.error(UnicodeTwins(classSchema.name, existing.name).problem("class"))
      return
    }
    if let existing, existing != classSchema {
      collection.node.error("class \"\(classSchema.name)\" is declared twice with different properties")
      return
    }
    schema[classSchema.name] = classSchema
  }
}

/// The schema file of a single collection.
struct CollectionSchema {
  let folder: CollectionFolder
  let className: String
  let node: ConfigurationNode

  /// Whether its documents lack a primary key and so are not objects in their own right.
  var hasNoKey: Bool {
    guard let properties = node.value["properties"], properties.objectValue != nil else { return false }
    return properties["_id"] == nil
  }
}

/// A field that refers to objects of another class.
struct Relationship {
  let className: String
  let isList: Bool
}
