// SPDX-License-Identifier: Apache-2.0

/// A condition on the objects of one class, bound to a schema and with all constants resolved.
///
/// Subscriptions, local queries and permission rules are all represented by this tree. It is validated once, printed
/// (`canonicalText`), compiled to SQL (`SQLCompiler`) and evaluated in memory (`matches`). Equal trees mean the same
/// query. AND and OR are flat, so a text and its canonical text yield equal trees.
public indirect enum Predicate: Hashable, Sendable {
  /// TRUEPREDICATE
  case always
  /// FALSEPREDICATE
  case never
  /// True if all conditions are true. Has at least two conditions, none of them an `and`.
  case and([Predicate])
  /// True if any condition is true. Has at least two conditions, none of them an `or`.
  case or([Predicate])
  case not(Predicate)
  case comparison(Comparison)
  /// GEOWITHIN: a point lies within an area.
  case geoWithin(GeoWithin)
}

extension Predicate {
  /// Returns the conjunction of any number of conditions, flattened.
  public static func all(_ conditions: [Predicate]) -> Predicate {
    let flat = conditions.flatMap { condition -> [Predicate] in
      if case .and(let inner) = condition { inner } else { [condition] }
    }
    return flat.count > 1 ? .and(flat) : flat.first ?? .always
  }

  /// Returns the disjunction of any number of conditions, flattened.
  public static func any(_ conditions: [Predicate]) -> Predicate {
    let flat = conditions.flatMap { condition -> [Predicate] in
      if case .or(let inner) = condition { inner } else { [condition] }
    }
    return flat.count > 1 ? .or(flat) : flat.first ?? .never
  }
}
