// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The access paths that start at one slot, recorded so that a value is looked up only where there may be a result.
struct SlotAccess {
  /// Ranges over values of one kind.
  ///
  /// A range with two bounds is filed by blocks of keys. All blocks of a level have the same size, 2^level, and a
  /// range belongs to the level whose blocks are as large as the range or half as large. It touches at most three of
  /// them. In each block only one bound matters: values in the first block must be above the lower bound, values in
  /// the last block below the upper one, and a block in between lies entirely inside the range. So each block has two
  /// heaps, and a value examines one block per level.
  struct Ranges {
    /// The place of the ranges with only one bound; `Posting.none` if there is none.
    var open = Posting.none
    /// The levels that have ranges.
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

  /// The maximum length in bytes of a prefix that is hashed.
  static let maximumPrefixLength = 64

  let slot: Slot
  /// The number of bucket members for whole values.
  private(set) var pointCount = 0
  /// The prefix lengths in bytes that have buckets, with the number of bucket members for each length.
  private(set) var prefixes: [(length: Int, count: Int)] = []
  private var ranges: [Ranges] = []
  private(set) var hasRanges = false

  init(_ slot: Slot) {
    self.slot = slot
  }

  var isInteger: Bool { slot.type == .int }
  var isUsed: Bool { pointCount > 0 || !prefixes.isEmpty || hasRanges }

  /// Returns the ranges of a kind; nil if the slot has never had a range.
  @inline(__always)
  func ranges(_ kind: OrderKey.Kind) -> Ranges? { ranges.isEmpty ? nil : ranges[Int(kind.rawValue)] }

  /// Adjusts the number of bucket members.
  ///
  /// - Parameter prefixLength: The prefix length in bytes; 0 for whole values.
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
