// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import Testing

@testable import FlexSyncEngine

@Suite("What is told of writes to a property that could not be seen")
struct UnseenWritesTests {
  private let object = ObjectReference(table: "Task", key: .int(1))

  private func path(_ elements: PathElement...) -> PropertyPath {
    PropertyPath(object: object, field: "field", path: elements)
  }

  private func set(_ elements: PathElement..., to text: String) -> Instruction {
    .update(
      PropertyPath(object: object, field: "field", path: elements),
      .value(.string(text)),
      .isDefault(false)
    )
  }

  private func insert(_ text: String, at index: UInt32) -> Instruction {
    .arrayInsert(path(.index(index)), .value(.string(text)), priorSize: index)
  }

  private func isTold(_ writes: [Instruction], now contents: [Instruction]) -> Bool {
    var unseen = UnseenWrites(first: 1)
    for (index, instruction) in writes.enumerated() {
      unseen.note(instruction, isSeen: false, version: UInt64(index + 1))
    }
    unseen.compare(with: contents)
    return unseen.isTold
  }

  private var list: Instruction { .clear(path(), .list) }

  @Test("They are told as long as all that they wrote is there")
  func left() {
    #expect(isTold([set(to: "a")], now: [set(to: "a")]))
    #expect(isTold([insert("b", at: 1)], now: [list, insert("a", at: 0), insert("b", at: 1)]))
    #expect(isTold([.arrayErase(path(.index(0)), priorSize: 2)], now: [list, insert("b", at: 0)]))
    #expect(isTold([set(.name("k"), to: "a")], now: [.clear(path(), .dictionary), set(.name("k"), to: "a")]))
  }

  @Test("What was overwritten is not told, whatever else has the same value now")
  func overwritten() {
    #expect(!isTold([set(to: "a"), set(to: "b")], now: [set(to: "b")]))
    let dictionary: [Instruction] = [
      .clear(path(), .dictionary), set(.name("city"), to: "z"), set(.name("street"), to: "x"),
    ]
    #expect(!isTold([set(.name("city"), to: "x"), set(.name("city"), to: "z")], now: dictionary))
    #expect(!isTold([set(to: "a"), set(to: "a")], now: [set(to: "a")]))
    let inserted = insert("a", at: 1)
    let erased = Instruction.arrayErase(path(.index(1)), priorSize: 2)
    #expect(!isTold([inserted, erased], now: [list, insert("a", at: 0)]))
    #expect(!isTold([set(.index(0), to: "a")], now: [list, insert("a", at: 0)]))
  }

  @Test("Once something was kept back, so is what comes after it")
  func keptBack() {
    var unseen = UnseenWrites(first: 1)
    unseen.note(set(to: "a"), isSeen: false, version: 1)
    unseen.compare(with: [set(to: "b")])
    #expect(!unseen.isTold)
    unseen.note(set(to: "a"), isSeen: true, version: 2)
    unseen.compare(with: [set(to: "a")])
    #expect(!unseen.isTold && unseen.replaces(2) && !unseen.replaces(0))
  }

  @Test("Increments are told as their sum")
  func increments() {
    var unseen = UnseenWrites(first: 1)
    for delta in [3, 4, -5] as [Int64] {
      unseen.note(.addInteger(path(), delta: delta), isSeen: delta < 0, version: 1)
    }
    unseen.compare(with: [set(to: "7")])
    #expect(!unseen.isTold && unseen.sum == 2)
    unseen.note(set(to: "a"), isSeen: true, version: 2)
    #expect(unseen.sum == nil)
  }
}
