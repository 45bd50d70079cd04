// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// The changes between two dictionaries, by key; the keys are sorted.
typealias DictionaryDiff = Diff<String>

extension DictionaryDiff {
  /// - Parameter isTouched: whether the object that a value links to may have changed.
  init(old: [DictionaryEntry], new: [DictionaryEntry], isTouched: (Value) -> Bool) {
    var rest = old[...]
    for entry in new {
      while let first = rest.first, UTF8Order.isLess(first.key, entry.key) {
        deletions.append(first.key)
        rest.removeFirst()
      }
      guard let first = rest.first, UTF8Order.areEqual(first.key, entry.key) else {
        insertions.append(entry.key)
        continue
      }
      rest.removeFirst()
      if first.value != entry.value || isTouched(entry.value) { modifications.append(entry.key) }
    }
    deletions += rest.map(\.key)
  }
}
