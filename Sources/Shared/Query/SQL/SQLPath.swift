// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A single value inside a statement: a constant, or columns of a table.
enum SQLScalar {
  case constant(Value)
  case column(SQLColumn)
}

/// An expression that yields a stored value. A timestamp has two expressions.
struct SQLColumn {
  let type: ValueType
  let value: SQLFragment
  var nanoseconds: SQLFragment?
  /// For a link, the key as stored, whether or not an object with that key exists.
  var storedKey: SQLFragment?

  var isFloating: Bool { type == .float || type == .double }

  /// The part of a decimal that represents its number; any other value unchanged.
  var number: SQLFragment {
    type == .decimal ? "substr(\(value), 1, \(raw: String(DecimalKey.prefixByteCount)))" : value
  }
}

extension PropertyPath {
  /// Whether the path is a link, or the links of a list or set, of the object itself. Their stored form is then
  /// sufficient.
  var isStoredLink: Bool {
    guard property.type == .link, links.isEmpty, selectors.isEmpty, !endsInBacklinks else { return false }
    return switch property.collection {
    case .single: measure == .value
    case .list, .set: measure == .value || measure == .count
    case .dictionary: false
    }
  }
}

extension SQLCompiler {
  /// Compiles a path that yields exactly one value.
  mutating func column(_ path: PropertyPath) throws(Inexpressible) -> SQLColumn {
    try requireSupport(path)
    guard !path.isSelective else { throw Inexpressible() }
    var rows = rows(along: path.links)
    let end = terminal(path, in: &rows)
    guard !rows.tables.isEmpty else { return end }
    let value = rows.select(end.value)
    return SQLColumn(
      type: end.type,
      value: path.measure == .count || path.measure == .incomingCount ? "coalesce(\(value), 0)" : value,
      nanoseconds: end.nanoseconds.map(rows.select),
      storedKey: end.storedKey.map(rows.select)
    )
  }

  /// Compiles a path that yields any number of values. `rows` is the part of a grouped path that has already been
  /// followed.
  mutating func elements(
    _ path: PropertyPath,
    from rows: SQLRows? = nil
  ) throws(Inexpressible) -> (rows: SQLRows, column: SQLColumn) {
    try requireSupport(path)
    var rows = rows ?? self.rows(along: path.links)
    if path.endsInBacklinks {
      joinOwners(of: path.property, className: path.owner, in: &rows)
      let key = "\(rows.alias).\(layout.primaryKeyColumn(of: path.owner))"
      return (rows, SQLColumn(type: .link, value: SQLFragment(key)))
    }
    guard path.selectors.isEmpty else { throw Inexpressible() }
    guard path.isCollectionOfValues else {
      let end = terminal(path, in: &rows)
      return (rows, end)
    }
    let column = element(of: path.property, owner: path.owner, in: &rows)
    return (rows, path.measure == .length ? length(of: column.value) : column)
  }

  /// - Throws: `Inexpressible` for a path that has no column in SQL, or none that follows the evaluator's rules.
  func requireSupport(_ path: PropertyPath) throws(Inexpressible) {
    switch path.measure {
    case .type: throw Inexpressible()
    case .incomingCount:
      if layout.isKeyNullable(of: path.owner) || layout.incomingLinks(to: path.owner) == nil {
        throw Inexpressible()
      }
    case .count: if path.property.collection == .single, path.property.type != .link { throw Inexpressible() }
    case .length, .value: if path.property.type == .mixed { throw Inexpressible() }
    }
    if !path.selectors.isEmpty, path.selector == nil { throw Inexpressible() }
    // SQLite joins at most 64 tables.
    if path.links.count > Self.maximumLinkCount { throw Inexpressible() }
    for step in path.links { try requireSupport(step) }
    try requireKnownTarget(path)
  }

  /// Rejects links that SQL cannot judge by their stored form. Only the target's row distinguishes a link to the
  /// object with a null key.
  private func requireKnownTarget(_ path: PropertyPath) throws(Inexpressible) {
    guard let target = path.property.linkTarget else { return }
    switch danglingLinks {
    case .asNull: if layout.isKeyNullable(of: target) { throw Inexpressible() }
    case .asStored: if !path.isStoredLink { throw Inexpressible() }
    }
  }

  private func requireSupport(_ step: LinkStep) throws(Inexpressible) {
    if step.property.type != .link { throw Inexpressible() }
    if let selector = step.selector {
      guard case .key = selector, step.property.collection == .dictionary else { throw Inexpressible() }
    }
    if layout.isKeyNullable(of: step.property.linkTarget ?? step.target) { throw Inexpressible() }
  }

  /// Returns the single value, or the count, at the end of a path.
  private mutating func terminal(_ path: PropertyPath, in rows: inout SQLRows) -> SQLColumn {
    let property = path.property
    if path.measure == .incomingCount { return incomingCount(path.owner, at: rows.alias) }
    if path.measure == .count, property.collection != .single || path.endsInBacklinks {
      return count(path, at: rows.alias)
    }
    let column: SQLFragment = "\(raw: rows.alias).\(raw: layout.column(property.name, of: path.owner))"
    if path.measure == .length { return length(of: column) }
    if property.type == .link, danglingLinks == .asStored { return SQLColumn(type: .link, value: column) }
    if property.type == .link, let target = property.linkTarget {
      let key = existingKey(column, of: target)
      return path.measure == .count
        ? SQLColumn(type: .int, value: "(\(key) IS NOT NULL)")
        : SQLColumn(type: .link, value: key, storedKey: column)
    }
    guard property.type == .timestamp else { return SQLColumn(type: property.type, value: column) }
    let nanoseconds = "\(rows.alias).\(layout.nanosecondsColumn(property.name, of: path.owner))"
    return SQLColumn(type: .timestamp, value: column, nanoseconds: SQLFragment(nanoseconds))
  }

  private mutating func count(_ path: PropertyPath, at alias: String) -> SQLColumn {
    var rows = SQLRows(from: alias)
    if path.endsInBacklinks {
      joinOwners(of: path.property, className: path.owner, in: &rows)
    } else {
      // Dangling links do not count, unless links are read as stored.
      _ = element(of: path.property, owner: path.owner, isEnd: danglingLinks == .asStored, in: &rows)
    }
    return SQLColumn(type: .int, value: rows.select("count(*)"))
  }

  /// Returns the number of links of all classes that lead to an object.
  private mutating func incomingCount(_ className: String, at alias: String) -> SQLColumn {
    var counts: [SQLFragment] = []
    for (owner, property) in layout.incomingLinks(to: className) ?? [] {
      var rows = SQLRows(from: alias)
      joinOwners(of: property, className: owner, in: &rows)
      counts.append(rows.select("count(*)"))
    }
    return SQLColumn(type: .int, value: counts.isEmpty ? "0" : "(\(counts.separated(by: " + ")))")
  }

  func length(of text: SQLFragment) -> SQLColumn {
    SQLColumn(type: .int, value: "length(CAST(\(text) AS BLOB))")
  }

  /// Returns the key that a link holds, or null if no object has that key.
  mutating func existingKey(_ column: SQLFragment, of target: String) -> SQLFragment {
    var rows = SQLRows(from: root.alias)
    join(target, on: column, in: &rows)
    return rows.select("\(raw: rows.alias).\(raw: layout.primaryKeyColumn(of: target))")
  }
}
