// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Changes the classes of a local file to another schema, in the open write transaction, in two steps: `begin` gives each
/// class the properties of the new schema, and `finish` removes what only the old one had. In between, a program
/// converts the objects, which keep their rows.
///
/// A class whose primary key changes is identified by its rows between the two steps, so that the program can give its
/// objects their keys in any order. Links to them lead to the same objects throughout.
public final class SchemaMigration {
  private let store: ObjectStore
  private let target: Schema
  /// The classes that `begin` has changed, as they were.
  private var former: [String: FormerClass] = [:]
  /// Links from those classes to objects that are identified by their rows between the steps.
  private var links: LinkTranslation
  /// All tables to be dropped in the end.
  private var setAside: [FormerClass] = []
  /// The properties that were renamed to something that the new schema does not have, by class and present name.
  private var renamed: [String: [String: Column]] = [:]

  private var database: Database { store.database }

  /// Creates the migration of a store to classes that may link to each other. Classes that the schema does not have stay
  /// as they are.
  public init(_ store: ObjectStore, to target: Schema) {
    self.store = store
    self.target = target
    links = LinkTranslation(store, [])
  }

  // MARK: Steps

  /// Gives the classes the properties of the new schema. A property whose type has changed gets the initial values of its
  /// new type; one that is no longer optional, those values instead of null.
  ///
  /// - Returns: The classes of the new schema as they are until `finish`.
  /// - Throws: `StorageError` of kind `unsupportedSchema` if a class would become another kind of class.
  public func begin() throws -> Schema {
    let stored = try store.tables
    let interim = Schema(try target.classes.map { try Self.interim($0, from: stored[$0.name]) })
    // First, because changed classes may link to new ones.
    for classSchema in interim.classes where stored[classSchema.name] == nil {
      try store.declareClass(classSchema)
    }
    let changed = interim.classes.filter { stored[$0.name]?.schema.losesProperty(in: $0) == true }
    let rekeyed = changed.filter { stored[$0.name]?.schema.hasSameKey(as: $0) == false }.map(\.name)
    let replaced = try rebuild(changed, rekeyed: Set(rekeyed))
    former = Dictionary(uniqueKeysWithValues: replaced.map { ($0.table.name, $0) })
    try store.declare(interim)
    return interim
  }

  /// Removes what only the old schema had, and gives classes their new primary keys.
  ///
  /// - Throws: `StorageError` of kind `schemaConflict` if two objects have the same primary key.
  public func finish() throws {
    for (className, columns) in renamed {
      guard let name = columns.keys.first else { continue }
      throw StorageError(
        kind: .schemaConflict,
        message: "Renamed property '\(className).\(name)' does not exist."
      )
    }
    let keyed = try target.classes.filter { try !store.requireTable($0.name).schema.hasSameKey(as: $0) }
    for classSchema in keyed { try requireDistinctKeys(classSchema) }
    _ = try rebuild(keyed, rekeyed: Set(keyed.map(\.name)))
    database.closeOpenStatement()
    for former in setAside { try former.drop(from: database) }
    try eraseOrphans()
    try store.catalog.reloadAll()
  }

  /// Returns a class as it is between the steps.
  private static func interim(_ declared: ClassSchema, from stored: ClassTable?) throws -> ClassSchema {
    guard let stored else { return declared }
    guard stored.kind == declared.kind else {
      throw StorageError(
        kind: .unsupportedSchema,
        message:
          "Class '\(declared.name)' cannot be migrated from \(stored.kind) to \(declared.kind). Give the new "
          + "class another name, and copy the objects in the migration."
      )
    }
    guard let key = declared.primaryKey, !stored.schema.hasSameKey(as: declared) else { return declared }
    var interim = declared
    interim.primaryKey = nil
    interim.properties.insert(key, at: 0)
    return interim
  }

  private func requireDistinctKeys(_ classSchema: ClassSchema) throws {
    let table = try store.requireTable(classSchema.name)
    try store.flush()
    guard let key = classSchema.primaryKey, let column = table.column(named: key.name),
      try database.integer(
        "SELECT count(*) FROM (SELECT 1 FROM \(table.sqlName) GROUP BY \(column.sqlName) HAVING count(*) > 1)"
      ) > 0
    else { return }
    throw StorageError(
      kind: .schemaConflict,
      message: "Primary key property '\(table.name).\(key.name)' has duplicate values after migration."
    )
  }

  // MARK: Rebuilding

  /// Replaces the tables of classes, and copies the objects.
  ///
  /// - Parameter rekeyed: those of the classes whose objects are identified by something else from now on.
  /// - Returns: The classes as they were, including those that link to others which are identified differently now.
  private func rebuild(_ changed: [ClassSchema], rekeyed: Set<String>) throws -> [FormerClass] {
    guard !changed.isEmpty else { return [] }
    try store.flush()
    database.closeOpenStatement()
    let names = Set(changed.map(\.name))
    let linking = try store.tables.values.filter { table in
      !names.contains(table.name) && table.columns.contains { $0.leads(to: rekeyed) }
    }
    let schemas = (changed + linking.map(\.schema)).sorted { $0.name < $1.name }
    let tables = try schemas.map { try store.requireTable($0.name) }
    let replaced = try tables.map { try FormerClass(settingAside: $0, in: store) }
    try store.catalog.remove(tables)
    setAside += replaced
    try store.declare(Schema(schemas))

    links = LinkTranslation(
      store,
      try replaced.filter { rekeyed.contains($0.table.name) }.map {
        ($0, try store.requireTable($0.table.name))
      }
    )
    for former in replaced {
      try former.copyObjects(to: try store.requireTable(former.table.name), links, store)
    }
    for former in replaced {
      try former.handOverEmbedded(to: try store.requireTable(former.table.name), store)
    }
    try store.catalog.reloadAll()
    try links.translateMixedValues()
    return replaced
  }

  /// Erases embedded objects that were in a property or class that no longer exists.
  private func eraseOrphans() throws {
    for table in try store.tables.values where table.isEmbedded {
      let sql = """
        SELECT flx_row FROM \(table.sqlName) WHERE flx_owner_class NOT IN (SELECT id FROM flx_classes)
        """
      for row in try database.rows(sql, read: { $0.int(0) }) { try store.erase(row: row, in: table) }
    }
  }

  // MARK: Between the steps

  /// Gives a property of the new schema the values of one that only the old schema had.
  ///
  /// - Throws: `StorageError` of kind `schemaConflict`.
  public func renameProperty(of className: String, from oldName: String, to newName: String) throws {
    try store.flush()
    guard let table = try store.table(named: className) else {
      throw refusal("Cannot rename properties for type '\(className)' because it does not exist.")
    }
    guard let classSchema = target[className] else {
      throw refusal(
        "Cannot rename properties for type '\(className)' because it has been removed from the Realm."
      )
    }
    guard classSchema.property(named: oldName) == nil else {
      throw refusal(
        "Cannot rename property '\(className).\(oldName)' to '\(newName)' because the source property still exists."
      )
    }
    guard let former = former[className],
      let source = renamed[className]?[oldName] ?? former.table.column(named: oldName)
    else {
      throw refusal("Cannot rename property '\(className).\(oldName)' because it does not exist.")
    }
    defer { renamed[className]?[oldName] = nil }
    guard let column = table.column(named: newName) else {
      // A later migration of the same block renames it again.
      return renamed[className, default: [:]][newName] = source
    }
    try requireSameType(source, column, oldName)
    try former.copy(source, to: column, links, store)
  }

  private func requireSameType(_ source: Column, _ column: Column, _ oldName: String) throws {
    let rename = "Cannot rename property '\(column.table.name).\(oldName)' to '\(column.schema.name)'"
    guard source.holdsSameType(as: column) else {
      throw refusal(
        "\(rename) because it would change from type '\(source.schema.typeName)' to '\(column.schema.typeName)'."
      )
    }
    guard !source.schema.isNullable || column.schema.isNullable else {
      throw refusal("\(rename) because it would change from optional to required.")
    }
  }

  private func refusal(_ message: String) -> StorageError {
    StorageError(kind: .schemaConflict, message: message)
  }

  /// Removes a class that the new schema does not have, with its objects.
  ///
  /// - Returns: Whether the file had the class.
  /// - Throws: `StorageError` of kind `schemaConflict` if another class of the file links to it.
  public func removeClass(_ name: String) throws -> Bool {
    try store.flush()
    guard let table = try store.table(named: name) else { return false }
    if let link = store.catalog.incoming[name]?.first(where: { $0.table !== table }) {
      throw refusal(
        "Class '\(name)' cannot be deleted, because '\(link.table.name).\(link.schema.name)' links to it."
      )
    }
    database.closeOpenStatement()
    setAside.append(try FormerClass(settingAside: table, in: store))
    try store.catalog.remove([table])
    try store.catalog.reloadAll()
    return true
  }
}

extension ObjectStore {
  /// Removes classes with their objects. No others may link to them.
  public func removeClasses(where isRemoved: (ClassTable) -> Bool = { _ in true }) throws {
    try flush()
    let removed = try tables.values.filter(isRemoved)
    for table in removed { try FormerClass(settingAside: table, in: self).drop(from: database) }
    try catalog.remove(removed)
    try catalog.reloadAll()
  }
}

extension ClassSchema {
  fileprivate func hasSameKey(as other: ClassSchema) -> Bool {
    guard let primaryKey, let otherKey = other.primaryKey else {
      return primaryKey == nil && other.primaryKey == nil
    }
    return primaryKey.agrees(with: otherKey)
  }

  /// Whether another declaration of the class lacks the primary key or a property in the form that it has here.
  fileprivate func losesProperty(in other: ClassSchema) -> Bool {
    guard hasSameKey(as: other) else { return true }
    return properties.contains { property in
      guard let other = other.property(named: property.name) else { return true }
      return !property.agrees(with: other)
    }
  }
}

extension Column {
  /// Whether the column links to objects of one of the classes by their keys.
  fileprivate func leads(to classes: Set<String>) -> Bool {
    guard !isEmbedded, let target = schema.linkTarget else { return false }
    return classes.contains(target)
  }
}
