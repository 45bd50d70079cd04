// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Binder {
  /// Binds SORT, DISTINCT and LIMIT clauses.
  func bind(_ clauses: [SyntaxClause]) throws(QueryError) -> QueryOptions {
    QueryOptions(try clauses.map { clause throws(QueryError) in try step(clause) })
  }

  private func step(_ clause: SyntaxClause) throws(QueryError) -> QueryOptions.Step {
    switch clause {
    case .sort(let keys):
      .sort(
        try keys.map { key throws(QueryError) in
          SortKey(try path(key.path, in: "sort"), isAscending: key.ascending)
        }
      )
    case .distinct(let paths):
      .distinct(try paths.map { path throws(QueryError) in try self.path(path, in: "distinct") })
    case .limit(let count): .limit(count)
    }
  }

  private func path(_ syntax: SyntaxPath, in clause: String) throws(QueryError) -> PropertyPath {
    try checkNames(syntax, in: clause)
    let path = try resolve(syntax)
    guard !path.isMultiple, path.measure == .value else {
      throw QueryError(
        .sort,
        "Cannot \(clause) on a collection property: '\(CanonicalText.of(path))' of '\(className)'"
      )
    }
    return path
  }

  /// Reports an undefined name with the message that is specific to these clauses.
  private func checkNames(_ syntax: SyntaxPath, in clause: String) throws(QueryError) {
    var owner = className
    for element in syntax.elements {
      guard case .name(let name) = element, name != "@links" else { return }
      guard let property = schema[owner]?.property(named: name) else {
        throw .query("No property '\(name)' found on object type '\(owner)' specified in '\(clause)' clause")
      }
      guard let target = property.linkTarget else { return }
      owner = target
    }
  }
}
