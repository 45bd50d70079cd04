// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

@Suite struct CollectionDiffTests {
  /// Applies a diff the way a list on a screen does.
  private func apply(_ diff: CollectionDiff, to old: [Int64], new: [Int64]) -> [Int64] {
    var rows = old
    for index in diff.deletions.reversed() { rows.remove(at: index) }
    for index in diff.insertions { rows.insert(new[index], at: index) }
    return rows
  }

  @Test func equalListsDoNotDiffer() {
    #expect(CollectionDiff(old: [], new: [], isTouched: nil).isEmpty)
    #expect(CollectionDiff(old: [3, 1, 2], new: [3, 1, 2], isTouched: nil).isEmpty)
  }

  @Test func onlyRowsThatStayAreModified() {
    let diff = CollectionDiff(old: [1, 2, 3], new: [2, 3, 4]) { $0 != 2 }
    #expect(diff.deletions == [0])
    #expect(diff.insertions == [2])
    #expect(diff.modifications == [1])
  }

  @Test func oneMovedRowIsTheOnlyOneToMove() {
    let diff = CollectionDiff(old: [1, 2, 3, 4, 5], new: [2, 3, 4, 1, 5], isTouched: nil)
    #expect(diff.deletions == [0])
    #expect(diff.insertions == [3])
  }

  @Test func randomDiffsLeadFromOldToNew() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let old = (0..<Int64.random(in: 0...12, using: &generator)).shuffled(using: &generator)
      var new = old.filter { _ in Int.random(in: 0..<4, using: &generator) > 0 }
      for row in 20..<Int64.random(in: 20...24, using: &generator) {
        new.insert(row, at: Int.random(in: 0...new.count, using: &generator))
      }
      if Bool.random(using: &generator) { new.shuffle(using: &generator) }
      let touched = Set((0..<30).filter { _ in Bool.random(using: &generator) }.map(Int64.init))
      let diff = CollectionDiff(old: old, new: new) { touched.contains($0) }
      #expect(apply(diff, to: old, new: new) == new, "seed \(seed): \(old) → \(new)")
      let stayed = new.indices.filter { !diff.insertions.contains($0) }
      #expect(
        diff.modifications == stayed.filter { touched.contains(new[$0]) },
        "seed \(seed): \(old) → \(new)"
      )
    }
  }
}
