// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// An object as seen by the evaluator.
///
/// The server evaluates images, which hold only some properties and cannot follow links. The client evaluates
/// complete objects.
public protocol PredicateRow {
  /// Returns the value of a single-valued property, or null if there is none.
  func value(of property: String) -> Value

  /// Returns the elements of a list or set in order, or an empty array if there is none.
  func elements(of property: String) -> [Value]

  /// Returns the entries of a dictionary sorted by the bytes of their keys, or an empty array if there is none.
  func entries(of property: String) -> [DictionaryEntry]

  /// Returns the object that a link leads to, or nil if it does not exist.
  func target(of link: Link) -> Self?

  /// Returns the point that a property holds, in rows that hold images of points instead of embedded objects. It is
  /// empty for null. Returns nil if the row leads to the embedded object.
  func point(of property: String) -> [Value]?

  /// Whether the object that a link leads to exists. A dangling link counts as null (protocol §4.8).
  func hasTarget(_ link: Link) -> Bool

  /// Returns the objects of a class that link to this one through a property, in any order. An object that links
  /// several times occurs several times.
  func incoming(from className: String, property: String) -> [Self]

  /// Returns the number of links of all classes and properties that lead to this object.
  func incomingCount() -> Int

  /// Returns a number that increases in the order in which objects of the class were inserted, or nil if the row does
  /// not know it.
  func insertionOrder() -> Int64?

  /// Returns the link that leads to this object, or nil if the row does not know it.
  func identity() -> Link?
}

extension PredicateRow {
  public func entries(of property: String) -> [DictionaryEntry] { [] }

  public func point(of property: String) -> [Value]? { nil }

  public func hasTarget(_ link: Link) -> Bool { target(of: link) != nil }

  public func incoming(from className: String, property: String) -> [Self] { [] }

  public func incomingCount() -> Int { 0 }

  public func insertionOrder() -> Int64? { nil }

  public func identity() -> Link? { nil }
}

/// A row of named values, such as the image of an object's queryable fields.
///
/// It cannot follow links in either direction, and assumes that the target of every link exists.
public struct RowImage: PredicateRow, Hashable, Sendable {
  /// The content of a property.
  public enum Field: Hashable, Sendable {
    case value(Value)
    case list([Value])
    case dictionary([DictionaryEntry])
  }

  public var fields: [String: Field]

  public init(_ fields: [String: Field] = [:]) {
    self.fields = fields
  }

  public func value(of property: String) -> Value {
    guard case .value(let value) = fields[property] else { return .null }
    return value
  }

  public func elements(of property: String) -> [Value] {
    guard case .list(let values) = fields[property] else { return [] }
    return values
  }

  public func entries(of property: String) -> [DictionaryEntry] {
    guard case .dictionary(let entries) = fields[property] else { return [] }
    return entries
  }

  public func target(of link: Link) -> RowImage? { nil }

  public func hasTarget(_ link: Link) -> Bool { true }
}
