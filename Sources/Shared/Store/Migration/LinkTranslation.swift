// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Turns links to objects of classes whose primary keys change into links to the same objects by their new keys.
struct LinkTranslation {
  /// A class whose objects get other keys, with the columns of its former table that hold both.
  private struct Target {
    let table: String
    let oldKey: String
    let newKey: String
    let newType: ValueType
  }

  private let targets: [String: Target]
  private let store: ObjectStore

  /// - Parameter classes: the classes whose keys change, as they were and as they are.
  init(_ store: ObjectStore, _ classes: [(former: FormerClass, table: ClassTable)]) {
    self.store = store
    var targets: [String: Target] = [:]
    for (former, table) in classes {
      let newKey = table.isKeyedByRow ? nil : former.table.column(named: table.primaryKey.schema.name)
      targets[table.name] = Target(
        table: former.sqlName,
        oldKey: former.table.primaryKey.sqlName,
        newKey: newKey?.sqlName ?? "flx_row",
        newType: table.primaryKey.schema.type
      )
    }
    self.targets = targets
  }

  /// Returns the expression for the link that a link to an object of a class becomes, which is null if there is no such
  /// object.
  func translated(_ link: String, to className: String) -> String {
    guard let target = targets[className] else { return link }
    // A link to the object whose key is null is an empty blob.
    return """
      CASE WHEN \(link) IS NULL THEN NULL ELSE (SELECT ifnull(target.\(target.newKey), x'')
        FROM \(target.table) AS target WHERE target.\(target.oldKey) IS nullif(\(link), x'')) END
      """
  }

  /// Translates the links in all mixed values.
  func translateMixedValues() throws {
    guard !targets.isEmpty else { return }
    for column in store.catalog.mixedColumns { try translateMixedValues(of: column) }
  }

  private func translateMixedValues(of column: Column) throws {
    let isInTable = column.isSingle
    let table = isInTable ? column.table.sqlName : column.sqlName
    let name = isInTable ? column.sqlName : "value"
    let place = column.schema.collection == .set ? "rowid" : column.schema.collection.elementPlace
    let rows = try store.database.rows(
      "SELECT \(name), \(place) FROM \(table) WHERE typeof(\(name)) = 'blob'"
    ) { statement in
      (statement.mixed(0), try (1..<statement.columnCount).map { try statement.place($0) })
    }
    let names = place.split(separator: ", ")
    let condition = names.indices.map { "\(names[$0]) = ?\($0 + 2)" }.joined(separator: " AND ")
    for (value, place) in rows {
      let translated = try translated(value)
      guard translated != value else { continue }
      try store.database.withStatement("UPDATE \(table) SET \(name) = ?1 WHERE \(condition)") { statement in
        statement.binder.bindMixed(translated, at: 1)
        for (index, part) in place.enumerated() { part.bind(to: statement, at: Int32(index + 2)) }
        try statement.run()
      }
    }
  }

  private func translated(_ value: Value) throws -> Value {
    switch value {
    case .link(let link):
      guard let target = targets[link.className] else { return value }
      return try newKey(of: link.key, target).map { .link(Link(className: link.className, key: $0)) } ?? .null
    case .list(let elements): return .list(try elements.map(translated))
    case .dictionary(let entries):
      return .dictionary(try entries.map { DictionaryEntry($0.key, try translated($0.value)) })
    default: return value
    }
  }

  private func newKey(of key: PrimaryKey, _ target: Target) throws -> PrimaryKey? {
    let sql = "SELECT \(target.newKey) FROM \(target.table) WHERE \(target.oldKey) IS ?1"
    return try store.database.withStatement(sql) { statement in
      statement.bind(key, at: 1)
      return try statement.step() ? statement.key(0, target.newType) : nil
    }
  }
}

extension Statement {
  /// Returns a part of what says to what an element belongs: a number, or the key of a dictionary's entry.
  fileprivate func place(_ column: Int32) throws -> any StatementValue {
    storageClass(column) == .text ? text(column) : int(column)
  }
}
