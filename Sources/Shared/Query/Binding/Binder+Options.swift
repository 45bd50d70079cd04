// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Binder {
  /// Binds SORT, DISTINCT and LIMIT clauses.
  func bind(_ clauses: [SyntaxClause]) throws(QueryError) -> QueryOptions {
    var steps: [QueryOptions.Step] = []
    for clause in clauses {
      switch clause {
      case .sort(let keys): steps.append(.sort(try sortKeys(keys)))
      case .distinct(let paths): steps.append(.distinct(try distinctPaths(paths)))
      case .limit(let count): steps.append(.limit(count))
      }
    }
    return QueryOptions(steps)
  }

  private func sortKeys(_ keys: [(path: SyntaxPath, ascending: Bool)]) throws(QueryError) -> [SortKey] {
    var bound: [SortKey] = []
    for key in keys {
      bound.append(SortKey(try path(key.path, in: "sort"), isAscending: key.ascending))
    }
    return bound
  }

  private func distinctPaths(_ paths: [SyntaxPath]) throws(QueryError) -> [PropertyPath] {
    var bound: [PropertyPath] = []
    for path in paths { bound.append(try self.path(path, in: "distinct")) }
    return bound
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
