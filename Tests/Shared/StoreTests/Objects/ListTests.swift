// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncStore

@Suite struct ListTests {
  let store: ObjectStore
  let row: Int64
  let column: Column

  init() throws {
    store = try taskStore()
    row = try store.create(.int(1), in: try #require(try store.table(named: "Task"))).row
    column = try store.column("Task", "tags")
  }

  @Test func insertionsAtOnePlaceNeverRunOutOfRoom() throws {
    var expected: [Value] = [.string("first"), .string("last")]
    for (index, value) in expected.enumerated() { try store.listInsert(value, at: index, row: row, column) }
    for number in 0..<200 {
      let value = Value.string("\(number)")
      let index = number % 2 == 0 ? 1 : expected.count - 1
      try store.listInsert(value, at: index, row: row, column)
      expected.insert(value, at: index)
    }
    #expect(try store.listValues(row: row, column) == expected)
  }

  @Test func insertionsAtOnePlaceLeaveDistantElementsWhereTheyAre() throws {
    for index in 0..<1000 { try store.listInsert(.string("\(index)"), at: index, row: row, column) }
    var expected = try store.listValues(row: row, column)
    let ends = try [0, 999].map { try store.element(at: $0, row: row, column).ordinal }
    for number in 0..<300 {
      let value = Value.string("new \(number)")
      try store.listInsert(value, at: 500, row: row, column)
      expected.insert(value, at: 500)
    }
    #expect(try store.listValues(row: row, column) == expected)
    #expect(try [0, 1299].map { try store.element(at: $0, row: row, column).ordinal } == ends)
  }

  @Test func movesAndInsertionsAgreeWithAnArray() throws {
    var random = SeededGenerator(seed: 7)
    var expected: [Value] = []
    for number in 0..<500 {
      let value = Value.string("\(number)")
      if expected.count < 2 || number % 3 == 0 {
        let index = Int.random(in: 0...expected.count, using: &random)
        try store.listInsert(value, at: index, row: row, column)
        expected.insert(value, at: index)
      } else {
        let (from, to) = (
          Int.random(in: 0..<expected.count, using: &random),
          Int.random(in: 0..<expected.count, using: &random)
        )
        try store.listMove(from: from, to: to, row: row, column)
        expected.insert(expected.remove(at: from), at: to)
      }
    }
    #expect(try store.listValues(row: row, column) == expected)
    #expect(try store.listValues(from: 10, limit: 3, row: row, column) == Array(expected[10..<13]))
  }

  @Test func ordinalsAtTheLimitOfIntegersAreSpreadAgain() throws {
    for index in 0..<3 { try store.listInsert(.string("\(index)"), at: index, row: row, column) }
    try store.flush()
    try store.database.execute(
      """
      UPDATE "Task.tags" SET ordinal = 9223372036854775807 WHERE value = '2';
      UPDATE "Task.tags" SET ordinal = -9223372036854775807 WHERE value = '0'
      """
    )
    store.listTail = nil
    try store.listInsert(.string("end"), at: 3, row: row, column)
    try store.listInsert(.string("start"), at: 0, row: row, column)
    #expect(try store.listValues(row: row, column) == ["start", "0", "1", "2", "end"].map { .string($0) })
  }

  @Test func indexesBeyondTheEndAreErrors() throws {
    let outside = ObjectError(.indexOutOfRange(index: 1, size: 0))
    #expect(throws: outside) { try store.listInsert(.string(""), at: 1, row: row, column) }
    #expect(throws: outside) { try store.listErase(at: 1, row: row, column) }
    #expect(throws: outside) { try store.listValue(at: 1, row: row, column) }
    #expect(throws: outside) { try store.listMove(from: 1, to: 0, row: row, column) }
    #expect(throws: ObjectError(.indexOutOfRange(index: -1, size: 0))) {
      try store.listSet(.string(""), at: -1, row: row, column)
    }
  }

  @Test func aListWithoutItsObjectCannotBeChanged() throws {
    try store.erase(row: row, in: column.table)
    #expect(throws: ObjectError(.missingObject)) {
      try store.listInsert(.string(""), at: 0, row: row, column)
    }
  }

  @Test func nullFitsOnlyListsThatAllowIt() throws {
    #expect(throws: ObjectError(.notNullable)) { try store.listInsert(.null, at: 0, row: row, column) }
    let times = try store.column("Task", "times")
    try store.listInsert(.null, at: 0, row: row, times)
    #expect(try store.listValues(row: row, times) == [.null])
  }
}
