// SPDX-License-Identifier: Apache-2.0

/// A set of properties of a class, by name. The primary key belongs to every one: without it there is no object.
package enum FieldAccess: Hashable, Sendable {
  /// All but these.
  case allExcept(Set<String>)
  /// Only these.
  case only(Set<String>)

  package static let all = FieldAccess.allExcept([])
  package static let none = FieldAccess.only([])

  /// Whether a property is in it. Fields inside of embedded objects go with the property that holds the object.
  package func includes(_ name: String) -> Bool {
    switch self {
    case .allExcept(let names): !names.contains(name)
    case .only(let names): names.contains(name)
    }
  }

  /// What is in one of the two.
  package func union(_ other: FieldAccess) -> FieldAccess {
    switch (self, other) {
    case (.allExcept(let left), .allExcept(let right)): .allExcept(left.intersection(right))
    case (.allExcept(let missing), .only(let names)), (.only(let names), .allExcept(let missing)):
      .allExcept(missing.subtracting(names))
    case (.only(let left), .only(let right)): .only(left.union(right))
    }
  }

  /// What is in both.
  package func intersection(_ other: FieldAccess) -> FieldAccess {
    switch (self, other) {
    case (.allExcept(let left), .allExcept(let right)): .allExcept(left.union(right))
    case (.allExcept(let missing), .only(let names)), (.only(let names), .allExcept(let missing)):
      .only(names.subtracting(missing))
    case (.only(let left), .only(let right)): .only(left.intersection(right))
    }
  }

  /// Whether all that is in it is in the other one, whatever properties the class has.
  package func isSubset(of other: FieldAccess) -> Bool {
    switch (self, other) {
    case (.allExcept(let left), .allExcept(let right)): right.isSubset(of: left)
    case (.allExcept, .only): false
    case (.only(let names), .allExcept(let missing)): names.isDisjoint(with: missing)
    case (.only(let left), .only(let right)): left.isSubset(of: right)
    }
  }
}
