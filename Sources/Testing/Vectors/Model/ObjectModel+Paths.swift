// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// Instructions on properties: traversal of the path, and the operation at its end.
extension ObjectModel {
  func apply(
    _ instruction: Instruction,
    to node: inout ModelNode,
    _ slot: ModelSlot,
    path: ArraySlice<PathElement>
  ) throws(ModelError) {
    guard let step = path.first else { return try apply(instruction, at: &node, slot) }
    switch (step, node) {
    case (.index(let index), .list(var elements)):
      try apply(instruction, toElement: index, of: &elements, slot.element, path: path.dropFirst())
      node = .list(elements)
    case (.name(let name), .dictionary(var entries)):
      try apply(instruction, toEntry: Array(name.utf8), of: &entries, slot.element, path: path.dropFirst())
      node = .dictionary(entries)
    case (.name(let name), .object(var fields)):
      guard let column = try table(slot.linkTarget ?? "").columns[name] else {
        throw ModelError("no property \(slot.linkTarget ?? "").\(name)")
      }
      let inner = ModelSlot(column.schema)
      var field = fields[column.id] ?? .initial(inner)
      try apply(instruction, to: &field, inner, path: path.dropFirst())
      fields[column.id] = field
      node = .object(fields)
    default: throw ModelError("the path leads through something that has no such content: \(step) of \(node)")
    }
  }

  private func apply(
    _ instruction: Instruction,
    toElement offset: UInt32,
    of elements: inout [ModelNode],
    _ slot: ModelSlot,
    path: ArraySlice<PathElement>
  ) throws(ModelError) {
    let index = Int(offset)
    if path.isEmpty {
      switch instruction {
      case .arrayInsert(_, let payload, let priorSize):
        guard elements.count == priorSize, index <= elements.count else {
          throw ModelError("list of another size")
        }
        return elements.insert(try newElement(payload, slot), at: index)
      case .arrayMove(_, let destination, let priorSize):
        guard elements.count == priorSize, index < elements.count, destination < priorSize,
          destination != index
        else { throw ModelError("move within a list of another size") }
        return elements.insert(elements.remove(at: index), at: Int(destination))
      case .arrayErase(_, let priorSize):
        guard elements.count == priorSize, index < elements.count else {
          throw ModelError("list of another size")
        }
        elements.remove(at: index)
        return
      case .addInteger: throw ModelError("addition to a list element")
      case .update(_, .object, _):
        guard index < elements.count else { throw ModelError("index beyond the list") }
        return
      default: break
      }
    }
    guard index < elements.count else { throw ModelError("index beyond the list") }
    try apply(instruction, to: &elements[index], slot, path: path)
  }

  private func apply(
    _ instruction: Instruction,
    toEntry key: [UInt8],
    of entries: inout [[UInt8]: ModelNode],
    _ slot: ModelSlot,
    path: ArraySlice<PathElement>
  ) throws(ModelError) {
    if path.isEmpty {
      switch instruction {
      case .update(_, .erased, _):
        entries[key] = nil
        return
      case .update(_, .object, _):
        entries[key] = try newElement(.object, slot)
        return
      case .update:
        var entry = entries[key] ?? .null
        try apply(instruction, at: &entry, slot)
        entries[key] = entry
        return
      case .addInteger: throw ModelError("addition to a dictionary entry")
      default: break
      }
    }
    guard var entry = entries[key] else { throw ModelError("no such key in the dictionary") }
    try apply(instruction, to: &entry, slot, path: path)
    entries[key] = entry
  }

  /// Applies an instruction whose path ends at the place itself.
  private func apply(_ instruction: Instruction, at node: inout ModelNode, _ slot: ModelSlot)
    throws(ModelError)
  {
    switch instruction {
    case .update(_, let payload, _): try update(&node, slot, payload)
    case .addInteger(_, let delta): try add(delta, to: &node, slot)
    case .clear(_, let kind): try clear(&node, slot, kind)
    case .setInsert(_, let payload):
      var elements = try set(node)
      let value = try scalar(payload, slot.element)
      if !elements.contains(where: { $0.isSameElement(as: value) }) { elements.append(value) }
      node = .set(elements)
    case .setErase(_, let payload):
      var elements = try set(node)
      let value = try scalar(payload, slot.element)
      guard value != .null || slot.type == .mixed else {
        throw ModelError("null cannot be erased from a typed set")
      }
      elements.removeAll { $0.isSameElement(as: value) }
      node = .set(elements)
    default: throw ModelError("a list instruction whose path does not end in an index")
    }
  }

  private func set(_ node: ModelNode) throws(ModelError) -> [Value] {
    guard case .set(let elements) = node else { throw ModelError("no set: \(node)") }
    return elements
  }
}

// MARK: - Values

extension ObjectModel {
  private func update(_ node: inout ModelNode, _ slot: ModelSlot, _ payload: Payload) throws(ModelError) {
    guard slot.collection == .single else { throw ModelError("a collection cannot be set to a value") }
    switch (payload, node) {
    case (.object, .object), (.list, .list), (.dictionary, .dictionary): break
    default: node = try newElement(payload, slot)
    }
  }

  private func add(_ delta: Int64, to node: inout ModelNode, _ slot: ModelSlot) throws(ModelError) {
    guard slot.collection == .single, slot.type == .int || slot.type == .mixed else {
      throw ModelError("addition to a property that is no integer")
    }
    switch node {
    case .scalar(.int(let value)): node = .scalar(.int(value &+ delta))
    case .scalar(.null): break
    default: throw ModelError("addition to something that is no integer")
    }
  }

  /// Turns a mixed into an empty collection of the given kind, whatever it was.
  private func clear(_ node: inout ModelNode, _ slot: ModelSlot, _ kind: CollectionKind) throws(ModelError) {
    if slot.collection != .single {
      guard kind == slot.collection || kind == .single else { throw ModelError("another kind of collection") }
      node = .initial(slot)
      return
    }
    guard slot.type == .mixed else { throw ModelError("no collection to clear") }
    switch kind {
    case .list: node = .list([])
    case .dictionary: node = .dictionary([:])
    case .single, .set: throw ModelError("a mixed cannot become a set")
    }
  }

  private func newElement(_ payload: Payload, _ slot: ModelSlot) throws(ModelError) -> ModelNode {
    switch payload {
    case .value, .globalKey: return .scalar(try scalar(payload, slot))
    case .object:
      guard slot.type == .link, try table(slot.linkTarget ?? "").kind == .embedded else {
        throw ModelError("no place for an embedded object")
      }
      return .object([:])
    case .list, .dictionary:
      guard slot.type == .mixed else { throw ModelError("no place for a collection") }
      return payload == .list ? .list([]) : .dictionary([:])
    case .set, .erased: throw ModelError("no value: \(payload)")
    }
  }

  private func scalar(_ payload: Payload, _ slot: ModelSlot) throws(ModelError) -> Value {
    guard case .value(let value) = payload else { throw ModelError("no scalar: \(payload)") }
    if value == .null {
      guard slot.isNullable || slot.type == .mixed else {
        throw ModelError("null where there is always a value")
      }
      return value
    }
    guard slot.type == .mixed || value.type == slot.type else {
      throw ModelError("value of another type: \(value)")
    }
    if case .link(let link) = value {
      guard try table(link.className).kind != .embedded,
        slot.linkTarget == nil || slot.linkTarget == link.className
      else { throw ModelError("link to \(link.className)") }
    }
    return value
  }
}

extension Value {
  /// Returns whether a set treats two values as the same element: numbers are the same if they compare as equal.
  func isSameElement(as other: Value) -> Bool {
    if self == other { return true }
    guard let number = exactNumber, let otherNumber = other.exactNumber else { return false }
    return number == otherNumber
  }

  /// The number of an int, float or double, which suffices for the vectors.
  private var exactNumber: Double? {
    switch self {
    case .int(let value): Double(exactly: value)
    case .float(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }
}
