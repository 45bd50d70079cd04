// SPDX-License-Identifier: Apache-2.0

extension QueryNode {
  /// The same condition, in which values of types of the program that are stored as embedded objects are compared property
  /// by property: no object of the realm is the same as theirs.
  var comparingMembers: QueryNode {
    switch self {
    case .comparison(let left, let symbol, .constant(let value)):
      return left.compared(symbol, membersOf: value) ?? self
    case .and(let left, let right): return .and(left.comparingMembers, right.comparingMembers)
    case .or(let left, let right): return .or(left.comparingMembers, right.comparingMembers)
    case .not(let condition): return .not(condition.comparingMembers)
    default: return self
    }
  }

  /// A comparison of each property of the object that a value is stored as; nil for any other value.
  private func compared(_ symbol: String, membersOf value: any RealmCollectionValue) -> QueryNode? {
    guard case .path(let path) = self, symbol == "==" || symbol == "!=",
      let object = (flattened(value) as? any FailableCustomPersistable)?._embedded, object._managed == nil
    else { return nil }
    let equal = path.equals(object)
    let condition: QueryNode = symbol == "==" ? equal : .not(equal)
    // All properties of one element have to be equal.
    return path.isMultiple ? .comparison(.subqueryCount(condition), ">", .constant(0)) : condition
  }
}

extension QueryPath {
  fileprivate func equals(_ object: EmbeddedObject) -> QueryNode {
    let discovered = object.discovered
    let comparisons = discovered.properties.indices.map { ordinal -> QueryNode in
      let property = discovered.properties[ordinal]
      let member = appending(property.columnName)
      switch object.value(of: ordinal, in: discovered) {
      case let embedded as EmbeddedObject: return member.equals(embedded)
      case let value as any RealmCollectionValue: return .comparison(.path(member), "==", .constant(value))
      case nil: return .comparison(.path(member), "==", .null)
      case .some:
        Misuse.stop("Cannot compare the collection '\(discovered.name).\(property.name)' in a query.")
      }
    }
    return comparisons.dropFirst().reduce(comparisons.first ?? .comparison(.path(self), "!=", .null)) {
      .and($0, $1)
    }
  }

  private func appending(_ name: String) -> QueryPath {
    var path = self
    path.steps.append(.property(name, isCollection: false))
    return path
  }
}

extension QueryNode {
  fileprivate static var null: QueryNode { .constant(Optional<Int>.none) }
}
