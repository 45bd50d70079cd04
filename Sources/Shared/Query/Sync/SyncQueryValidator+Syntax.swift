// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SyncQueryValidator {
  /// Rejects clauses, functions and fields that subscriptions may not use, before their types are checked.
  func check(_ parsed: ParsedQuery, _ className: String) throws(SyncQueryError) {
    if let clause = parsed.clauses.first {
      throw unsupported(className, "\(clause.word) is not allowed in a subscription")
    }
    try check(parsed.predicate, className)
  }

  private func check(_ predicate: SyntaxPredicate, _ className: String) throws(SyncQueryError) {
    switch predicate {
    case .always, .never: break
    case .and(let conditions), .or(let conditions):
      for condition in conditions { try check(condition, className) }
    case .not(let condition): try check(condition, className)
    case .comparison(let comparison):
      guard !comparison.ignoresDiacritics else {
        throw unsupported(className, "[d], which ignores accents, is not allowed in a subscription")
      }
      try check(comparison.left, className)
      try check(comparison.right, className)
    case .between(let expression, _): try check(expression, className)
    case .geoWithin(let path, _): try checkPoint(path, className)
    }
  }

  /// Rejects GEOWITHIN for anything but points that the table itself embeds.
  private func checkPoint(_ path: SyntaxPath, _ className: String) throws(SyncQueryError) {
    guard case .name(let name) = path.elements.first else {
      throw unsupported(className, "GEOWITHIN requires the name of a field")
    }
    let property = try queryableProperty(name, className)
    guard schema.holdsPoint(property), path.elements.count == 1, path.quantifier == nil else {
      throw unsupported(
        className,
        "GEOWITHIN is only allowed on a field with one embedded GeoJSON point (type and coordinates), and "
          + "\"\(name)\" is not one"
      )
    }
  }

  private func queryableProperty(_ name: String, _ className: String) throws(SyncQueryError) -> PropertySchema
  {
    let isQueryable = name == "_id" || policy.queryableFields[className]?.contains(name) == true
    guard isQueryable, let property = schema[className]?.property(named: name) else {
      throw unsupported(className, "key \"\(name)\" is not a queryable field")
    }
    return property
  }

  private func check(_ expression: SyntaxExpression, _ className: String) throws(SyncQueryError) {
    switch expression {
    case .constant, .list: break
    case .path(let path): try check(path, className)
    case .aggregate(_, let function, _):
      throw unsupported(className, "\(function.rawValue) is not allowed in a subscription")
    case .subquery: throw unsupported(className, "SUBQUERY is not allowed in a subscription")
    case .arithmetic: throw unsupported(className, "arithmetic is not allowed in a subscription")
    }
  }

  private func check(_ path: SyntaxPath, _ className: String) throws(SyncQueryError) {
    guard case .name(let name) = path.elements.first else { return }
    if name == "@links" { throw unsupported(className, "@links is not allowed in a subscription") }
    let property = try queryableProperty(name, className)
    if schema.holdsPoint(property) {
      throw unsupported(className, "key \"\(name)\" holds points, which can only be queried with GEOWITHIN")
    }
    if path.measure == .size, path.elements.count > 1 || property.collection == .single {
      throw unsupported(className, "@count is only allowed on array fields, and \"\(name)\" is not one")
    }
  }
}

extension SyntaxClause {
  fileprivate var word: String {
    switch self {
    case .sort: "SORT"
    case .distinct: "DISTINCT"
    case .limit: "LIMIT"
    }
  }
}
