// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// What an index knows of the ways that start at one slot, so that a value asks only where there is an answer.
struct SlotAccess {
  /// Ranges over values of one kind.
  ///
  /// A range with two bounds is filed by blocks of keys: the blocks of a level have the same size, 2^level, and a range
  /// belongs to the level whose blocks are as large as it, or half as large. It touches three of them at most, and in
  /// each of them only one of its bounds matters: values of its first block need to be above the lower bound, values
  /// of its last one below the upper, and a block in between lies in it. So each block has two heaps, and a value
  /// looks at one block per level.
  struct Ranges {
    /// The place of the ranges with one bound; `Posting.none` if there is none.
    var open = Posting.none
    /// The levels at which there are ranges, and how many.
    var levels: UInt64 = 0
    var levelCounts: [UInt32] = []

    var isEmpty: Bool { open == Posting.none && levels == 0 }

    mutating func add(level: Int) {
      if levelCounts.isEmpty { levelCounts = Array(repeating: 0, count: 64) }
      levelCounts[level] += 1
      levels |= 1 << UInt64(level)
    }

    mutating func remove(level: Int) {
      levelCounts[level] -= 1
      if levelCounts[level] == 0 { levels &= ~(1 << UInt64(level)) }
    }
  }

  /// The longest beginning of a text that is told apart.
  static let maximumPrefixLength = 64

  let slot: Slot
  /// How many members of buckets there are for whole values.
  private(set) var pointCount = 0
  /// The lengths in bytes of the beginnings of texts that have buckets, and how many members each length has.
  private(set) var prefixes: [(length: Int, count: Int)] = []
  private var ranges: [Ranges] = []
  private(set) var hasRanges = false

  init(_ slot: Slot) {
    self.slot = slot
  }

  var isInteger: Bool { slot.type == .int }
  var isUsed: Bool { pointCount > 0 || !prefixes.isEmpty || hasRanges }

  /// Nil if there has never been one.
  @inline(__always)
  func ranges(_ kind: OrderKey.Kind) -> Ranges? { ranges.isEmpty ? nil : ranges[Int(kind.rawValue)] }

  /// Counts members of buckets.
  ///
  /// - Parameter prefixLength: 0 for whole values.
  mutating func changeCount(prefixLength: Int, by step: Int) {
    guard prefixLength > 0 else {
      pointCount += step
      return
    }
    guard let index = prefixes.firstIndex(where: { $0.length >= prefixLength }),
      prefixes[index].length == prefixLength
    else {
      let index = prefixes.firstIndex { $0.length > prefixLength } ?? prefixes.count
      return prefixes.insert((prefixLength, step), at: index)
    }
    prefixes[index].count += step
    if prefixes[index].count == 0 { prefixes.remove(at: index) }
  }

  mutating func changeRanges(_ kind: OrderKey.Kind, _ change: (inout Ranges) -> Void) {
    if ranges.isEmpty { ranges = Array(repeating: Ranges(), count: OrderKey.Kind.allCases.count) }
    change(&ranges[Int(kind.rawValue)])
    hasRanges = ranges.contains { !$0.isEmpty }
  }
}
