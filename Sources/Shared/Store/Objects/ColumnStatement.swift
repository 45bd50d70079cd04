// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The statements about one property, each prepared when it is first needed.
enum ColumnStatement: Int, CaseIterable {
  // MARK: Single values. Parameter 1 is the row.

  /// Selects the value.
  case select
  /// Sets the value to 2.
  case update

  // MARK: Collections. Parameter 1 is the row of the owner.

  /// Selects the number of elements, and for a list the greatest ordinal.
  case count
  /// Selects the place of each element (its ordinal, its row in the set's table or its key) and its value, starting at
  /// offset 2, at most as many as parameter 3.
  case elements
  /// Inserts value 3 at ordinal 2, or value 2 into a set; sets key 2 to value 3.
  case insert
  /// Sets the value at ordinal 2 to 3.
  case updateElement
  /// Changes ordinal 2 to 3.
  case move
  /// Deletes the element at ordinal or key 2, or the element in row 1 of the set's table.
  case erase
  /// Deletes all elements.
  case clear
  /// Selects the row of value 2 in the set's table, or the value of key 2.
  case find
  /// Selects the rows in the set's table, and the values, from value 2 up to value 3.
  case range
  /// Selects the index, or the key, of value 2.
  case placeOfValue
  /// Selects the rows of the targets in the order of the elements, null for those that do not exist.
  case visible

  // MARK: Both

  /// Selects the row of the owner and the row of the target of each link whose target exists.
  case links
  /// Selects the rows with a link to key 1. For a list or dictionary, a row occurs once per element with that link.
  case incoming
}

extension ObjectStore {
  @inline(__always)
  func statement(_ kind: ColumnStatement, of column: Column) throws -> Statement {
    if let known = column.statements[kind.rawValue] { return known }
    let statement = try database.prepare(sql(kind, column))
    column.statements[kind.rawValue] = statement
    return statement
  }

  private func sql(_ kind: ColumnStatement, _ column: Column) -> String {
    let table = column.isSingle ? column.table.sqlName : column.sqlName
    let isWide = column.storage.width == 2
    switch kind {
    case .select: return "SELECT \(column.selectList) FROM \(table) WHERE flx_row = ?1"
    case .update:
      let nanoseconds = column.nanosecondsSQLName.map { ", \($0) = ?3" } ?? ""
      return "UPDATE \(table) SET \(column.sqlName) = ?2\(nanoseconds) WHERE flx_row = ?1"
    case .count:
      return "SELECT count(*)\(column.isList ? ", max(ordinal)" : "") FROM \(table) WHERE owner = ?1"
    case .elements:
      let order = column.schema.collection == .set ? column.elementList : column.placeName
      return """
        SELECT \(column.placeName), \(column.elementList) FROM \(table) WHERE owner = ?1
        ORDER BY \(order) LIMIT ?3 OFFSET ?2
        """
    case .insert: return insertion(into: column)
    case .updateElement:
      return
        "UPDATE \(table) SET value = ?3\(isWide ? ", value_ns = ?4" : "") WHERE owner = ?1 AND ordinal = ?2"
    case .move: return "UPDATE \(table) SET ordinal = ?3 WHERE owner = ?1 AND ordinal = ?2"
    case .erase:
      guard column.schema.collection != .set else { return "DELETE FROM \(table) WHERE rowid = ?1" }
      return "DELETE FROM \(table) WHERE owner = ?1 AND \(column.placeName) = ?2"
    case .clear: return "DELETE FROM \(table) WHERE owner = ?1"
    case .find:
      guard column.schema.collection == .set else {
        return "SELECT \(column.elementList) FROM \(table) WHERE owner = ?1 AND key = ?2"
      }
      return
        "SELECT rowid FROM \(table) WHERE owner = ?1 AND value IS ?2\(isWide ? " AND value_ns IS ?3" : "")"
    case .range:
      return "SELECT rowid, value FROM \(table) WHERE owner = ?1 AND value >= ?2 AND value <= ?3"
    case .placeOfValue:
      guard column.isList else { return "SELECT key FROM \(table) WHERE owner = ?1 AND value = ?2" }
      return """
        SELECT (SELECT count(*) FROM \(table) WHERE owner = ?1 AND ordinal < l.ordinal)
        FROM \(table) AS l WHERE l.owner = ?1 AND l.value = ?2
        """
    case .visible:
      return """
        SELECT t.flx_row FROM \(column.sqlName) AS l LEFT JOIN \(targets(of: column, linkedBy: "l.value"))
        WHERE l.owner = ?1 ORDER BY l.\(column.isList ? "ordinal" : "value")
        """
    case .links:
      let link = column.isSingle ? "l.\(column.sqlName)" : "l.value"
      let owner = column.isSingle ? "flx_row" : "owner"
      return "SELECT l.\(owner), t.flx_row FROM \(table) AS l JOIN \(targets(of: column, linkedBy: link))"
    case .incoming:
      let value = column.isSingle ? column.sqlName : "value"
      let owner = column.isSingle ? "flx_row" : "owner"
      // Worded exactly like the index, which SQLite would not use otherwise.
      let isLink = column.storage.type == .mixed ? " AND \(MixedCoding.isLink(value))" : ""
      return "SELECT \(owner) FROM \(table) WHERE \(value) = ?1\(isLink) ORDER BY \(owner)"
    }
  }

  private func insertion(into column: Column) -> String {
    let isWide = column.storage.width == 2
    guard column.schema.collection != .set else {
      return
        "INSERT INTO \(column.sqlName) (owner, \(column.elementList)) VALUES (?1, ?2\(isWide ? ", ?3" : ""))"
    }
    let insertion = """
      INSERT INTO \(column.sqlName) (owner, \(column.placeName), \(column.elementList))
      VALUES (?1, ?2, ?3\(isWide ? ", ?4" : ""))
      """
    guard column.schema.collection == .dictionary else { return insertion }
    return "\(insertion) ON CONFLICT (owner, key) DO UPDATE SET value = ?3\(isWide ? ", value_ns = ?4" : "")"
  }

  /// The table of the targets as `t`, joined by the links in a column.
  private func targets(of column: Column, linkedBy link: String) -> String {
    guard let target = column.schema.linkTarget.flatMap({ catalog.tables[$0] }) else {
      preconditionFailure("Only links to a declared class have targets")
    }
    let key = target.primaryKey.sqlName
    // An empty blob is a link to the object whose key is null.
    let nullKey = target.primaryKey.schema.isNullable ? " OR (\(link) = x'' AND t.\(key) IS NULL)" : ""
    return "\(target.sqlName) AS t ON (t.\(key) = \(link)\(nullKey))"
  }
}

extension Column {
  /// The column that says where in the collection an element is.
  fileprivate var placeName: String {
    switch schema.collection {
    case .single, .list: "ordinal"
    case .set: "rowid"
    case .dictionary: "key"
    }
  }

  /// Checks that the property is a collection of that kind.
  ///
  /// - Throws: `ObjectError.Reason.wrongPath`.
  @inline(__always)
  func require(_ kind: CollectionKind) throws {
    guard schema.collection == kind else {
      throw ObjectError(.wrongPath("'\(schema.name)' is not a \(kind)"))
    }
  }
}
