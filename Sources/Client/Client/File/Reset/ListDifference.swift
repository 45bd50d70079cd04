// SPDX-License-Identifier: Apache-2.0

/// A run of elements to replace when turning one list into another.
struct ListHunk: Hashable {
  /// The elements to replace, by their indexes before any change.
  let old: Range<Int>
  /// Their replacements, by indexes in the other list.
  let new: Range<Int>
}

/// A short series of replacements that turns one list into another.
enum ListDifference {
  /// The largest product of lengths for which common elements are searched. Beyond it everything between the equal
  /// ends is replaced, because the search would take too long.
  private static let effort = 4_000_000

  /// Returns the hunks in ascending order; none for equal lists.
  static func hunks<Element: Hashable>(from old: [Element], to new: [Element]) -> [ListHunk] {
    let (prefix, suffix) = old.commonEnds(with: new)
    let whole = ListHunk(old: prefix..<old.count - suffix, new: prefix..<new.count - suffix)
    guard !whole.old.isEmpty, !whole.new.isEmpty, whole.old.count * whole.new.count <= effort else {
      return whole.old.isEmpty && whole.new.isEmpty ? [] : [whole]
    }
    return hunks(inside: whole, Array(old[whole.old]), Array(new[whole.new]))
  }

  private static func hunks<Element: Hashable>(inside whole: ListHunk, _ old: [Element], _ new: [Element])
    -> [ListHunk]
  {
    var isRemoved = [Bool](repeating: false, count: old.count + 1)
    var isInserted = [Bool](repeating: false, count: new.count + 1)
    for change in new.difference(from: old) {
      switch change {
      case .remove(let offset, _, _): isRemoved[offset] = true
      case .insert(let offset, _, _): isInserted[offset] = true
      }
    }
    var hunks: [ListHunk] = []
    var (oldEnd, newEnd) = (0, 0)
    while oldEnd < old.count || newEnd < new.count {
      let (oldStart, newStart) = (oldEnd, newEnd)
      while isRemoved[oldEnd] { oldEnd += 1 }
      while isInserted[newEnd] { newEnd += 1 }
      guard oldEnd > oldStart || newEnd > newStart else {
        oldEnd += 1
        newEnd += 1
        continue
      }
      let (oldOffset, newOffset) = (whole.old.lowerBound, whole.new.lowerBound)
      hunks.append(
        ListHunk(
          old: oldStart + oldOffset..<oldEnd + oldOffset,
          new: newStart + newOffset..<newEnd + newOffset
        )
      )
    }
    return hunks
  }
}
