// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// Reports which entries of a dictionary were inserted, deleted or modified.
final class DictionaryObserver: Observer {
  private let watch: CollectionWatch
  private let report: (DictionaryDiff) -> Void
  /// The entries at the last report; nil before the first one.
  private var entries: [DictionaryEntry]?

  init(_ watch: CollectionWatch, _ report: @escaping (DictionaryDiff) -> Void) {
    self.watch = watch
    self.report = report
  }

  func deliver(_ touched: TouchedRows) throws {
    guard let old = entries else {
      entries = try watch.entries()
      return report(.initial)
    }
    guard watch.isConcerned(by: touched) else { return }
    let new = try watch.entries()
    entries = new
    let diff = DictionaryDiff(old: old, new: new, isTouched: watch.touchedLinks(touched))
    if !diff.isEmpty { report(diff) }
  }
}

/// The changes between two dictionaries, by key; the keys are sorted.
struct DictionaryDiff: Equatable {
  /// The first report, which compares nothing.
  static let initial = DictionaryDiff(isInitial: true)

  private(set) var isInitial = false
  var deletions: [String] = []
  var insertions: [String] = []
  var modifications: [String] = []

  var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

  private init(isInitial: Bool) { self.isInitial = isInitial }

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
