// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The way from an object to the values that a comparison looks at: over links to a property.
public struct PropertyPath: Hashable, Sendable {
  /// What is taken of the property at the end.
  public enum Measure: Hashable, Sendable {
    /// Its value, or each of its elements.
    case value
    /// `@count`: the number of its elements.
    case count
    /// The number of bytes of a string or binary value: `@count` of a single property, `length` of each element.
    case length
  }

  /// ANY, ALL or NONE in front of the path.
  public var quantifier: Quantifier?
  /// The links to follow, in order; a list of links multiplies the values.
  public var links: [LinkStep]
  /// The class that declares `property`.
  public var owner: String
  public var property: PropertySchema
  public var measure: Measure

  public init(
    _ property: PropertySchema,
    of owner: String,
    links: [LinkStep] = [],
    quantifier: Quantifier? = nil,
    measure: Measure = .value
  ) {
    self.property = property
    self.owner = owner
    self.links = links
    self.quantifier = quantifier
    self.measure = measure
  }

  /// The property of the queried class at which the path starts.
  public var rootProperty: PropertySchema { links.first?.property ?? property }

  /// The type of the values at the end.
  public var type: ValueType { measure == .value ? property.type : .int }

  /// Whether the path can yield other than exactly one value.
  public var isMultiple: Bool {
    links.contains { $0.property.collection != .single } || isCollectionOfValues
  }

  /// Whether the path ends in the elements of a collection.
  var isCollectionOfValues: Bool { property.collection != .single && measure != .count }

  var isListOfPrimitives: Bool { isCollectionOfValues && property.type != .link }

  /// Whether the path ends in lists of primitives behind a list of links. Each of the lists is then compared for
  /// itself, and one match is enough.
  var isGrouped: Bool {
    isListOfPrimitives && links.contains { $0.property.collection != .single }
  }
}

/// One link, or list of links, on a path.
public struct LinkStep: Hashable, Sendable {
  /// The class that declares the property.
  public var owner: String
  public var property: PropertySchema
  /// The class that it leads to.
  public var target: String

  public init(_ property: PropertySchema, of owner: String, to target: String) {
    self.property = property
    self.owner = owner
    self.target = target
  }
}
