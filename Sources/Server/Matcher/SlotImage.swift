// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// The fields of an object that the predicates of an index refer to, in the order of the index's slots.
///
/// Fields missing at the end are null or empty collections, so an image stays valid when slots are added.
public struct SlotImage: Sendable {
  /// The content of a slot.
  public enum Field: Hashable, Sendable {
    case value(Value)
    case elements([Value])
    case entries([DictionaryEntry])
  }

  public var fields: [Field]

  public init(_ fields: [Field] = []) {
    self.fields = fields
  }

  /// Returns the value of a single property.
  func value(at slot: Int) -> Value {
    guard slot < fields.count, case .value(let value) = fields[slot] else { return .null }
    return value
  }

  /// Returns the elements of a collection.
  func elements(at slot: Int) -> [Value] {
    guard slot < fields.count, case .elements(let elements) = fields[slot] else { return [] }
    return elements
  }

  /// Returns the entries of a dictionary.
  func entries(at slot: Int) -> [DictionaryEntry] {
    guard slot < fields.count, case .entries(let entries) = fields[slot] else { return [] }
    return entries
  }
}

/// A property that predicates of an index refer to.
struct Slot: Hashable {
  let name: String
  let type: ValueType
  let collection: CollectionKind

  init(_ property: PropertySchema) {
    name = property.name
    type = property.type
    collection = property.collection
  }
}

/// An image in the form the evaluator takes, for conditions that programs leave to it. Links count as links to
/// existing objects: whether an object is in a view does not depend on other objects.
struct SlotRow: PredicateRow {
  let image: SlotImage
  let slots: [Slot]

  func value(of property: String) -> Value { slot(of: property).map(image.value(at:)) ?? .null }

  func elements(of property: String) -> [Value] { slot(of: property).map(image.elements(at:)) ?? [] }

  func entries(of property: String) -> [DictionaryEntry] { slot(of: property).map(image.entries(at:)) ?? [] }

  func point(of property: String) -> [Value]? { elements(of: property) }

  private func slot(of property: String) -> Int? { slots.firstIndex { $0.name == property } }

  func target(of link: Link) -> SlotRow? { nil }

  func hasTarget(_ link: Link) -> Bool { true }
}
