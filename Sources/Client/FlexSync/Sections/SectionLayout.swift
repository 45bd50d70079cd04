// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Which elements of results are in which section.
struct SectionLayout<Key: Hashable> {
  /// The keys of the sections, in the order in which they first appear.
  private(set) var keys: [Key] = []
  /// The positions in the results of the elements of each section.
  private(set) var positions: [[Int]] = []
  private(set) var indexes: [Key: Int] = [:]
  /// The place of each element of the results.
  private var places: [Place] = []

  private struct Place {
    let section: Int
    let item: Int

    var path: IndexPath { IndexPath(item: item, section: section) }
  }

  /// - Parameter elementKeys: the key of each element of the results.
  init(_ elementKeys: some Sequence<Key>) {
    for (position, key) in elementKeys.enumerated() {
      let section = indexes[key] ?? addSection(key)
      places.append(Place(section: section, item: positions[section].count))
      positions[section].append(position)
    }
  }

  private mutating func addSection(_ key: Key) -> Int {
    indexes[key] = keys.count
    keys.append(key)
    positions.append([])
    return keys.count - 1
  }
}

/// What has changed in sections.
struct SectionChanges {
  var deletions: [IndexPath] = []
  var insertions: [IndexPath] = []
  var modifications: [IndexPath] = []
  var insertedSections = IndexSet()
  var deletedSections = IndexSet()

  var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && modifications.isEmpty && insertedSections.isEmpty
      && deletedSections.isEmpty
  }
}

extension SectionLayout {
  /// Returns how the sections have changed when the results have.
  ///
  /// - Parameter watched: the only section of interest; nil for all.
  func changes(
    to new: SectionLayout,
    deletions: [Int],
    insertions: [Int],
    modifications: [Int],
    watched: Key?
  ) -> SectionChanges {
    var changes = SectionChanges()
    for (index, key) in new.keys.enumerated() where indexes[key] == nil && watched.isNilOrEqual(key) {
      changes.insertedSections.insert(index)
    }
    for (index, key) in keys.enumerated() where new.indexes[key] == nil && watched.isNilOrEqual(key) {
      changes.deletedSections.insert(index)
    }
    func delete(_ place: Place) {
      let key = keys[place.section]
      // A section that is gone says all about its elements.
      if new.indexes[key] != nil && watched.isNilOrEqual(key) { changes.deletions.append(place.path) }
    }
    func insert(_ place: Place) {
      if watched.isNilOrEqual(new.keys[place.section]) { changes.insertions.append(place.path) }
    }
    for position in deletions { delete(places[position]) }
    for position in insertions { insert(new.places[position]) }
    for (old, current) in stayed(modifications, deletions, insertions, countInNew: new.places.count) {
      let (before, after) = (places[old], new.places[current])
      let key = keys[before.section]
      if key == new.keys[after.section] && before.item == after.item {
        if watched.isNilOrEqual(key) { changes.modifications.append(before.path) }
      } else {
        delete(before)
        insert(after)
      }
    }
    changes.deletions.sort()
    changes.insertions.sort()
    changes.modifications.sort()
    return changes
  }

  /// The old and the new positions of modified elements.
  private func stayed(_ modifications: [Int], _ deletions: [Int], _ insertions: [Int], countInNew: Int)
    -> [(old: Int, new: Int)]
  {
    guard !modifications.isEmpty else { return [] }
    let (deleted, inserted, modified) = (Set(deletions), Set(insertions), Set(modifications))
    let old = places.indices.filter { !deleted.contains($0) }
    let new = (0..<countInNew).filter { !inserted.contains($0) }
    return zip(old, new).filter { modified.contains($0.1) }.map { ($0, $1) }
  }
}

extension Optional where Wrapped: Equatable {
  fileprivate func isNilOrEqual(_ value: Wrapped) -> Bool { self == nil || self == value }
}
