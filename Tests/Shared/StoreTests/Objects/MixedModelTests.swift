// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncStore
@testable import FlexSyncVectors

/// Instructions inside of mixed values, against a model of the rules in memory.
@Suite struct MixedModelTests {
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func randomInstructionsLeadToTheStateOfTheModel(seed: UInt64) throws {
    let store = try ObjectStore.inMemory()
    var model = ObjectModel()
    let declarations = ObjectStore.declarations(of: taskSchema) + ObjectStore.declarations(of: noteSchema)
    try store.database.write { try store.apply(declarations) }
    try model.apply(declarations)
    var random = RandomNoteInstructions(seed: seed)
    var acceptedCount = 0
    for round in 0..<10 {
      try store.database.write {
        for _ in 0..<60 {
          let instruction = random.next { try? store.note($0, $1) }
          let accepted = (try? model.apply(instruction)) != nil
          if accepted { acceptedCount += 1 }
          do {
            // Reading between the instructions must not matter.
            try round % 2 == 0 ? store.apply([instruction]) : store.apply(instruction)
            #expect(accepted, "seed \(seed): accepted \(instruction)")
          } catch {
            #expect(!accepted, "seed \(seed): \(error)")
          }
        }
      }
      let difference = try store.database.read { try store.state().difference(from: model.state) }
      #expect(difference == nil, "seed \(seed)")
    }
    #expect(acceptedCount > 300)
    try fullStatesMakeTheSameStore(store, seed)
  }

  private func fullStatesMakeTheSameStore(_ store: ObjectStore, _ seed: UInt64) throws {
    let copy = try noteStore()
    for (_, table) in try store.tables {
      for row in try store.rows(table) {
        let instructions = try store.fullState(of: row, in: table)
        // Over the wire and back.
        try copy.apply(encoded: ChangesetCodec.encode(instructions))
      }
    }
    try expectWrittenStatesAreFullStates(store, seed)
    #expect(try copy.state().difference(from: store.state()) == nil, "seed \(seed)")
  }

  @Test func aRefusedInstructionInsideOfAMixedChangesNothing() throws {
    let store = try noteStore()
    let any = note(1).at("any")
    try store.apply(
      [.createObject(note(1))] + Instruction.placing(.list([.int(1), .list([])]), at: any, replacing: true)
    )
    let refused: [Instruction] = [
      .arrayInsert(any.appending(.index(0)), .value(.int(1)), priorSize: 1),
      .arrayInsert(any.appending(.index(3)), .value(.int(1)), priorSize: 2),
      .arrayInsert(any.appending(.index(0)), .erased, priorSize: 2),
      .arrayInsert(any.appending(.index(0)), .set, priorSize: 2),
      .arrayErase(any.appending(.index(2)), priorSize: 2), .addInteger(any, delta: 1),
      .addInteger(any.appending(.index(0)), delta: 1), .clear(any, .set), .clear(any, .single),
      .arrayMove(any.appending(.index(0)), to: 0, priorSize: 2),
      .arrayMove(any.appending(.index(0)), to: 2, priorSize: 2),
      .update(any.appending(.name("a")), .value(.int(1)), .isDefault(false)),
      .update(any.appending(.index(0)).appending(.index(0)), .value(.int(1)), .priorSize(1)),
      .setInsert(any, .value(.int(1))),
      .update(any.appending(.index(0)), .value(.link(Link(className: "No", key: .int(1)))), .priorSize(2)),
    ]
    for instruction in refused {
      #expect(throws: ApplyError.self, "\(instruction)") { try store.apply(instruction) }
      #expect(try store.read(note(1), "any") == .list([.int(1), .list([])]))
    }
  }

  @Test func collectionsBeyondTheLimitOfLevelsAreRefused() throws {
    let store = try noteStore()
    try store.apply(.createObject(note(1)))
    var path = note(1).at("any")
    try store.apply(.update(path, .list, .isDefault(false)))
    for _ in 1..<MixedCoding.greatestDepth {
      path = path.appending(.index(0))
      try store.apply(.arrayInsert(path, .list, priorSize: 0))
    }
    #expect(throws: ApplyError.self) {
      try store.apply(.arrayInsert(path.appending(.index(0)), .dictionary, priorSize: 0))
    }
    try store.apply(.arrayInsert(path.appending(.index(0)), .value(.int(1)), priorSize: 0))
    let state = try store.fullState(of: store.existingRow(note(1)), in: store.column("Note", "any").table)
    #expect(state.count == MixedCoding.greatestDepth + 2)
  }

  @Test func aRollbackForgetsWhatWasChangedInsideOfAMixed() throws {
    let store = try noteStore()
    try store.apply(.createObject(note(1)))
    try store.database.commit()
    try store.database.beginWrite()
    try store.apply(.update(note(1).at("any"), .list, .isDefault(false)))
    try store.database.rollback()
    try store.database.beginWrite()
    #expect(try store.read(note(1), "any") == .null)
  }

  @Test func danglingLinksInsideOfAMixedReadAsNull() throws {
    let store = try noteStore()
    let value = Value.dictionary([DictionaryEntry("a", .list([link(1), link(2)]))])
    try store.apply(
      [.createObject(note(1)), .createObject(task(2))]
        + Instruction.placing(value, at: note(1).at("any"), replacing: false)
    )
    #expect(try store.read(note(1), "any") == .dictionary([DictionaryEntry("a", .list([.null, link(2)]))]))
    try store.apply(.createObject(task(1)))
    #expect(try store.read(note(1), "any") == value)
  }
}

extension ObjectStore {
  /// What a property of a note holds, a collection as the value that it would be in a mixed.
  func note(_ object: ObjectReference, _ property: String) throws -> Value {
    let (row, column) = (try existingRow(object), try column("Note", property))
    return switch column.schema.collection {
    case .single: try storedValue(row: row, column)
    case .list, .set: .list(try listValues(row: row, column))
    case .dictionary: .dictionary(try dictionaryEntries(row: row, column))
    }
  }
}

/// Instructions on the class of `noteSchema`, of which most can be applied.
struct RandomNoteInstructions {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// - Parameter value: gives what a property holds.
  mutating func next(value: (ObjectReference, String) -> Value?) -> Instruction {
    let object = note(Int64(below(3)))
    if below(15) == 0 { return .createObject(below(2) == 0 ? object : task(1)) }
    if below(60) == 0 { return .eraseObject(below(2) == 0 ? object : task(1)) }
    let field = ["any", "anything", "byName"][below(3)]
    guard let value = value(object, field) else { return .createObject(object) }
    return change(PropertyPath(object: object, field: field), value, isProperty: true, isAny: field == "any")
  }

  private mutating func change(_ path: PropertyPath, _ value: Value, isProperty: Bool, isAny: Bool)
    -> Instruction
  {
    if isAny, below(8) == 0 { return replace(path, isProperty: isProperty) }
    switch value {
    case .list(let elements):
      if !elements.isEmpty, below(2) == 0 {
        let index = below(elements.count)
        return change(
          path.appending(.index(UInt32(index))),
          elements[index],
          isProperty: false,
          isAny: true
        )
      }
      return changeList(path, elements, isAny: isAny)
    case .dictionary(let entries):
      if let entry = entries.randomElement(using: &generator), below(2) == 0 {
        return change(path.appending(.name(entry.key)), entry.value, isProperty: true, isAny: true)
      }
      return changeDictionary(path, isAny: isAny)
    default: return replace(path, isProperty: isProperty)
    }
  }

  private mutating func replace(_ path: PropertyPath, isProperty: Bool) -> Instruction {
    switch below(12) {
    case 0: .clear(path, [.list, .dictionary, .set][below(3)])
    case 1: .addInteger(path, delta: 7)
    default: .update(path, payload(), isProperty ? .isDefault(false) : .priorSize(0))
    }
  }

  private mutating func changeList(_ path: PropertyPath, _ elements: [Value], isAny: Bool) -> Instruction {
    let prior = UInt32(elements.count + (below(20) == 0 ? 1 : 0))
    let element = path.appending(.index(UInt32(below(elements.count + 1))))
    switch below(10) {
    case 0: return .arrayErase(element, priorSize: prior)
    case 1: return .arrayMove(element, to: UInt32(below(elements.count + 1)), priorSize: prior)
    case 2: return .clear(path, below(4) == 0 ? .dictionary : .list)
    case 3 where isAny: return .update(path, below(2) == 0 ? .list : .dictionary, .isDefault(false))
    default: return .arrayInsert(element, payload(), priorSize: prior)
    }
  }

  private mutating func changeDictionary(_ path: PropertyPath, isAny: Bool) -> Instruction {
    let entry = path.appending(.name(["", "a", "b", "é", "ab"][below(5)]))
    switch below(10) {
    case 0, 1: return .update(entry, .erased, .isDefault(false))
    case 2: return .clear(path, below(4) == 0 ? .list : .dictionary)
    case 3 where isAny: return .update(path, below(2) == 0 ? .list : .dictionary, .isDefault(false))
    default: return .update(entry, payload(), .isDefault(false))
    }
  }

  private mutating func payload() -> Payload {
    switch below(10) {
    case 0...2: .list
    case 3...5: .dictionary
    case 6 where below(5) == 0: .erased
    default: .value(scalars[below(scalars.count)])
    }
  }

  private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
}
