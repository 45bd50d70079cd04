// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Numbers for the elements of a list before and after a change. An element that stayed keeps its number, and no
/// number occurs twice in one list.
///
/// The common prefix and suffix of both lists stayed. Of equal elements in between, the second "a" is not the
/// first.
struct ElementIdentities {
  private struct Element: Hashable {
    let value: Value
    let occurrence: Int
  }

  private(set) var old: [Int64]
  private(set) var new: [Int64]

  init(old: [Value], new: [Value]) {
    let (start, tail) = old.commonEnds(with: new)

    let head = (0..<start).map { Int64($0) }
    let end = (start..<start + tail).map { Int64($0) }
    var numbers: [Element: Int64] = [:]
    self.old = head + Self.number(old[start..<old.count - tail], from: start + tail, &numbers) + end
    self.new = head + Self.number(new[start..<new.count - tail], from: start + tail, &numbers) + end
  }

  private static func number(_ values: ArraySlice<Value>, from first: Int, _ numbers: inout [Element: Int64])
    -> [Int64]
  {
    var occurrences: [Value: Int] = [:]
    return values.map { value in
      occurrences[value, default: 0] += 1
      let element = Element(value: value, occurrence: occurrences[value, default: 1])
      if let known = numbers[element] { return known }
      let number = Int64(first + numbers.count)
      numbers[element] = number
      return number
    }
  }
}

extension CollectionDiff {
  /// Compares the elements of a list or set.
  ///
  /// - Parameters:
  ///   - isOrdered: whether an element that replaces another in its place counts as modified.
  ///   - isTouched: whether the object that an element links to may have changed.
  init(old: [Value], new: [Value], isOrdered: Bool, isTouched: (Value) -> Bool) {
    let identities = ElementIdentities(old: old, new: new)
    self.init(old: identities.old, new: identities.new, isTouched: nil)
    let inserted = Set(insertions)
    modifications = new.indices.filter { !inserted.contains($0) && isTouched(new[$0]) }
    if isOrdered { takeReplacementsForModifications() }
  }

  /// Turns a deletion and an insertion between the same neighbours into one modification.
  private mutating func takeReplacementsForModifications() {
    var leftDeletions: [Int] = []
    var leftInsertions: [Int] = []
    var (deletion, insertion) = (0, 0)
    while deletion < deletions.count, insertion < insertions.count {
      // The number of kept elements before each.
      let (before, behind) = (deletions[deletion] - deletion, insertions[insertion] - insertion)
      if before == behind { modifications.append(insertions[insertion]) }
      if before < behind { leftDeletions.append(deletions[deletion]) }
      if behind < before { leftInsertions.append(insertions[insertion]) }
      if before <= behind { deletion += 1 }
      if behind <= before { insertion += 1 }
    }
    deletions = leftDeletions + deletions[deletion...]
    insertions = leftInsertions + insertions[insertion...]
    modifications.sort()
  }
}
