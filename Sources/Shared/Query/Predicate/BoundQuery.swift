// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A query that is ready to run on a class: the condition, and the options applied to the objects that meet it.
public struct BoundQuery: Hashable, Sendable {
  /// The class whose objects are queried.
  public var className: String
  public var predicate: Predicate
  public var options: QueryOptions

  public init(className: String, predicate: Predicate, options: QueryOptions = QueryOptions()) {
    self.className = className
    self.predicate = predicate
    self.options = options
  }
}

/// SORT, DISTINCT and LIMIT, applied in the written order (QueryLanguage §7).
public struct QueryOptions: Hashable, Sendable {
  /// One clause.
  public enum Step: Hashable, Sendable {
    case sort([SortKey])
    case distinct([PropertyPath])
    case limit(Int)
  }

  public var steps: [Step]

  public init(_ steps: [Step] = []) {
    self.steps = steps
  }

  public var isEmpty: Bool { steps.isEmpty }

  public var hasLimit: Bool {
    steps.contains { if case .limit = $0 { true } else { false } }
  }
}

/// One criterion of a SORT clause.
public struct SortKey: Hashable, Sendable {
  public var path: PropertyPath
  public var isAscending: Bool

  public init(_ path: PropertyPath, isAscending: Bool = true) {
    self.path = path
    self.isAscending = isAscending
  }
}

/// The value of `$0`, `$1` … in a query text.
public enum QueryArgument: Hashable, Sendable {
  case value(Value)
  case list([Value])
  /// For `$K0` …: a key path in the query language.
  case keyPath(String)
  /// For GEOWITHIN.
  case shape(GeoShape)
}
