// SPDX-License-Identifier: Apache-2.0

/// Which elements of a list recovered changes have made, and where they are now that the list has other neighbours
/// (protocol §9.4.4). Only what happens to these can be repeated one by one.
struct ListRecovery {
  private struct Element {
    /// The index when the change was made.
    var local: Int
    /// The index now.
    var now: Int
  }

  /// Sorted by both indexes.
  private var known: [Element] = []
  /// The present length of the list.
  private(set) var count: Int

  init(count: Int) { self.count = count }

  /// - Parameter count: How many elements there were when the changes were made, and are now: all of them are known.
  init(unchangedCount count: Int) {
    self.count = count
    known = (0..<count).map { Element(local: $0, now: $0) }
  }

  /// The present index of an element; nil for one that is not known.
  func index(of local: Int) -> Int? {
    let position = position(of: local)
    return position < known.count && known[position].local == local ? known[position].now : nil
  }

  /// Notes that an element is inserted.
  ///
  /// - Returns: Where: beside the known element that was its neighbour, or else as near to its index as can be.
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

  /// Notes that an element is erased.
  ///
  /// - Returns: Its index; nil, and nothing is noted, if it is not known.
  mutating func erase(at local: Int) -> Int? {
    let position = position(of: local)
    guard position < known.count, known[position].local == local else { return nil }
    let now = known.remove(at: position).now
    shift(from: position, by: -1)
    count -= 1
    return now
  }

  /// Notes that an element is moved.
  ///
  /// - Returns: From where to where; nil, and nothing is noted, if it is not known.
  mutating func move(from local: Int, to goal: Int) -> (from: Int, to: Int)? {
    guard let from = erase(at: local) else { return nil }
    return (from, insert(at: goal))
  }

  /// The first known element that is not before a place.
  private func position(of local: Int) -> Int {
    var (low, high) = (0, known.count)
    while low < high {
      let middle = (low + high) / 2
      if known[middle].local < local { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func shift(from position: Int, by distance: Int) {
    for index in position..<known.count {
      known[index].local += distance
      known[index].now += distance
    }
  }
}
