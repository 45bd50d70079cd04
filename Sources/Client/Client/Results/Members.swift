// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// The list, set or dictionary of links to whose objects results are restricted.
struct Members {
  let watch: CollectionWatch

  /// Returns the objects of a list, set or dictionary, in its order.
  ///
  /// - Throws: `CoreError` TYPE_MISMATCH if the elements are not objects.
  static func results(of watch: CollectionWatch) throws -> Results {
    let realm = watch.object.realm
    guard let target = watch.column.schema.linkTarget else {
      throw CoreError(
        .typeMismatch,
        "The elements of '\(watch.column.path)' are not objects, and results can only contain objects."
      )
    }
    let info = try realm.schema.requireClass(named: target)
    let query = BoundQuery(className: info.name, predicate: .always)
    return Results(realm, info, query, members: Members(watch: watch))
  }

  /// Returns the rows that a query finds among the members, in the members' order unless the query has clauses.
  func rows(_ query: BoundQuery) throws -> [Int64] {
    guard watch.object.isValid else { return [] }
    let store = watch.object.realm.store
    let rows = try watch.targetRows()
    guard !query.options.isEmpty else {
      if query.predicate == .always { return rows }
      let found = Set(try store.rowQuery(query).rows())
      return rows.filter(found.contains)
    }
    var limited = query
    limited.predicate = .all([try membership(query.className), query.predicate].filter { $0 != .always })
    return try store.rowQuery(limited).rows()
  }

  /// Returns the condition that an object is currently a member.
  private func membership(_ className: String) throws -> Predicate {
    let table = try watch.object.realm.schema.requireClass(named: className).table
    let keys = try watch.links().compactMap(\.key.value)
    // Without a primary key, links refer to the row, which has a column, but no name in the query language.
    let key = PropertyPath(table.primaryKey.schema, of: className)
    return .comparison(Comparison(.path(key), .equal, .list(keys, nil)))
  }
}
