// SPDX-License-Identifier: Apache-2.0

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
  /// GEOWITHIN: a point lies in an area.
  case geoWithin(GeoWithin)
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
}
