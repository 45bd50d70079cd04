// SPDX-License-Identifier: Apache-2.0

/// The elements of a list that recovered changes made, and their current indexes among new neighbours (protocol
/// §9.4.4). Only changes to these elements can be repeated one by one.
struct ListRecovery {
  private struct Element {
    /// The index at the time of the change.
    var local: Int
    /// The current index.
    var now: Int
  }

  /// Sorted by both indexes.
  private var known: [Element] = []
  /// The current length of the list.
  private(set) var count: Int

  init(count: Int) { self.count = count }

  /// - Parameter count: the number of elements both when the changes were made and now; all of them are tracked.
  init(unchangedCount count: Int) {
    self.count = count
    known = (0..<count).map { Element(local: $0, now: $0) }
  }

  /// Returns the current index of an element; nil if it is not tracked.
  func index(of local: Int) -> Int? {
    let position = position(of: local)
    return position < known.count && known[position].local == local ? known[position].now : nil
  }

  /// Records the insertion of an element.
  ///
  /// - Returns: the index to insert at: next to the tracked element that was its neighbour, or else as close to its
  ///   original index as possible.
  mutating func insert(at local: Int) -> Int {
    let position = position(of: local)
    let lowest = position > 0 ? known[position - 1].now + 1 : 0
    let highest = position < known.count ? known[position].now : count
    let now: Int
    if position > 0, known[position - 1].local == local - 1 {
      now = lowest
    } else if position < known.count, known[position].local == local {
      now = highest
    } else {
      now = max(lowest, min(local, highest))
    }
    shift(from: position, by: 1)
    known.insert(Element(local: local, now: now), at: position)
    count += 1
    return now
  }

  /// Records the erasure of an element.
  ///
  /// - Returns: its current index; nil, recording nothing, if the element is not tracked.
  mutating func erase(at local: Int) -> Int? {
    let position = position(of: local)
    guard position < known.count, known[position].local == local else { return nil }
    let now = known.remove(at: position).now
    shift(from: position, by: -1)
    count -= 1
    return now
  }

  /// Records the move of an element.
  ///
  /// - Returns: the current indexes to move from and to; nil, recording nothing, if the element is not tracked.
  mutating func move(from local: Int, to goal: Int) -> (from: Int, to: Int)? {
    guard let from = erase(at: local) else { return nil }
    return (from, insert(at: goal))
  }

  /// Returns the position of the first tracked element that is not before a place.
  private func position(of local: Int) -> Int { known.partitioningIndex { $0.local >= local } }

  private mutating func shift(from position: Int, by distance: Int) {
    for index in position..<known.count {
      known[index].local += distance
      known[index].now += distance
    }
  }
}
