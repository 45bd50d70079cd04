// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncTestSupport
import FlexSyncVectors
import Testing

/// Laws of merging that peers rely on when they merge piece by piece what they get piece by piece.
@Suite("Algebra of merging")
struct MergeAlgebraTests {
  private static let seeds = 0..<UInt64(Trials.count(60))

  private typealias Sides = (left: [Changeset], right: [Changeset])

  @Test("merging piece by piece is merging at once", arguments: seeds)
  func pieces(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let sides = try Self.histories(using: &generator)
    let whole = try Self.merged(sides)
    let leftCut = Int.random(in: 0...sides.left.count, using: &generator)
    let rightCut = Int.random(in: 0...sides.right.count, using: &generator)
    let leftInTwo = try Self.mergedInTwo(sides, leftCut: leftCut)
    #expect(leftInTwo.left == whole.left && leftInTwo.right == whole.right, "seed \(seed)")
    let mirrored = try Self.mergedInTwo((sides.right, sides.left), leftCut: rightCut)
    #expect(mirrored.right == whole.left && mirrored.left == whole.right, "seed \(seed)")
  }

  @Test("empty changesets change nothing", arguments: seeds)
  func neutral(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let sides = try Self.histories(using: &generator)
    let whole = try Self.merged(sides)
    func padded(_ changesets: [Changeset]) -> [Changeset] {
      changesets.flatMap { [Changeset(stamp: $0.stamp, instructions: []), $0] }
    }
    let found = try Self.merged((padded(sides.left), padded(sides.right)))
    #expect(found.left == padded(whole.left) && found.right == padded(whole.right), "seed \(seed)")
    let nothing = try Self.merged((sides.left, []))
    #expect(nothing.left == sides.left && nothing.right.isEmpty)
  }

  @Test("what is done to one object does not depend on what is done to others", arguments: seeds)
  func independence(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let sides = try Self.histories(using: &generator)
    let whole = try Self.merged(sides)
    for key in 1...3 as ClosedRange<Int64> {
      let object = ObjectReference(table: "Item", key: .int(key))
      func part(_ changesets: [Changeset]) -> [Changeset] {
        changesets.map {
          Changeset(stamp: $0.stamp, instructions: $0.instructions.filter { $0.object == object })
        }
      }
      let alone = try Self.merged((part(sides.left), part(sides.right)))
      #expect(alone.left == part(whole.left) && alone.right == part(whole.right), "seed \(seed)")
    }
  }

  @Test("changesets keep their place and their stamp", arguments: seeds)
  func stamps(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let sides = try Self.histories(using: &generator)
    let merged = try Self.merged(sides)
    #expect(merged.left.map(\.stamp) == sides.left.map(\.stamp))
    #expect(merged.right.map(\.stamp) == sides.right.map(\.stamp))
  }

  private static func merged(_ sides: Sides) throws -> Sides {
    var (left, right) = sides
    try Merge.transform(local: &left, incoming: &right)
    return (left, right)
  }

  /// The left side's first changesets are merged with the right side, then its others with what that became.
  private static func mergedInTwo(_ sides: Sides, leftCut: Int) throws -> Sides {
    let first = try merged((Array(sides.left[..<leftCut]), sides.right))
    let second = try merged((Array(sides.left[leftCut...]), first.right))
    return (first.left + second.left, second.right)
  }

  /// Two histories from one state, their stamps mixed.
  private static func histories(using generator: inout SeededGenerator) throws -> Sides {
    (try history(file: 2, using: &generator), try history(file: 3, using: &generator))
  }

  private static func history(file: UInt64, using generator: inout SeededGenerator) throws -> [Changeset] {
    var model = try SmallState.model()
    var time: UInt64 = 0
    return try (0..<12).map { _ in
      var edit = RandomEdit(model: model, generator: generator)
      let instructions = edit.transaction()
      generator = edit.generator
      try model.apply(instructions)
      time += UInt64.random(in: 0...3, using: &generator)
      return Changeset(stamp: OriginStamp(timestamp: time, fileIdent: file), instructions: instructions)
    }
  }
}
