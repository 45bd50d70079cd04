// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncQuery

/// The fields of an object that an index of predicates looks at, in the order of the index's slots.
///
/// A field that is missing at the end is null or an empty collection, so an image stays valid when slots are added.
public struct SlotImage: Sendable {
  /// What a slot holds.
  public enum Field: Hashable, Sendable {
    case value(Value)
    case elements([Value])
    case entries([DictionaryEntry])
  }

  public var fields: [Field]

  public init(_ fields: [Field] = []) {
    self.fields = fields
  }

  /// The value of a single property.
  func value(at slot: Int) -> Value {
    guard slot < fields.count, case .value(let value) = fields[slot] else { return .null }
    return value
  }

  /// The elements of a collection.
  func elements(at slot: Int) -> [Value] {
    guard slot < fields.count, case .elements(let elements) = fields[slot] else { return [] }
    return elements
  }

  /// The entries of a dictionary.
  func entries(at slot: Int) -> [DictionaryEntry] {
    guard slot < fields.count, case .entries(let entries) = fields[slot] else { return [] }
    return entries
  }
}

/// A property that predicates of an index look at.
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

/// An image as the evaluator sees it, for what programs leave to it. Links are taken for links whose target exists:
/// whether an object is in a view does not depend on other objects.
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
