// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A condition on the objects of one class, bound to a schema and with all constants resolved.
///
/// Subscriptions, local queries and permission rules all become this tree. It is validated once, printed
/// (`canonicalText`), compiled to SQL (`SQLCompiler`) and evaluated in memory (`matches`). Equal trees mean the same
/// query; AND and OR are flat, so that the tree of a text and of its canonical text are equal.
public indirect enum Predicate: Hashable, Sendable {
  /// TRUEPREDICATE
  case always
  /// FALSEPREDICATE
  case never
  /// True if all conditions are; at least two, none of them an `and`.
  case and([Predicate])
  /// True if one condition is; at least two, none of them an `or`.
  case or([Predicate])
  case not(Predicate)
  case comparison(Comparison)
}

extension Predicate {
  /// The conjunction of any number of conditions, flattened.
  public static func all(_ conditions: [Predicate]) -> Predicate {
    let flat = conditions.flatMap { condition -> [Predicate] in
      if case .and(let inner) = condition { inner } else { [condition] }
    }
    return flat.count > 1 ? .and(flat) : flat.first ?? .always
  }

  /// The disjunction of any number of conditions, flattened.
  public static func any(_ conditions: [Predicate]) -> Predicate {
    let flat = conditions.flatMap { condition -> [Predicate] in
      if case .or(let inner) = condition { inner } else { [condition] }
    }
    return flat.count > 1 ? .or(flat) : flat.first ?? .never
  }

  /// Calls `body` for every comparison in the tree, left to right.
  public func forEachComparison<Failure: Error>(
    _ body: (Comparison) throws(Failure) -> Void
  ) throws(Failure) {
    switch self {
    case .always, .never: break
    case .and(let conditions), .or(let conditions):
      for condition in conditions { try condition.forEachComparison(body) }
    case .not(let condition): try condition.forEachComparison(body)
    case .comparison(let comparison): try body(comparison)
    }
  }

  /// The properties of the queried class that the outcome depends on.
  public var rootProperties: Set<String> {
    var names: Set<String> = []
    forEachComparison { comparison in
      for path in comparison.paths { names.insert(path.rootProperty.name) }
    }
    return names
  }
}

/// Two operands and the relation that must hold between them. At least one operand is a path.
public struct Comparison: Hashable, Sendable {
  /// The relations (rql §2). IN is `equal` with a list or a collection on the right (rql §9).
  public enum Operator: Hashable, Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case beginsWith, endsWith, contains, like
  }

  public var left: Operand
  public var `operator`: Operator
  /// `[c]`: upper and lower case are the same. Only with `equal`, `notEqual` and the operators on strings.
  public var ignoresCase: Bool
  public var right: Operand

  public init(_ left: Operand, _ operator: Operator, _ right: Operand, ignoresCase: Bool = false) {
    self.left = left
    self.operator = `operator`
    self.right = right
    self.ignoresCase = ignoresCase
  }

  /// The paths among the operands.
  public var paths: [PropertyPath] {
    [left, right].compactMap { operand in
      if case .path(let path) = operand { path } else { nil }
    }
  }
}

/// One side of a comparison.
public indirect enum Operand: Hashable, Sendable {
  case constant(Value)
  /// `{a, b}`. Without a quantifier, against a collection of primitives, the whole lists are compared in order;
  /// in all other places no quantifier means ANY.
  case list([Value], Quantifier?)
  case path(PropertyPath)
}

extension Comparison.Operator {
  /// Less, greater and the like.
  var isOrdering: Bool {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    default: false
    }
  }

  /// BEGINSWITH, ENDSWITH, CONTAINS and LIKE.
  var isTextual: Bool {
    switch self {
    case .beginsWith, .endsWith, .contains, .like: true
    default: false
    }
  }

  /// The sign or word of the query language.
  var text: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    case .beginsWith: "BEGINSWITH"
    case .endsWith: "ENDSWITH"
    case .contains: "CONTAINS"
    case .like: "LIKE"
    }
  }
}
