// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery
import FlexSyncStore

/// What the rows of a query, and their order, depend on.
struct QueryDependencies {
  /// One class that the query looks at.
  struct Dependency {
    let info: ClassInfo
    /// The columns that decide.
    var columns: Set<Int> = []
  }

  /// The queried class first; objects coming and going count in all of them.
  private(set) var classes: [Dependency]

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
      // The point is an object of its own.
      guard let owner = condition.path.target else { return }
      for property in GeoWithin.pointProperties { add(property, of: owner, schema) }
    }
  }

  private mutating func add(_ path: PropertyPath, _ schema: RealmSchema) {
    for link in path.links {
      add(link.property.name, of: link.owner, schema)
      add(nil, of: link.target, schema)
    }
    if path.measure == .incomingCount { return addAllLinks(schema) }
    add(path.property.name, of: path.owner, schema)
    // A dangling link counts as null.
    if let target = path.target { add(nil, of: target, schema) }
  }

  /// Links of any class may lead to the objects that are asked about.
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

  /// Whether nothing that counts was written since a stamp, within the present view.
  func areUntouched(since stamp: UInt64) -> Bool {
    classes.allSatisfy { dependency in
      dependency.info.membershipStamp <= stamp
        && dependency.columns.allSatisfy { dependency.info.columnStamps[$0] <= stamp }
    }
  }

  /// Whether what was written may change which rows there are, or their order.
  func isAffected(by touched: TouchedRows) -> Bool {
    classes.contains { dependency in
      guard let rows = touched[dependency.info.name] else { return false }
      return rows.isMembershipTouched || rows.touchesAny(of: dependency.columns)
    }
  }

  /// Whether only the queried class counts, so that each object can be judged on its own.
  var isLocal: Bool { classes.count == 1 }
}

extension TouchedRows.Rows {
  /// Whether one of the columns of some row may have been written.
  func touchesAny(of columns: Set<Int>) -> Bool {
    if isUnknown { return true }
    return changes.values.contains { change in
      guard case .modified(let written) = change else { return true }
      return columns.contains { written.contains($0) }
    }
  }
}
