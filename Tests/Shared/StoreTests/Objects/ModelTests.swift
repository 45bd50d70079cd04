// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncStore
@testable import FlexSyncVectors

/// The store against a model of the rules in memory.
@Suite struct ModelTests {
  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func randomInstructionsLeadToTheStateOfTheModel(seed: UInt64) throws {
    let store = try ObjectStore.inMemory()
    let (encoded, singly) = (try ObjectStore.inMemory(), try ObjectStore.inMemory())
    var model = ObjectModel()
    let declarations = ObjectStore.declarations(of: taskSchema)
    try store.database.write { try store.apply(declarations) }
    for other in [encoded, singly] {
      try other.database.write { try other.apply(encoded: ChangesetCodec.encode(declarations)) }
    }
    try model.apply(declarations)
    var random = RandomTaskInstructions(seed: seed)
    for _ in 0..<10 {
      var changeset: [Instruction] = []
      try singly.database.beginWrite()
      try store.database.write {
        for _ in 0..<40 {
          let instruction = random.next { (try? store.list($0, $1).count) ?? 0 }
          let accepted = (try? model.apply(instruction)) != nil
          do {
            try store.apply(instruction)
            #expect(accepted, "seed \(seed): accepted \(instruction)")
            changeset.append(instruction)
            try singly.apply(encoded: ChangesetCodec.encode([instruction]))
          } catch {
            #expect(!accepted, "seed \(seed): \(error)")
            #expect(throws: ApplyError.self) {
              try singly.apply(encoded: ChangesetCodec.encode([instruction]))
            }
          }
        }
      }
      try singly.database.commit()
      let difference = try store.database.read { try store.state().difference(from: model.state) }
      #expect(difference == nil, "seed \(seed)")
      try encoded.database.write { try encoded.apply(encoded: ChangesetCodec.encode(changeset)) }
    }
    for other in [encoded, singly] {
      #expect(try other.state().difference(from: store.state()) == nil, "seed \(seed)")
    }
    try fullStatesMakeTheSameStore(store, seed)
    try expectWrittenStatesAreFullStates(store, seed)
  }

  private func fullStatesMakeTheSameStore(_ store: ObjectStore, _ seed: UInt64) throws {
    let copy = try taskStore()
    for (_, table) in try store.tables {
      for row in try store.rows(table) { try copy.apply(try store.fullState(of: row, in: table)) }
    }
    #expect(try copy.state().difference(from: store.state()) == nil, "seed \(seed)")
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func localDeletionsDoWhatTheySay(seed: UInt64) throws {
    let store = try taskStore()
    let copy = try taskStore()
    var random = RandomTaskInstructions(seed: seed)
    for _ in 0..<100 {
      let instruction = random.next { (try? store.list($0, $1).count) ?? 0 }
      if (try? store.apply(instruction)) != nil { try copy.apply(instruction) }
    }
    for key in 0..<6 as Range<Int64> { try copy.apply(try store.localErase(task(key))) }
    #expect(try copy.state().difference(from: store.state()) == nil, "seed \(seed)")
    for key in 0..<6 as Range<Int64> { #expect(try store.row(of: task(key)) == nil) }
  }
}

/// Instructions on the classes of `taskSchema`, of which most can be applied.
struct RandomTaskInstructions {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// - Parameter size: gives the size of a list, for prior sizes.
  mutating func next(size: (ObjectReference, String) -> Int) -> Instruction {
    let target = object()
    switch below(14) {
    case 0...2: return .createObject(target)
    case 3: return .eraseObject(target)
    case 4...6: return update(target)
    case 7:
      return .addInteger(target.at("progress"), delta: Int64.random(in: .min ... .max, using: &generator))
    case 8: return change(set: target)
    case 9: return change(dictionary: target)
    default:
      return change(list: target.table == "Task" ? (below(2) == 0 ? "tags" : "times") : "tasks", target, size)
    }
  }

  private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

  private mutating func object() -> ObjectReference {
    if below(3) > 0 { return task(Int64(below(6))) }
    return below(5) == 0 ? ObjectReference(table: "Person", key: .null) : person("p\(below(3))")
  }

  private mutating func update(_ target: ObjectReference) -> Instruction {
    let task = [
      ("title", Value.string("t\(below(100))")), ("progress", .int(Int64(below(100)))), ("due", time()),
    ]
    let person = [
      ("current", below(4) == 0 ? .null : link(Int64(below(6)))),
      ("friend", .link(Link(className: "Person", key: below(2) == 0 ? .null : .string("p\(below(3))")))),
    ]
    let (field, value) = (target.table == "Task") != (below(20) == 0) ? task[below(3)] : person[below(2)]
    return .update(target.at(field), .value(below(20) == 0 ? .null : value), .isDefault(false))
  }

  private mutating func time() -> Value { .timestamp(Timestamp(milliseconds: Int64(below(10_000)) - 5000)) }

  private mutating func change(set target: ObjectReference) -> Instruction {
    let (field, value) = pick(
      target,
      [("labels", .string("\(below(4))")), ("moments", time()), ("counts", .int(1))],
      [("watched", link(Int64(below(6))))]
    )
    let payload = Payload.value(below(10) == 0 ? .null : value)
    switch below(10) {
    case 0...5: return .setInsert(target.at(field), payload)
    case 6...8: return .setErase(target.at(field), payload)
    default: return .clear(target.at(field), below(3) == 0 ? .single : .set)
    }
  }

  private mutating func change(dictionary target: ObjectReference) -> Instruction {
    let (field, value) = pick(
      target,
      [("counts", .int(Int64(below(9)))), ("log", time()), ("labels", .string("x"))],
      [("roles", link(Int64(below(6))))]
    )
    let path = target.at(field, key: ["", "a", "b.c", "é", "$d"][below(5)])
    switch below(10) {
    case 0...5: return .update(path, .value(value), .isDefault(false))
    case 6: return .update(path, .value(.null), .isDefault(false))
    case 7: return .update(path, .erased, .isDefault(false))
    case 8: return .addInteger(path, delta: 1)
    default: return .clear(target.at(field), below(3) == 0 ? .list : .dictionary)
    }
  }

  private mutating func pick(
    _ target: ObjectReference,
    _ task: [(String, Value)],
    _ person: [(String, Value)]
  ) -> (String, Value) {
    let choices = target.table == "Task" ? task : person
    return choices[below(choices.count)]
  }

  private mutating func change(
    list field: String,
    _ target: ObjectReference,
    _ size: (ObjectReference, String) -> Int
  ) -> Instruction {
    let count = size(target, field) + (below(20) == 0 ? 1 : 0)
    let prior = UInt32(count)
    let index = UInt32(below(count + 1))
    let value: Value =
      field == "tags" ? .string("\(below(100))") : field == "times" ? time() : link(Int64(below(6)))
    switch below(10) {
    case 0...5: return .arrayInsert(target.at(field, index), .value(value), priorSize: prior)
    case 6: return .arrayErase(target.at(field, index), priorSize: prior)
    case 7: return .arrayMove(target.at(field, index), to: UInt32(below(count + 1)), priorSize: prior)
    case 8: return .update(target.at(field, index), .value(value), .priorSize(prior))
    default: return below(4) == 0 ? .clear(target.at(field), .list) : .createObject(target)
    }
  }
}
