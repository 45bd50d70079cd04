// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

/// Random writes to a synced realm: whoever applies its changesets has the same objects.
@Suite struct RandomChangesetTests {
  @Test(arguments: 0..<4)
  func changesetsMakeTheSameObjectsElsewhere(_ round: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    let account = try TestAccount()
    let realm = try account.open(memory: "random-\(seed)")
    try realm.updateSubscriptions {
      try $0.add(realm.objects("Task"))
      try $0.add(realm.objects("Person"))
    }
    for _ in 0..<40 {
      try realm.beginWrite()
      for _ in 0..<Int.random(in: 0...8, using: &generator) { try change(realm, &generator) }
      if Int.random(in: 0..<6, using: &generator) == 0 { try realm.cancel() } else { try realm.commit() }
    }
    try expectChangesetsMakeTheSameObjects(realm, seed)
  }

  private func change(_ realm: TestRealm, _ generator: inout SeededGenerator) throws {
    let key = Cell.int(Int64.random(in: 0..<8, using: &generator))
    let task = try realm.find("Task", key) ?? realm.create("Task", key)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: try task.delete()
    case 1: try task.set("progress", .int(Int64.random(in: 0..<100, using: &generator)))
    case 2: try task.set("note", Bool.random(using: &generator) ? .null : .string("ü"))
    case 3: try task.set("due", .timestamp(Int64.random(in: -9...9, using: &generator), 0))
    case 4: try task.add(Int64.random(in: -9...9, using: &generator), to: "progress")
    case 5: try task.set("owner", try person(realm, &generator).link)
    case 6: try change(task.list("tags"), .string("\(Int.random(in: 0..<9, using: &generator))"), &generator)
    case 7, 8: try change(person(realm, &generator).list("tasks"), task.link, &generator)
    default: try person(realm, &generator).delete()
    }
  }

  private func person(_ realm: TestRealm, _ generator: inout SeededGenerator) throws -> TestObject {
    let key = Cell.string(["Ann", "Bob"][Int.random(in: 0..<2, using: &generator)])
    return try realm.find("Person", key) ?? realm.create("Person", key, ["age": .int(35)])
  }

  private func change(_ list: TestList, _ value: Cell, _ generator: inout SeededGenerator) throws {
    let count = try list.count
    let index = Int.random(in: 0...count, using: &generator)
    let operation = Int.random(in: 0..<6, using: &generator)
    guard operation > 2, index < count else { return try list.insert(value, at: index) }
    switch operation {
    case 3: try list.set(index, value)
    case 4: try list.move(index, Int.random(in: 0..<count, using: &generator))
    default: if count > 6 { try list.clear() } else { try list.erase(index) }
    }
  }
}

/// Applies the changesets of a synced realm to an empty store, which then has to have the same objects.
func expectChangesetsMakeTheSameObjects(_ realm: TestRealm, _ seed: UInt64) throws {
  let file = (Handle.object(realm.handle) as Realm).file
  let copy = try ObjectStore.inMemory()
  for entry in try file.uploads(after: 0, byteLimit: .max).entries {
    try copy.database.write { try copy.apply(ChangesetCodec.decode(entry.changeset).instructions) }
  }
  let expected = try state(of: file.objects)
  #expect(!expected.isEmpty)
  #expect(try state(of: copy) == expected, "seed \(seed)")
}

/// What it takes to make each object, by class and key.
private func state(of store: ObjectStore) throws -> [ObjectReference: [Instruction]] {
  var state: [ObjectReference: [Instruction]] = [:]
  for table in try store.tables.values {
    for row in try store.rows(table) {
      let instructions = try store.fullState(of: row, in: table)
      if let object = instructions.first?.object { state[object] = instructions }
    }
  }
  return state
}
