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
    let members = path.members(of: object)
    guard members.count > 1 else {
      return members.first.map { .comparison(.path($0.path), symbol, .constant($0.value)) }
    }
    let equal = members.dropFirst().reduce(members[0].isEqual) { .and($0, $1.isEqual) }
    let condition: QueryNode = symbol == "==" ? equal : .not(equal)
    guard path.isMultiple else { return condition }
    for case .values in path.steps {
      Misuse.stop("Cannot compare the values of a Map with an object of several properties.")
    }
    // All properties of one element have to be equal.
    return .comparison(.subqueryCount(condition), ">", .constant(0))
  }
}

/// A property of an embedded object that is compared with a value.
private struct ComparedMember {
  let path: QueryPath
  let value: any RealmCollectionValue

  var isEqual: QueryNode { .comparison(.path(path), "==", .constant(value)) }
}

extension QueryPath {
  fileprivate func members(of object: EmbeddedObject) -> [ComparedMember] {
    let discovered = object.discovered
    return discovered.properties.indices.map { ordinal in
      let property = discovered.properties[ordinal]
      let isCollection = property.type.collectionKind != nil
      if isCollection || property.type.linkTarget != nil {
        let kind = isCollection ? "equality on collections is" : "object links are"
        Misuse.stop(
          "Unsupported property '\(discovered.name).\(property.name)' for memberwise equality query: \(kind) not "
            + "implemented."
        )
      }
      var path = self
      path.steps.append(.property(property.columnName, isCollection: false))
      let value = object.value(of: ordinal, in: discovered) as? any RealmCollectionValue
      return ComparedMember(path: path, value: value ?? Optional<Int>.none)
    }
  }
}
