// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// A path from an object to the values of a comparison: over links to a property.
public struct PropertyPath: Hashable, Sendable {
  /// The aspect of the values at the end that is compared.
  public enum Measure: Hashable, Sendable {
    /// The value, or each element.
    case value
    /// `@count` of a collection: the number of its elements.
    case count
    /// The number of bytes of a string or binary value: `@count` of a single-valued property, `length` of each
    /// element. For a mixed value also the number of elements of a collection in it.
    case length
    /// `@type`: the name of a mixed value's type, spelled as in `TypeName`.
    case type
    /// `@links.@count`: the number of links of all classes that lead to the object. `property` is then
    /// `incomingLinks`.
    case incomingCount
  }

  /// The ANY, ALL or NONE that precedes the path.
  public var quantifier: Quantifier?
  /// The links to follow, in order; a collection of links multiplies the values.
  public var links: [LinkStep]
  /// The class that declares `property`.
  public var owner: String
  /// The property at the end. If the path `endsInBacklinks`, this is the property of another class, `owner`, whose
  /// links lead here; the values are the objects that hold those links.
  public var property: PropertySchema
  public var endsInBacklinks = false
  /// The selected elements of the collection in `property`, from the outermost selector inwards; see
  /// `ElementSelector`.
  public var selectors: [ElementSelector] = []
  public var measure: Measure

  public init(
    _ property: PropertySchema,
    of owner: String,
    links: [LinkStep] = [],
    measure: Measure = .value
  ) {
    self.property = property
    self.owner = owner
    self.links = links
    self.measure = measure
  }

  /// A placeholder for the property of a path with the measure `incomingCount`.
  public static let incomingLinks = PropertySchema(name: "@links", type: .link, collection: .list)
}

extension PropertyPath {
  /// The property of the queried class that the path starts with; nil if it starts with backlinks.
  public var rootProperty: PropertySchema? {
    if let link = links.first { return link.isBackward ? nil : link.property }
    return endsInBacklinks || measure == .incomingCount ? nil : property
  }

  /// The type of the values at the end.
  public var type: ValueType {
    switch measure {
    case .count, .length, .incomingCount: .int
    case .type: .string
    case .value where endsInBacklinks: .link
    case .value: selectors.last == .keys ? .string : property.type
    }
  }

  /// The class of the objects at the end, if the path ends in links.
  public var target: String? { endsInBacklinks ? owner : property.linkTarget }

  /// Whether the path can yield any number of values.
  public var isMultiple: Bool { links.contains(where: \.isMultiple) || isCollectionOfValues }

  /// Whether the path ends in the elements of a collection.
  public var isCollectionOfValues: Bool {
    guard measure != .count, measure != .incomingCount else { return false }
    if endsInBacklinks || selectors.contains(where: \.isMultiple) { return true }
    return property.collection != .single && selectors.isEmpty
  }

  /// Whether a single element is selected anywhere on the path. If that element does not exist, the path yields no
  /// value, or null; see `ElementSelector`.
  public var isSelective: Bool {
    selectors.contains { !$0.isMultiple } || links.contains { $0.selector?.isMultiple == false }
  }

  var isListOfPrimitives: Bool { isCollectionOfValues && type != .link }

  /// Whether the path ends in lists of primitives reached through a list of links. Each of these lists is then
  /// compared separately, and one match is enough.
  var isGrouped: Bool { isListOfPrimitives && links.contains(where: \.isMultiple) }
}

/// One link, or collection of links, on a path.
public struct LinkStep: Hashable, Sendable {
  /// The class that declares the property.
  public var owner: String
  public var property: PropertySchema
  /// The class that the step leads to. Equals `owner` for a backward step.
  public var target: String
  /// Whether the step goes against the direction of the link: `@links.owner.property`, to all objects of `owner` that
  /// link here. An object that links here several times occurs several times.
  public var isBackward = false
  /// The element of the collection to follow; nil for all.
  public var selector: ElementSelector?

  public init(_ property: PropertySchema, of owner: String, to target: String) {
    self.property = property
    self.owner = owner
    self.target = target
  }

  /// Whether the step can lead to any number of objects.
  public var isMultiple: Bool { isBackward || property.collection != .single && selector == nil }
}

/// A selection among the elements of a collection (QueryLanguage §6).
///
/// Lists take indices, dictionaries take keys. A mixed value takes the selector that fits the collection in it, and
/// yields nothing if it contains no collection.
public enum ElementSelector: Sendable {
  /// `[n]`, and `[FIRST]` for 0. Yields nothing beyond the end.
  case index(Int)
  /// `[LAST]`. Yields nothing for an empty list.
  case last
  /// `[*]` and `@values` inside a mixed value. A property's own elements need no selector.
  case every
  /// `['key']`. Yields null for a missing key.
  case key(String)
  /// `@keys`: the keys themselves.
  case keys

  /// Whether the selector can match any number of elements.
  public var isMultiple: Bool { self == .every || self == .keys }
}

extension ElementSelector: Hashable {
  /// Compares keys by their bytes.
  public static func == (left: ElementSelector, right: ElementSelector) -> Bool {
    switch (left, right) {
    case (.index(let left), .index(let right)): left == right
    case (.key(let left), .key(let right)): UTF8Order.areEqual(left, right)
    case (.last, .last), (.every, .every), (.keys, .keys): true
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .index(let index): hasher.combine(index)
    case .key(let key): UTF8Order.hash(key, into: &hasher)
    case .last: hasher.combine("last")
    case .every: hasher.combine("every")
    case .keys: hasher.combine("keys")
    }
  }
}
