// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel

/// Reports which entries of a dictionary were inserted, deleted or modified.
final class DictionaryObserver: Observer {
  private let watch: CollectionWatch
  private let callback: flx_dictionary_observer_t
  private let userdata: Userdata
  /// The entries at the last report; nil before the first one.
  private var entries: [DictionaryEntry]?

  init(_ watch: CollectionWatch, _ callback: @escaping flx_dictionary_observer_t, _ userdata: Userdata) {
    self.watch = watch
    self.callback = callback
    self.userdata = userdata
  }

  func deliver(_ touched: TouchedRows) throws {
    guard let old = entries else {
      entries = try watch.entries()
      var changes = flx_dictionary_changes_t()
      changes.is_initial = true
      return withUnsafePointer(to: changes) { callback(userdata.pointer, $0) }
    }
    guard watch.isConcerned(by: touched) else { return }
    let new = try watch.entries()
    entries = new
    report(DictionaryDiff(old: old, new: new, isTouched: watch.touchedLinks(touched)))
  }

  private func report(_ diff: DictionaryDiff) {
    guard !diff.isEmpty else { return }
    var texts = TextArena()
    let deletions = diff.deletions.map { texts.keep($0) }
    let insertions = diff.insertions.map { texts.keep($0) }
    let modifications = diff.modifications.map { texts.keep($0) }
    deletions.withUnsafeBufferPointer { deletions in
      insertions.withUnsafeBufferPointer { insertions in
        modifications.withUnsafeBufferPointer { modifications in
          let changes = flx_dictionary_changes_t(
            is_initial: false,
            deletions: deletions.baseAddress,
            deletion_count: deletions.count,
            insertions: insertions.baseAddress,
            insertion_count: insertions.count,
            modifications: modifications.baseAddress,
            modification_count: modifications.count
          )
          withUnsafePointer(to: changes) { callback(userdata.pointer, $0) }
        }
      }
    }
  }
}

/// The changes between two dictionaries, by key; the keys are sorted.
struct DictionaryDiff: Equatable {
  var deletions: [String] = []
  var insertions: [String] = []
  var modifications: [String] = []

  var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

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
