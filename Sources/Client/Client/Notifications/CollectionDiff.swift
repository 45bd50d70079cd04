// SPDX-License-Identifier: Apache-2.0

/// The changes between two states of a collection.
struct Diff<Place: Equatable>: Equatable {
  /// The first report, which compares nothing.
  static var initial: Diff { Diff(isInitial: true) }

  private(set) var isInitial = false
  /// Places in the old state, ascending.
  var deletions: [Place] = []
  /// Places in the new state, ascending.
  var insertions: [Place] = []
  /// Places in the new state of what stayed and was touched, ascending.
  var modifications: [Place] = []

  var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }
}

/// The changes between two lists, by index.
///
/// Removing `deletions` from the old list and then inserting the rows of `insertions` yields the new list. A row
/// that moved relative to the others counts as deleted and inserted.
typealias CollectionDiff = Diff<Int>

extension CollectionDiff {
  /// Compares two lists without duplicate rows, in time linear in their lengths unless rows moved.
  ///
  /// - Parameter isTouched: whether the values of a row may have changed; nil if none has.
  init(old: [Int64], new: [Int64], isTouched: ((Int64) -> Bool)?) {
    let (prefix, suffix) = old.commonEnds(with: new)
    compareMiddle(old[prefix..<(old.count - suffix)], new[prefix..<(new.count - suffix)])
    if let isTouched { collectModifications(new, isTouched) }
  }

  /// Finds the rows that were inserted, deleted or moved in slices whose ends differ.
  private mutating func compareMiddle(_ old: ArraySlice<Int64>, _ new: ArraySlice<Int64>) {
    guard !old.isEmpty, !new.isEmpty else {
      deletions = Array(old.indices)
      insertions = Array(new.indices)
      return
    }
    var oldIndexes: [Int64: Int] = [:]
    oldIndexes.reserveCapacity(old.count)
    for index in old.indices { oldIndexes[old[index]] = index }

    var stayedNew: [Int] = []
    var stayedOld: [Int] = []
    for index in new.indices {
      if let oldIndex = oldIndexes[new[index]] {
        stayedNew.append(index)
        stayedOld.append(oldIndex)
      } else {
        insertions.append(index)
      }
    }
    let kept = Self.longestAscending(stayedOld)
    if kept.count < stayedOld.count {
      addMoved(stayedNew: stayedNew, kept: kept)
    }
    var nextKept = kept.makeIterator()
    var keptOld = nextKept.next().map { stayedOld[$0] }
    for index in old.indices {
      if index == keptOld { keptOld = nextKept.next().map { stayedOld[$0] } } else { deletions.append(index) }
    }
  }

  private mutating func addMoved(stayedNew: [Int], kept: [Int]) {
    var isKept = [Bool](repeating: false, count: stayedNew.count)
    for position in kept { isKept[position] = true }
    for (position, index) in stayedNew.enumerated() where !isKept[position] { insertions.append(index) }
    insertions.sort()
  }

  private mutating func collectModifications(_ new: [Int64], _ isTouched: (Int64) -> Bool) {
    var nextInsertion = insertions.makeIterator()
    var inserted = nextInsertion.next()
    for index in new.indices {
      if index == inserted {
        inserted = nextInsertion.next()
      } else if isTouched(new[index]) {
        modifications.append(index)
      }
    }
  }

  /// Returns the positions of a longest ascending subsequence. Linear if the entire sequence ascends.
  private static func longestAscending(_ values: [Int]) -> [Int] {
    if zip(values, values.dropFirst()).allSatisfy(<) { return Array(values.indices) }
    var tails: [Int] = []  // positions of the smallest last value of a subsequence of each length
    var previous = [Int](repeating: -1, count: values.count)
    for position in values.indices {
      let length = tails.partitioningIndex { values[$0] >= values[position] }
      if length > 0 { previous[position] = tails[length - 1] }
      if length == tails.count { tails.append(position) } else { tails[length] = position }
    }
    var result: [Int] = []
    var position = tails.last ?? -1
    while position >= 0 {
      result.append(position)
      position = previous[position]
    }
    return result.reversed()
  }
}
