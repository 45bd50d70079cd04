// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

@testable import FlexSyncVectors

/// Lists the possible instructions on a model: every instruction at every place, with one value of each kind that
/// fits.
///
/// Instructions that the rules for applying refuse are not included, and prior sizes are correct.
struct PossibleInstructions {
  /// The scalars to try where they fit.
  var values: [Value] = [.int(1), .int(2), .string("x")]
  /// The elements to try in sets.
  var elements: [Value] = [.int(1), .int(2), .double(1), .string("x")]
  /// The targets to try for links.
  var targets: [Link] = []
  /// A dictionary key to try in addition to the existing ones.
  var newKey = "new"

  private let model: ObjectModel

  init(on model: ObjectModel) {
    self.model = model
  }

  /// Returns the possible instructions inside a property; empty if there is no such object or property.
  func instructions(in field: String, of object: ObjectReference) -> [Instruction] {
    guard let table = model.tables[object.table], let values = table.objects[object.key],
      let column = table.columns[field]
    else { return [] }
    let slot = ModelSlot(column.schema)
    var found: [Instruction] = []
    visitProperty(
      values[column.id] ?? .initial(slot),
      slot,
      PropertyPath(object: object, field: field),
      &found
    )
    return found.filter { instruction in
      var probe = model
      return (try? probe.apply(instruction)) != nil
    }
  }

  /// Visits a property of an object, embedded or not.
  private func visitProperty(
    _ node: ModelNode,
    _ slot: ModelSlot,
    _ path: PropertyPath,
    _ found: inout [Instruction]
  ) {
    if slot.collection == .single {
      for payload in payloads(slot) { found.append(.update(path, payload, .isDefault(false))) }
      if let payload = payloads(slot).first { found.append(.update(path, payload, .isDefault(true))) }
      found.append(.addInteger(path, delta: 3))
    }
    visit(node, slot, path, &found)
  }

  /// Visits the content of a place, except for its replacement.
  private func visit(
    _ node: ModelNode,
    _ slot: ModelSlot,
    _ path: PropertyPath,
    _ found: inout [Instruction]
  ) {
    if slot.type == .mixed || slot.collection != .single {
      found += [CollectionKind.list, .dictionary, .set].map { .clear(path, $0) }
    }
    switch node {
    case .scalar: break
    case .list(let elements): visit(elements: elements, slot.element, path, &found)
    case .set:
      for element in elements(slot) {
        found += [.setInsert(path, .value(element)), .setErase(path, .value(element))]
      }
    case .dictionary(let entries): visit(entries: entries, slot.element, path, &found)
    case .object(let fields):
      for (name, column) in (model.tables[slot.linkTarget ?? ""]?.columns ?? [:]).sorted(by: {
        $0.key < $1.key
      }) {
        let inner = ModelSlot(column.schema)
        visitProperty(fields[column.id] ?? .initial(inner), inner, path.appending(.name(name)), &found)
      }
    }
  }

  private func visit(
    elements: [ModelNode],
    _ slot: ModelSlot,
    _ path: PropertyPath,
    _ found: inout [Instruction]
  ) {
    let size = UInt32(elements.count)
    for index in 0...size {
      let place = path.appending(.index(index))
      found += payloads(slot).map { .arrayInsert(place, $0, priorSize: size) }
      guard index < size else { continue }
      found.append(.arrayErase(place, priorSize: size))
      found += (0..<size).filter { $0 != index }.map { .arrayMove(place, to: $0, priorSize: size) }
      found += payloads(slot).map { .update(place, $0, .priorSize(size)) }
      visit(elements[Int(index)], slot, place, &found)
    }
  }

  private func visit(
    entries: [[UInt8]: ModelNode],
    _ slot: ModelSlot,
    _ path: PropertyPath,
    _ found: inout [Instruction]
  ) {
    let keys = entries.keys.map { String(decoding: $0, as: UTF8.self) }.sorted()
    for key in keys + [newKey] {
      let place = path.appending(.name(key))
      for payload in payloads(slot) + [.erased] { found.append(.update(place, payload, .isDefault(false))) }
      if let node = entries[Array(key.utf8)] { visit(node, slot, place, &found) }
    }
  }

  private func elements(_ slot: ModelSlot) -> [Value] {
    switch slot.type {
    case .mixed: elements + [.null]
    case .link: targets.map(Value.link)
    default: elements.filter { $0.type == slot.type }
    }
  }

  /// Returns the payloads that can be written to a place with a single value.
  private func payloads(_ slot: ModelSlot) -> [Payload] {
    let null: [Payload] = slot.isNullable || slot.type == .mixed ? [.value(.null)] : []
    switch slot.type {
    case .mixed: return values.map(Payload.value) + null + [.list, .dictionary]
    case .link where model.tables[slot.linkTarget ?? ""]?.kind == .embedded: return [.object] + null
    case .link: return targets.map { .value(.link($0)) } + null
    default: return values.filter { $0.type == slot.type }.map(Payload.value) + null
    }
  }
}
