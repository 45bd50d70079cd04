// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import FlexSyncStore

/// The classes and columns on which the rows of a query, and their order, depend.
struct QueryDependencies {
  /// One class that the query reads.
  struct Dependency {
    let info: ClassInfo
    /// The columns that affect the result.
    var columns: Set<Int> = []
  }

  /// The queried class first. In each of them, creating and erasing objects counts too.
  private(set) var classes: [Dependency]
  /// Whether the query follows links, perhaps to other objects of the queried class.
  private var followsLinks = false

  init(_ query: BoundQuery, _ info: ClassInfo, _ schema: RealmSchema) {
    classes = [Dependency(info: info)]
    add(query.predicate, schema)
    for step in query.options.steps {
      switch step {
      case .sort(let keys): for key in keys { add(key.path, schema) }
      case .distinct(let paths): for path in paths { add(path, schema) }
      case .limit: break
      }
    }
  }

  /// Adds a column of any class.
  mutating func add(_ column: Column, of info: ClassInfo) {
    guard let index = classes.firstIndex(where: { $0.info === info }) else {
      return classes.append(Dependency(info: info, columns: [column.index]))
    }
    classes[index].columns.insert(column.index)
  }

  private mutating func add(_ predicate: Predicate, _ schema: RealmSchema) {
    predicate.forEachPath { add($0, schema) }
    predicate.forEachSubquery { add($0.predicate, schema) }
    predicate.forEachAggregate { aggregate in
      guard let property = aggregate.property, let owner = aggregate.path.target else { return }
      add(property.name, of: owner, schema)
    }
    predicate.forEachGeoWithin { condition in
      // The point is a separate object.
      guard let owner = condition.path.target else { return }
      for property in GeoWithin.pointProperties { add(property, of: owner, schema) }
    }
  }

  private mutating func add(_ path: PropertyPath, _ schema: RealmSchema) {
    if !path.links.isEmpty || path.target != nil || path.measure == .incomingCount { followsLinks = true }
    for link in path.links {
      add(link.property.name, of: link.owner, schema)
      add(nil, of: link.target, schema)
    }
    if path.measure == .incomingCount { return addAllLinks(schema) }
    add(path.property.name, of: path.owner, schema)
    // A dangling link counts as null.
    if let target = path.target { add(nil, of: target, schema) }
  }

  /// Adds all links, because links of any class may lead to the objects in question.
  private mutating func addAllLinks(_ schema: RealmSchema) {
    for info in schema.classes {
      for property in info.declared.schema.properties where property.type == .link || property.type == .mixed
      {
        add(property.name, of: info.name, schema)
        add(nil, of: info.name, schema)
      }
    }
  }

  private mutating func add(_ property: String?, of className: String, _ schema: RealmSchema) {
    guard let info = schema[className] else { return }
    let index =
      classes.firstIndex { $0.info === info }
      ?? {
        classes.append(Dependency(info: info))
        return classes.count - 1
      }()
    if let property, let column = info.table.column(named: property) {
      classes[index].columns.insert(column.index)
    }
  }

  /// Whether nothing that matters has been written since a stamp, within the current view.
  func areUntouched(since stamp: UInt64) -> Bool {
    classes.allSatisfy { dependency in
      dependency.info.membershipStamp <= stamp
        && dependency.columns.allSatisfy { dependency.info.columnStamps[$0] <= stamp }
    }
  }

  /// Whether writes may change the set of rows or their order.
  func isAffected(by touched: TouchedRows) -> Bool {
    classes.contains { dependency in
      guard let rows = touched[dependency.info.name] else { return false }
      return rows.isMembershipTouched || rows.touchesAny(of: dependency.columns)
    }
  }

  /// Whether nothing but an object itself decides whether it is found, so that each can be tested separately.
  var isLocal: Bool { classes.count == 1 && !followsLinks }
}

extension TouchedRows.Rows {
  /// Whether one of the columns may have been written in any row.
  func touchesAny(of columns: Set<Int>) -> Bool {
    if isUnknown { return true }
    return changes.values.contains { change in
      guard case .modified(let written) = change else { return true }
      return columns.contains { written.contains($0) }
    }
  }
}
