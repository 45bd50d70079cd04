// SPDX-License-Identifier: Apache-2.0

/// The expression behind a `Query`.
indirect enum QueryNode {
  case path(QueryPath)
  case constant(any RealmCollectionValue)
  case constants([any RealmCollectionValue])
  case shape(any GeoShape)
  /// A comparison; the operator is in query syntax, including its options.
  case comparison(QueryNode, String, QueryNode)
  case between(QueryNode, any RealmCollectionValue, any RealmCollectionValue)
  /// A Boolean property on its own.
  case flag(QueryPath, Bool)
  case and(QueryNode, QueryNode)
  case or(QueryNode, QueryNode)
  case not(QueryNode)
  /// The number of elements of a collection that satisfy a condition.
  case subqueryCount(QueryNode)
}

/// The path from the object to a value.
struct QueryPath {
  /// One step.
  enum Step {
    case property(String, isCollection: Bool)
    /// A key of a dictionary.
    case element(any RealmCollectionValue)
    /// A key or an index in a mixed value.
    case mixedElement(any RealmCollectionValue)
    /// Any element of a collection in a mixed value.
    case anyElement
    case keys
    case values
  }

  var steps: [Step] = []
  /// `@count`, `@min`, `@max`, `@avg` or `@sum`, which follows the collection.
  var function: String?

  /// Whether the path yields several values, of which any may satisfy a comparison.
  var isMultiple: Bool { function == nil && collectionIndex != nil }

  /// The step at which one value becomes several.
  var collectionIndex: Int? {
    steps.indices.first { index in
      guard case .property(_, isCollection: true) = steps[index] else { return false }
      guard index + 1 < steps.count, case .element = steps[index + 1] else { return true }
      return false
    }
  }
}

extension QueryNode {
  /// Returns the path to a property of the object that this path leads to.
  func appending<Value: _Persistable>(_ type: Value.Type, _ name: String) -> QueryNode {
    let isCollection = type is any _QueryMultiple.Type
    return appending(.property(name, isCollection: isCollection))
  }

  func appending(_ step: QueryPath.Step) -> QueryNode {
    guard case .path(var path) = self else { Misuse.stop("A property can only follow a key path.") }
    if case .property = step, case .element = path.steps.last {
      Misuse.stop("Cannot apply key path to Map subscripts.")
    }
    path.steps.append(step)
    return .path(path)
  }

  /// Returns the aggregate of the collection on this path.
  func applying(_ function: String) -> QueryNode {
    guard case .path(var path) = self else { Misuse.stop("\(function) can only follow a key path.") }
    path.function = function
    return .path(path)
  }

  var isMultiplePath: Bool {
    if case .path(let path) = self { path.isMultiple } else { false }
  }
}
