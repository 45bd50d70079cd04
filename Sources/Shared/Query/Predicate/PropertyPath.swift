// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The way from an object to the values that a comparison looks at: over links to a property.
public struct PropertyPath: Hashable, Sendable {
  /// What is taken of what is found at the end.
  public enum Measure: Hashable, Sendable {
    /// The value, or each of the elements.
    case value
    /// `@count` of a collection: the number of its elements.
    case count
    /// The number of bytes of a string or binary value: `@count` of a single property, `length` of each element. Of a
    /// mixed value also the number of elements of a collection in it.
    case length
    /// `@type`: the name of the type, as `TypeName` spells it, of a mixed value.
    case type
    /// `@links.@count`: how many links of all classes lead to the object. `property` then is `incomingLinks`.
    case incomingCount
  }

  /// ANY, ALL or NONE in front of the path.
  public var quantifier: Quantifier?
  /// The links to follow, in order; a collection of links multiplies the values.
  public var links: [LinkStep]
  /// The class that declares `property`.
  public var owner: String
  /// The property at the end. If the path `endsInBacklinks`, the property of another class, `owner`, whose links lead
  /// here; the values are the objects that hold those links.
  public var property: PropertySchema
  public var endsInBacklinks: Bool
  /// Which elements of the collection in `property` are meant, from the outside inwards; see `ElementSelector`.
  public var selectors: [ElementSelector]
  public var measure: Measure

  public init(
    _ property: PropertySchema,
    of owner: String,
    links: [LinkStep] = [],
    quantifier: Quantifier? = nil,
    selectors: [ElementSelector] = [],
    measure: Measure = .value,
    endsInBacklinks: Bool = false
  ) {
    self.property = property
    self.owner = owner
    self.links = links
    self.quantifier = quantifier
    self.selectors = selectors
    self.measure = measure
    self.endsInBacklinks = endsInBacklinks
  }

  /// Stands for the property of a path whose measure is `incomingCount`.
  public static let incomingLinks = PropertySchema(name: "@links", type: .link, collection: .list)
}

extension PropertyPath {
  /// The property of the queried class at which the path starts; nil if it starts with backlinks.
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

  /// Whether a single element is selected somewhere on the path. Where there is no such element, the path yields no
  /// value, or null; see `ElementSelector`.
  public var isSelective: Bool {
    selectors.contains { !$0.isMultiple } || links.contains { $0.selector?.isMultiple == false }
  }

  var isListOfPrimitives: Bool { isCollectionOfValues && type != .link }

  /// Whether the path ends in lists of primitives behind a list of links. Each of the lists is then compared for
  /// itself, and one match is enough.
  var isGrouped: Bool { isListOfPrimitives && links.contains(where: \.isMultiple) }
}

/// One link, or collection of links, on a path.
public struct LinkStep: Hashable, Sendable {
  /// The class that declares the property.
  public var owner: String
  public var property: PropertySchema
  /// The class that it leads to. For a backward step the same as `owner`.
  public var target: String
  /// Whether the step goes against the direction of the link: `@links.owner.property`, to all objects of `owner` that
  /// link here. One that links here several times is there several times.
  public var isBackward: Bool
  /// Which element of the collection is followed; nil for all.
  public var selector: ElementSelector?

  public init(
    _ property: PropertySchema,
    of owner: String,
    to target: String,
    selector: ElementSelector? = nil,
    isBackward: Bool = false
  ) {
    self.property = property
    self.owner = owner
    self.target = target
    self.selector = selector
    self.isBackward = isBackward
  }

  /// Whether the step can lead to any number of objects.
  public var isMultiple: Bool { isBackward || property.collection != .single && selector == nil }
}

/// A choice among the elements of a collection (QueryLanguage §6).
///
/// Lists take indices, dictionaries keys. A mixed value takes what fits the collection in it, and yields nothing if
/// it holds none.
public enum ElementSelector: Sendable {
  /// `[n]`, and `[FIRST]` for 0. Yields nothing beyond the end.
  case index(Int)
  /// `[LAST]`. Yields nothing of an empty list.
  case last
  /// `[*]` and `@values` inside a mixed value. A property's own elements are meant without a selector.
  case every
  /// `['key']`. Yields null for a key that is missing.
  case key(String)
  /// `@keys`: the keys themselves.
  case keys

  /// Whether it can choose any number of elements.
  public var isMultiple: Bool { self == .every || self == .keys }
}

extension ElementSelector: Hashable {
  /// Keys compare by their bytes.
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
