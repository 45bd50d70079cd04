// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Predicate {
  /// Calls `body` for every comparison in the tree, from left to right, excluding those inside subqueries.
  public func forEachComparison<Failure: Error>(
    _ body: (Comparison) throws(Failure) -> Void
  ) throws(Failure) {
    try forEachLeaf { (leaf) throws(Failure) in
      if case .comparison(let comparison) = leaf { try body(comparison) }
    }
  }

  /// Calls `body` for every path that starts at the queried class, from left to right. Excludes paths inside
  /// subqueries, which start at another class.
  public func forEachPath<Failure: Error>(_ body: (PropertyPath) throws(Failure) -> Void) throws(Failure) {
    try forEachLeaf { (leaf) throws(Failure) in
      switch leaf {
      case .comparison(let comparison):
        try comparison.left.forEachPath(body)
        try comparison.right.forEachPath(body)
      case .geoWithin(let condition): try body(condition.path)
      default: break
      }
    }
  }

  /// Calls `body` for every subquery of the tree itself, excluding those inside subqueries.
  public func forEachSubquery<Failure: Error>(_ body: (Subquery) throws(Failure) -> Void) throws(Failure) {
    try forEachTerm { (term) throws(Failure) in
      if case .subquery(let subquery) = term { try body(subquery) }
    }
  }

  /// Calls `body` for every aggregate of the tree itself, excluding those inside subqueries.
  public func forEachAggregate<Failure: Error>(_ body: (Aggregate) throws(Failure) -> Void) throws(Failure) {
    try forEachTerm { (term) throws(Failure) in
      if case .aggregate(let aggregate) = term { try body(aggregate) }
    }
  }

  private func forEachTerm<Failure: Error>(_ body: (Operand) throws(Failure) -> Void) throws(Failure) {
    try forEachComparison { (comparison) throws(Failure) in
      try comparison.left.forEachTerm(body)
      try comparison.right.forEachTerm(body)
    }
  }

  /// Calls `body` for every GEOWITHIN of the tree itself, excluding those inside subqueries.
  public func forEachGeoWithin<Failure: Error>(_ body: (GeoWithin) throws(Failure) -> Void) throws(Failure) {
    try forEachLeaf { (leaf) throws(Failure) in
      if case .geoWithin(let condition) = leaf { try body(condition) }
    }
  }

  /// Calls `body` for every condition other than AND, OR and NOT, from left to right.
  private func forEachLeaf<Failure: Error>(_ body: (Predicate) throws(Failure) -> Void) throws(Failure) {
    switch self {
    case .and(let conditions), .or(let conditions):
      for condition in conditions { try condition.forEachLeaf(body) }
    case .not(let condition): try condition.forEachLeaf(body)
    case .always, .never, .comparison, .geoWithin: try body(self)
    }
  }

  /// The properties of the queried class that the result depends on. Backlinks are not included.
  public var rootProperties: Set<String> {
    var names: Set<String> = []
    forEachPath { path in
      if let property = path.rootProperty { names.insert(property.name) }
    }
    return names
  }
}
