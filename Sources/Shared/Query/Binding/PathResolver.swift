// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Turns the elements of a path as written into steps.
///
/// A name refers to a property of the class reached so far. If that class has no such property and the last property
/// is a dictionary, the name is a key. `dict.a` and `dict['a']` therefore mean the same (QueryLanguage §6).
struct PathResolver {
  let binder: Binder
  /// The elements still to be resolved, in reverse order.
  private var rest: [SyntaxPath.Element]
  let size: SyntaxPath.Measure
  private var owner: String
  private var links: [LinkStep] = []
  private var substitutions = 0

  init(binder: Binder, elements: [SyntaxPath.Element], size: SyntaxPath.Measure) {
    self.binder = binder
    self.rest = elements.reversed()
    self.size = size
    owner = binder.className
  }

  mutating func path() throws(QueryError) -> PropertyPath {
    while let name = try nextName() {
      if name == "@links" {
        if rest.isEmpty, size == .size { return incomingCount() }
        try stepBack()
      } else {
        let property = try property(name)
        guard property.type == .link, let target = property.linkTarget, binder.schema[target] != nil else {
          return try terminal(property)
        }
        links.append(LinkStep(property, of: owner, to: target))
        owner = target
      }
      if let path = try endOfLink() { return path }
    }
    throw .query("A key path is empty")
  }

  /// Removes and returns the next name, after replacing aliases.
  private mutating func nextName() throws(QueryError) -> String? {
    while true {
      guard let element = rest.popLast() else { return nil }
      guard case .name(let name) = element else {
        throw .query("[\(element.text)] not expected")
      }
      guard let path = binder.mapping.path(name, of: owner) else { return name }
      substitutions += 1
      guard substitutions <= KeyPathMapping.maximumSubstitutions else {
        throw .query("Substitution loop detected while processing '\(name)' of '\(owner)'")
      }
      rest += try Parser.keyPath(path).reversed()
    }
  }

  private func property(_ name: String) throws(QueryError) -> PropertySchema {
    guard let property = binder.schema[owner]?.property(named: name) else {
      throw .query("'\(owner)' has no property '\(name)'")
    }
    return property
  }

  /// Resolves `@links.Class.property`.
  private mutating func stepBack() throws(QueryError) {
    guard case .name(let written)? = rest.popLast() else {
      throw .query("A class and a property must follow '@links'")
    }
    let origin = binder.mapping.className(written)
    guard case .name(let name)? = rest.popLast() else {
      throw .query("No property found behind '@links.\(written)' which links to type '\(owner)'")
    }
    guard let property = binder.schema[origin]?.property(named: name), property.type == .link,
      property.linkTarget == owner
    else { throw .query("No property '\(name)' found in type '\(origin)' which links to type '\(owner)'") }
    var link = LinkStep(property, of: origin, to: origin)
    link.isBackward = true
    links.append(link)
    owner = origin
  }

  /// Consumes the index or key after the last link. Returns the path if it ends there, or nil if it continues.
  private mutating func endOfLink() throws(QueryError) -> PropertyPath? {
    while let element = rest.last, let link = links.last {
      switch element {
      case .name("@values") where link.isDictionary: rest.removeLast()
      case .name("@keys") where link.isDictionary && link.selector == nil:
        rest.removeLast()
        guard rest.isEmpty else { throw noProperty(link, rest.last) }
        return try end(of: link, selectors: [.keys])
      case .name(let name):
        let isProperty = name == "@links" || binder.schema[owner]?.property(named: name) != nil
        guard !isProperty, link.isDictionary, link.selector == nil, !isMapped(name) else { return nil }
        try select(.key(name))
      default: try select(element)
      }
    }
    guard rest.isEmpty, let link = links.last else { return nil }
    return try end(of: link, selectors: link.selector.map { [$0] } ?? [])
  }

  private func isMapped(_ name: String) -> Bool { binder.mapping.path(name, of: owner) != nil }

  private mutating func select(_ element: SyntaxPath.Element) throws(QueryError) {
    rest.removeLast()
    let position = links.count - 1
    guard links[position].selector == nil else {
      throw .query("Only Property of type 'any' can have nested collections")
    }
    guard !links[position].isBackward, let selector = element.selector(in: links[position].property) else {
      throw noIndex(links[position].property, element, of: links[position].owner)
    }
    if selector != .every { links[position].selector = selector }
  }

  /// Returns a path that ends in the objects of its last link.
  private mutating func end(
    of link: LinkStep,
    selectors: [ElementSelector]
  ) throws(QueryError) -> PropertyPath {
    links.removeLast()
    let measure = try measure(of: link.property, selectors, endsInBacklinks: link.isBackward)
    var path = PropertyPath(link.property, of: link.owner, links: links, measure: measure)
    path.selectors = selectors
    path.endsInBacklinks = link.isBackward
    return path
  }

  private func incomingCount() -> PropertyPath {
    PropertyPath(PropertyPath.incomingLinks, of: owner, links: links, measure: .incomingCount)
  }

  /// Returns a path that ends in a property that is not a link, or in some of its elements.
  private mutating func terminal(_ property: PropertySchema) throws(QueryError) -> PropertyPath {
    if case .name(let name)? = rest.last, Lexer.lowercasedASCII(name) == "length", rest.count == 1,
      size == .value, property.hasLengths
    {
      return PropertyPath(property, of: owner, links: links, measure: .length)
    }
    let selectors = try selectors(in: property)
    let measure = try measure(of: property, selectors, endsInBacklinks: false)
    var path = PropertyPath(property, of: owner, links: links, measure: measure)
    path.selectors = selectors
    return path
  }

  private mutating func selectors(in property: PropertySchema) throws(QueryError) -> [ElementSelector] {
    let holdsNested = property.type == .mixed || property.collection == .dictionary
    if rest.count > 1, !holdsNested {
      guard property.collection == .list else { throw unfit(rest.last, property) }
      throw .query("Only Property of type 'any' can have nested collections")
    }
    var selectors: [ElementSelector] = []
    while let element = rest.popLast() {
      let selector = selectors.isEmpty ? element.selector(in: property) : element.nestedSelector
      guard let selector else { throw unfit(element, property) }
      if selector == .keys, !rest.isEmpty { throw unfit(rest.last, property) }
      selectors.append(selector)
    }
    // Without a selector the path refers to all elements anyway.
    if selectors == [.every], property.collection != .single { return [] }
    return selectors
  }
}

extension PathResolver {
  private func measure(
    of property: PropertySchema,
    _ selectors: [ElementSelector],
    endsInBacklinks: Bool
  ) throws(QueryError) -> PropertyPath.Measure {
    let isWhole = selectors.isEmpty && (property.collection != .single || endsInBacklinks)
    let name = selectors.last == .keys ? ValueType.string : property.type
    switch size {
    case .value: return .value
    case .type where selectors.last != .keys: return .type
    case .size where isWhole || property.type == .link && selectors.isEmpty: return .count
    case .size where property.hasSize && selectors.last != .keys: return .length
    case .size: throw .query("Operation '@count' is not supported on property of type '\(name)'")
    case .type: throw .query("Operation '@type' is not supported on property of type '\(name)'")
    }
  }

  private func unfit(_ element: SyntaxPath.Element?, _ property: PropertySchema) -> QueryError {
    switch element {
    case .name(let name)?, .key(let name)?:
      .query("Property '\(owner).\(property.name)' has no property '\(name)'")
    default: noIndex(property, element, of: owner)
    }
  }

  private func noProperty(_ link: LinkStep, _ element: SyntaxPath.Element?) -> QueryError {
    .query("Property '\(link.owner).\(link.property.name)' has no property '\(element?.text ?? "")'")
  }

  private func noIndex(_ property: PropertySchema, _ element: SyntaxPath.Element?, of owner: String)
    -> QueryError
  {
    .query("Property '\(owner).\(property.name)' does not support index '\(element?.text ?? "")'")
  }
}

extension SyntaxPath.Element {
  /// Returns the selector that this element stands for, or nil if the property does not support it.
  fileprivate func selector(in property: PropertySchema) -> ElementSelector? {
    switch property.collection {
    case .single: return property.type == .mixed ? nestedSelector : nil
    case .set: return nil
    case .list: return isKey ? nil : nestedSelector
    case .dictionary: return isKey || self == .every ? nestedSelector : nil
    }
  }

  /// The selector that this element stands for in any collection that a mixed value contains.
  fileprivate var nestedSelector: ElementSelector? {
    switch self {
    case .index(let index): .index(index)
    case .last: .last
    case .every, .name("@values"): .every
    case .name("@keys"): .keys
    case .name(let name), .key(let name): .key(name)
    case .argument, .keyPathArgument: nil
    }
  }

  private var isKey: Bool {
    switch self {
    case .name, .key: true
    default: false
    }
  }

  /// The element in the form used by messages.
  fileprivate var text: String {
    switch self {
    case .index(0): "FIRST"
    case .index(let index): String(index)
    case .last: "LAST"
    case .every: "*"
    case .name(let name), .key(let name): name
    case .argument(let index): "$\(index)"
    case .keyPathArgument(let index): "$K\(index)"
    }
  }
}

extension LinkStep {
  fileprivate var isDictionary: Bool { !isBackward && property.collection == .dictionary }
}

extension PropertySchema {
  /// Whether `length` may follow the property: a list or set of strings or bytes.
  fileprivate var hasLengths: Bool {
    (collection == .list || collection == .set) && (type == .string || type == .binary)
  }

  /// Whether the values of the property have a size.
  fileprivate var hasSize: Bool { type == .string || type == .binary || type == .mixed }
}
