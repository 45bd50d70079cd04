// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The content of a place inside an object.
indirect enum ModelNode: Hashable, Sendable {
  case scalar(Value)
  case list([ModelNode])
  case set([Value])
  /// A dictionary, by the bytes of its keys.
  case dictionary([[UInt8]: ModelNode])
  /// An embedded object: the content of its columns, except for defaults.
  case object([ModelColumn.ID: ModelNode])

  static let null = ModelNode.scalar(.null)

  /// Returns the initial content of a place, before anything is written.
  static func initial(_ slot: ModelSlot) -> ModelNode {
    switch slot.collection {
    case .list: .list([])
    case .set: .set([])
    case .dictionary: .dictionary([:])
    case .single: .scalar(slot.isNullable ? .null : slot.type.zero)
    }
  }

  /// Returns the initial value of a single property, before anything is written.
  static func initialValue(of property: PropertySchema) -> Value {
    property.isNullable ? .null : property.type.zero
  }
}

/// A property of a class in the model.
struct ModelColumn: Hashable, Sendable {
  /// The identity of a column. A column that is erased and added again is a different one.
  typealias ID = Int

  let id: ID
  let schema: PropertySchema
}

/// The type of a place: of a property, or of an element of a collection.
struct ModelSlot: Hashable, Sendable {
  let type: ValueType
  let isNullable: Bool
  let collection: CollectionKind
  let linkTarget: String?

  init(_ property: PropertySchema) {
    type = property.type
    isNullable = property.isNullable
    collection = property.collection
    linkTarget = property.linkTarget
  }

  private init(elementOf slot: ModelSlot) {
    type = slot.type
    isNullable = slot.isNullable
    collection = .single
    linkTarget = slot.linkTarget
  }

  /// The type of an element. The content of a mixed is mixed again.
  var element: ModelSlot { ModelSlot(elementOf: self) }
}

/// An instruction that cannot be applied (protocol §6.7).
public struct ModelError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
