// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Binder {
  /// Follows a path through the schema, starting at the bound class.
  func resolve(_ syntax: SyntaxPath) throws(QueryError) -> PropertyPath {
    var resolver = PathResolver(binder: self, elements: try expanded(syntax.elements), size: syntax.measure)
    var path = try resolver.path()
    path.quantifier = syntax.quantifier
    try checkQuantifier(path)
    // A quantifier has no effect on a path with exactly one value.
    if !path.isMultiple && !path.isSelective { path.quantifier = nil }
    return path
  }

  /// Rejects a quantifier on a single-valued property that is not reached through a list. A link may have one.
  private func checkQuantifier(_ path: PropertyPath) throws(QueryError) {
    guard let quantifier = path.quantifier, path.property.collection == .single, path.property.type != .link,
      path.selectors.isEmpty, !path.links.contains(where: \.isThroughCollection)
    else { return }
    throw .query("The keypath following '\(quantifier.rawValue)' must contain a list")
  }

  /// Replaces a key path argument, indices given as arguments, and the variable of a subquery.
  private func expanded(_ elements: [SyntaxPath.Element]) throws(QueryError) -> [SyntaxPath.Element] {
    var elements = elements
    if case .keyPathArgument(let index)? = elements.first {
      guard elements.count == 1 else { throw .query("Key path argument cannot be mixed with other elements") }
      elements = try keyPath(try argument(at: index), index)
    }
    if case .name(let name)? = elements.first, variables.contains(Variable(name: name, className: className))
    {
      elements.removeFirst()
      guard !elements.isEmpty else {
        throw .query("The subquery variable '\(name)' stands for an object; compare one of its properties")
      }
    }
    for (position, element) in elements.enumerated() {
      guard case .argument(let index) = element else { continue }
      elements[position] = try selector(try argument(at: index), index)
    }
    return elements
  }

  private func keyPath(_ argument: QueryArgument, _ index: Int) throws(QueryError) -> [SyntaxPath.Element] {
    switch argument {
    case .keyPath(let text), .value(.string(let text)): return try Parser.keyPath(text)
    default: throw .argument("Argument $K\(index) is not a key path")
    }
  }

  private func selector(_ argument: QueryArgument, _ index: Int) throws(QueryError) -> SyntaxPath.Element {
    switch argument {
    case .value(.int(let int)):
      if let index = Int(exactly: int), index >= 0 { return .index(index) }
    case .value(.string(let key)):
      guard KeyText.quoted(key) != nil else {
        throw .argument(
          "Argument $\(index) is a key that a query cannot contain: it has both kinds of quotes"
        )
      }
      return .key(key)
    default: break
    }
    throw .query("Argument $\(index) is neither an index nor a key")
  }
}

extension LinkStep {
  /// Whether the step passes through a collection, even if only to one selected element.
  var isThroughCollection: Bool { isBackward || property.collection != .single }
}

extension PropertyPath {
  /// Whether the path ends in a collection of primitives or in a selected element of one. The reference treats both
  /// as collections when it checks operators.
  var isInPrimitiveCollection: Bool {
    property.collection != .single && property.type != .link && measure == .value && selectors.last != .keys
  }

  /// Whether the path ends in one or all values of a dictionary.
  var isInDictionary: Bool {
    property.collection == .dictionary && measure == .value && !endsInBacklinks && selectors.last != .keys
      && (property.type != .link || !selectors.isEmpty)
  }

  /// Whether the path is a single-valued property of the object itself.
  var isOwnValue: Bool {
    links.isEmpty && property.collection == .single && selectors.isEmpty && measure == .value
      && !endsInBacklinks
  }

  /// Whether IN may precede the path.
  var isSearchable: Bool {
    guard selectors.last != .keys else { return false }
    return isMultiple || isInPrimitiveCollection || links.contains(where: \.isThroughCollection)
  }
}
