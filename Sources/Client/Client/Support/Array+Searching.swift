// SPDX-License-Identifier: Apache-2.0

extension Array {
  /// Returns the first index for which `belongs` holds, provided that it holds for all later elements too.
  func partitioningIndex(_ belongs: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if belongs(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension Array where Element: Equatable {
  /// Returns the number of elements that another array has in common with this one at the beginning, and of the
  /// remaining ones at the end.
  func commonEnds(with other: [Element]) -> (prefix: Int, suffix: Int) {
    let shorter = Swift.min(count, other.count)
    var prefix = 0
    while prefix < shorter, self[prefix] == other[prefix] { prefix += 1 }
    var suffix = 0
    while suffix < shorter - prefix, self[count - 1 - suffix] == other[other.count - 1 - suffix] {
      suffix += 1
    }
    return (prefix, suffix)
  }
}
