// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

@testable import FlexSyncVectors

/// Conversion of a property of the model to instructions.
extension ObjectModel {
  /// Returns instructions that give the property the content it has here, whatever it was: they empty it and then
  /// fill it. Nil if there is no such object or property.
  func replacement(of field: String, in object: ObjectReference) -> [Instruction]? {
    guard let table = tables[object.table], let values = table.objects[object.key],
      let column = table.columns[field]
    else { return nil }
    let path = PropertyPath(object: object, field: field)
    let slot = ModelSlot(column.schema)
    let node = values[column.id] ?? .initial(slot)
    if slot.collection != .single { return [.clear(path, slot.collection)] + contents(node, slot, path) }
    if case .scalar(let value) = node { return [.update(path, .value(value), .isDefault(false))] }
    return [.update(path, .value(.null), .isDefault(false))] + making(node, slot, path)
  }

  /// Returns instructions that create a value in a place that is null or is a missing key of its dictionary.
  private func making(_ node: ModelNode, _ slot: ModelSlot, _ path: PropertyPath) -> [Instruction] {
    [.update(path, payload(node), .isDefault(false))] + contents(node, slot, path)
  }

  private func payload(_ node: ModelNode) -> Payload {
    switch node {
    case .scalar(let value): .value(value)
    case .list: .list
    case .dictionary: .dictionary
    case .object: .object
    case .set: .set
    }
  }

  /// Returns instructions that fill an empty collection or embedded object.
  private func contents(_ node: ModelNode, _ slot: ModelSlot, _ path: PropertyPath) -> [Instruction] {
    switch node {
    case .scalar: []
    case .set(let elements): elements.map { .setInsert(path, .value($0)) }
    case .list(let elements):
      elements.enumerated().flatMap { index, element in
        let place = path.appending(.index(UInt32(index)))
        return [.arrayInsert(place, payload(element), priorSize: UInt32(index))]
          + contents(element, slot.element, place)
      }
    case .dictionary(let entries):
      entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap { key, entry in
        making(entry, slot.element, path.appending(.name(String(decoding: key, as: UTF8.self))))
      }
    case .object(let fields): contents(fields, tables[slot.linkTarget ?? ""], path)
    }
  }

  private func contents(_ fields: [ModelColumn.ID: ModelNode], _ table: Table?, _ path: PropertyPath)
    -> [Instruction]
  {
    (table?.columns ?? [:]).sorted { $0.key < $1.key }.flatMap { name, column -> [Instruction] in
      let slot = ModelSlot(column.schema)
      let place = path.appending(.name(name))
      guard let node = fields[column.id], node != .initial(slot) else { return [] }
      return slot.collection == .single ? making(node, slot, place) : contents(node, slot, place)
    }
  }
}
