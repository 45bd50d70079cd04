// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncTestSupport
import Testing

@testable import FlexSyncCore

@Suite struct ElementsDiffTests {
  /// Takes the deletions out of the old list, puts the insertions in and replaces what is modified.
  private func apply(_ diff: CollectionDiff, to old: [Value], _ new: [Value]) -> [Value] {
    var list = old
    for index in diff.deletions.reversed() { list.remove(at: index) }
    for index in diff.insertions { list.insert(new[index], at: index) }
    for index in diff.modifications { list[index] = new[index] }
    return list
  }

  @Test(arguments: 1...500)
  func changesLeadFromTheOldListToTheNewOne(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let lists = (0..<2).map { _ in
      (0..<Int.random(in: 0...12, using: &random)).map { _ in Value.int(.random(in: 0...6, using: &random)) }
    }
    for isOrdered in [false, true] {
      let diff = CollectionDiff(old: lists[0], new: lists[1], isOrdered: isOrdered) { _ in false }
      #expect(apply(diff, to: lists[0], lists[1]) == lists[1], "seed \(seed), \(diff)")
      #expect(isOrdered || diff.modifications.isEmpty)
    }
  }

  @Test func anElementInThePlaceOfAnotherIsAModification() {
    let old: [Value] = [.int(1), .int(2), .int(3)]
    let diff = CollectionDiff(old: old, new: [.int(1), .int(9), .int(3), .int(4)], isOrdered: true) {
      $0 == .int(3)
    }
    #expect(diff.deletions.isEmpty && diff.insertions == [3] && diff.modifications == [1, 2])
  }
}
