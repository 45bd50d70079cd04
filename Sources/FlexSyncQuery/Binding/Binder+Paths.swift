// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension Binder {
  /// Follows a path through the schema.
  func resolve(_ syntax: SyntaxPath) throws(QueryError) -> PropertyPath {
    var owner = className
    var links: [LinkStep] = []
    var last: PropertySchema?
    for (position, element) in syntax.elements.enumerated() {
      guard case .name(let name) = element else { throw unsupported(element) }
      if let property = last {
        let isEnd = position == syntax.elements.count - 1 && syntax.measure == .value
        if isEnd, name == "length", property.hasLengths {
          return PropertyPath(
            property,
            of: owner,
            links: links,
            quantifier: syntax.quantifier,
            measure: .length
          )
        }
        let link = try step(over: property, of: owner, to: name)
        links.append(link)
        owner = link.target
      }
      last = try property(name, of: owner)
    }
    guard let property = last else { throw .query("A key path is empty") }
    let path = PropertyPath(
      property,
      of: owner,
      links: links,
      quantifier: syntax.quantifier,
      measure: try measure(syntax, of: property)
    )
    try checkQuantifier(path)
    return path
  }

  private func property(_ name: String, of owner: String) throws(QueryError) -> PropertySchema {
    if name == "@links" { throw .unsupported("Following links backwards with @links") }
    guard let property = schema[owner]?.property(named: name) else {
      throw .query("'\(owner)' has no property '\(name)'")
    }
    guard property.collection != .dictionary else { throw .unsupported("Querying the dictionary '\(name)'") }
    return property
  }

  private func step(
    over property: PropertySchema,
    of owner: String,
    to name: String
  ) throws(QueryError) -> LinkStep {
    guard property.type == .link, let target = property.linkTarget, schema[target] != nil else {
      if property.type == .mixed {
        throw .unsupported("A path through the mixed property '\(property.name)'")
      }
      throw .query("Property '\(owner).\(property.name)' has no property '\(name)'")
    }
    return LinkStep(property, of: owner, to: target)
  }

  private func measure(
    _ syntax: SyntaxPath,
    of property: PropertySchema
  ) throws(QueryError) -> PropertyPath.Measure {
    switch syntax.measure {
    case .value: return .value
    case .type: throw .unsupported("@type")
    case .size:
      if property.collection != .single { return .count }
      switch property.type {
      case .string, .binary: return .length
      case .mixed: throw .unsupported("@count of a mixed value")
      default:
        throw .query("Operation '@count' is not supported on property of type '\(property.type)'")
      }
    }
  }

  private func checkQuantifier(_ path: PropertyPath) throws(QueryError) {
    guard let quantifier = path.quantifier, !path.isMultiple else { return }
    throw .query("The keypath following '\(quantifier.rawValue)' must contain a list")
  }

  private func unsupported(_ element: SyntaxPath.Element) -> QueryError {
    switch element {
    case .keyPathArgument(let number): .unsupported("The key path argument $K\(number)")
    case .index, .last, .every: .unsupported("An index into a collection")
    case .key, .argument, .name: .unsupported("A key into a collection")
    }
  }
}

extension PropertySchema {
  /// Whether `length` may stand behind the property: a list of strings or bytes.
  fileprivate var hasLengths: Bool { collection != .single && (type == .string || type == .binary) }
}
