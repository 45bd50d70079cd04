// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncStore
@testable import FlexSyncVectors

/// What the app writes is captured as a changeset that does the same elsewhere.
@Suite struct CaptureTests {
  /// Makes random local writes on a store. The copy gets nothing but the captured changesets.
  private func write(
    _ store: ObjectStore,
    to copy: ObjectStore,
    _ seed: UInt64,
    next: (ObjectStore) -> Instruction
  ) throws {
    let capture = ChangeCapture()
    store.capture = capture
    var count = 0
    for _ in 0..<10 {
      capture.reset()
      var expected: [Instruction] = []
      try store.database.write {
        for _ in 0..<40 { expected += (try? perform(next(store), store)) ?? [] }
      }
      let captured = try ChangesetCodec.decode(capture.bytes).instructions
      #expect(captured == expected, "seed \(seed)")
      count += captured.count
      #expect([UInt8](capture.bytes) == ChangesetCodec.encode(expected), "seed \(seed)")
      try copy.database.write { try copy.apply(captured) }
      let difference = try copy.state().difference(from: store.state())
      #expect(difference == nil, "seed \(seed)")
    }
    #expect(count > 100, "seed \(seed): most of the 400 writes were refused or changed nothing")
  }

  /// Makes a change as the app does, if it is possible and changes anything.
  ///
  /// - Returns: What is to be captured.
  private func perform(_ instruction: Instruction, _ store: ObjectStore) throws -> [Instruction] {
    switch instruction {
    case .createObject(let object):
      let (_, isNew) = try store.create(object.key, in: try store.requireTable(object.table))
      return isNew ? [instruction] : []
    case .update(let path, .value(let value), _) where path.path.isEmpty:
      let place = try store.resolve(path)
      guard let cell = value.cellWithoutBytes, place.column.isSingle, !place.column.isEmbedded,
        !place.column.table.isEmbedded, place.column.storage.type != .mixed
      else { return try write(instruction, store) }
      try store.checkSettable(value, place.column)
      try store.set(plain: cell, row: place.row, place.column) { path.object.key }
      return [instruction]
    default: return try write(instruction, store)
    }
  }

  private func write(_ instruction: Instruction, _ store: ObjectStore) throws -> [Instruction] {
    guard let (path, edit) = instruction.edit else { return [] }
    return try store.write(edit, at: try store.resolve(path)) ? [instruction] : []
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func writesToObjectsListsSetsAndDictionaries(seed: UInt64) throws {
    var random = RandomTaskInstructions(seed: seed)
    try write(try taskStore(), to: try taskStore(), seed) { store in
      random.next { (try? store.list($0, $1).count) ?? 0 }
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func writesToEmbeddedObjects(seed: UInt64) throws {
    var random = RandomContactInstructions(seed: seed)
    try write(try contactStore(), to: try contactStore(), seed) { random.next($0) }
  }

  @Test func aRefusedWriteIsNotCaptured() throws {
    let store = try taskStore()
    let capture = ChangeCapture()
    store.capture = capture
    try store.database.write {
      let (row, _) = try store.create(.int(1), in: try store.requireTable("Task"))
      let before = [UInt8](capture.bytes)
      let tags = Place(try store.column("Task", "tags"), row: row, [.index(0)])
      #expect(throws: ObjectError.self) { try store.write(.arrayErase(priorSize: 1), at: tags) }
      let labels = Place(try store.column("Task", "labels"), row: row)
      #expect(try !store.write(.setErase(.value(.string("absent"))), at: labels))
      #expect([UInt8](capture.bytes) == before)
    }
  }
}
