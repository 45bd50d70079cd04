// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// An object as the evaluator sees it.
///
/// The server evaluates on images that hold only some properties and cannot follow links; the client on whole objects.
public protocol PredicateRow {
  /// The value of a single property; null if there is none.
  func value(of property: String) -> Value

  /// The elements of a list or set, in order; empty if there is none.
  func elements(of property: String) -> [Value]

  /// The entries of a dictionary, sorted by the bytes of their keys; empty if there is none.
  func entries(of property: String) -> [DictionaryEntry]

  /// The object that a link leads to, or nil if it is not there.
  func target(of link: Link) -> Self?

  /// The point that a property holds, as a row has it that holds images of points in place of embedded objects; empty for
  /// null. Nil if the row leads to the embedded object.
  func point(of property: String) -> [Value]?

  /// Whether the object that a link leads to is there; a dangling link counts as null (protocol §4.8).
  func hasTarget(_ link: Link) -> Bool

  /// The objects of a class that link to this one with a property, in any order. One that links several times is there
  /// several times.
  func incoming(from className: String, property: String) -> [Self]

  /// How many links of all classes and properties lead to this object.
  func incomingCount() -> Int

  /// A number that grows in the order in which objects of the class were inserted; nil if the row does not know.
  func insertionOrder() -> Int64?

  /// The link that leads to this object; nil if the row does not know.
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

/// A row made of named values, for example the image of an object's queryable fields.
///
/// It cannot follow links in either direction, and takes every link for one whose target exists.
public struct RowImage: PredicateRow, Hashable, Sendable {
  /// What a property holds.
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
