// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport

@testable import FlexSyncVectors

/// Random transactions that an app could make in a state. Lists are changed most.
struct RandomEdit {
  let model: ObjectModel
  private(set) var generator: SeededGenerator

  init(model: ObjectModel, generator: SeededGenerator) {
    self.model = model
    self.generator = generator
  }

  private static let keys: [Int64] = [1, 2, 3]
  private static let fields = [
    "n", "s", "any", "any", "mixedList", "mixedList", "list", "list", "list", "set", "mixedSet", "entries",
    "part", "parts", "parts", "partEntries", "link",
  ]

  /// One to three changes, as FlexSync records them.
  mutating func transaction() -> [Instruction] {
    let key = PrimaryKey.int(pick(Self.keys))
    let object = ObjectReference(table: "Item", key: key)
    guard model.tables["Item"]?.objects[key] != nil else { return [.createObject(object)] }
    switch below(60) {
    case 0: return [.eraseObject(object)]
    case 1: return [.createObject(object)]
    case 2: return [.eraseObject(ObjectReference(table: "Other", key: .int(1)))]
    case 3, 4: return [.createObject(ObjectReference(table: "Other", key: .int(1)))]
    case 5:
      let column = SmallState.column("Item", "new\(below(3))", .int)
      return [SmallState.schema[0], column]
    default: break
    }
    var next = self
    var instructions: [Instruction] = []
    for _ in 0...below(3) {
      let written = next.edit(object).asWritten
      var model = next.model
      guard (try? model.apply(written)) != nil else { break }
      instructions += written
      next = RandomEdit(model: model, generator: next.generator)
    }
    generator = next.generator
    return instructions
  }

  private mutating func edit(_ object: ObjectReference) -> Instruction {
    let field = pick(Self.fields)
    guard let table = model.tables[object.table], let column = table.columns[field],
      let node = table.objects[object.key]?[column.id]
    else { return .createObject(object) }
    return property(node, ModelSlot(column.schema), PropertyPath(object: object, field: field))
  }

  private mutating func property(_ node: ModelNode, _ slot: ModelSlot, _ path: PropertyPath) -> Instruction {
    guard slot.collection == .single else { return inside(node, slot, path) }
    if case .scalar = node {} else if below(8) > 0 { return inside(node, slot, path) }
    if slot.type == .int, below(3) == 0 { return .addInteger(path, delta: Int64(below(5))) }
    return .update(path, payload(slot), .isDefault(below(10) == 0))
  }

  /// A change of what is in a collection or an embedded object.
  private mutating func inside(_ node: ModelNode, _ slot: ModelSlot, _ path: PropertyPath) -> Instruction {
    switch node {
    case .list(let elements): return list(elements, slot.element, path)
    case .dictionary(let entries): return dictionary(entries, slot.element, path)
    case .set:
      if below(30) == 0 { return .clear(path, .set) }
      let element =
        slot.type == .mixed ? pick([.int(1), .double(1), .string("x")]) : Value.int(Int64(below(4)))
      return below(2) == 0 ? .setErase(path, .value(element)) : .setInsert(path, .value(element))
    case .object(let fields):
      let columns = (model.tables[slot.linkTarget ?? ""]?.columns ?? [:]).sorted { $0.key < $1.key }
      let (name, column) = columns[below(columns.count)]
      let inner = ModelSlot(column.schema)
      return property(fields[column.id] ?? .initial(inner), inner, path.appending(.name(name)))
    case .scalar: return .update(path, payload(slot), .isDefault(false))
    }
  }

  private mutating func list(_ elements: [ModelNode], _ slot: ModelSlot, _ path: PropertyPath) -> Instruction
  {
    let size = UInt32(elements.count)
    let kind = below(100)
    if kind == 0 { return .clear(path, .list) }
    if size == 0 || kind < 40 && size < 10 {
      return .arrayInsert(
        path.appending(.index(UInt32(below(Int(size) + 1)))),
        payload(slot),
        priorSize: size
      )
    }
    let index = UInt32(below(Int(size)))
    let place = path.appending(.index(index))
    if case .scalar = elements[Int(index)] {
    } else if kind > 70 {
      return inside(elements[Int(index)], slot, place)
    }
    if kind < 60 { return .arrayErase(place, priorSize: size) }
    if kind < 80, size > 1 {
      return .arrayMove(place, to: (index + 1 + UInt32(below(Int(size) - 1))) % size, priorSize: size)
    }
    return .update(place, payload(slot), .priorSize(size))
  }

  private mutating func dictionary(_ entries: [[UInt8]: ModelNode], _ slot: ModelSlot, _ path: PropertyPath)
    -> Instruction
  {
    if below(50) == 0 { return .clear(path, .dictionary) }
    let key = pick(["a", "b", "c"])
    let place = path.appending(.name(key))
    if let node = entries[Array(key.utf8)] {
      if case .scalar = node {} else if below(4) > 0 { return inside(node, slot, place) }
      if below(3) == 0 { return .update(place, .erased, .isDefault(false)) }
    }
    return .update(place, payload(slot), .isDefault(false))
  }

  private mutating func payload(_ slot: ModelSlot) -> Payload {
    switch slot.type {
    case .mixed:
      return pick([.value(.int(1)), .value(.string("x")), .value(.null), .list, .dictionary, .list])
    case .string: return .value(.string(pick(["x", "y"])))
    case .link where slot.linkTarget == "Part":
      return slot.isNullable && below(3) == 0 ? .value(.null) : .object
    case .link: return pick([.value(.null), .value(.link(Link(className: "Other", key: .int(1))))])
    default: return .value(.int(Int64(below(100))))
    }
  }

  private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
