// SPDX-License-Identifier: Apache-2.0

import Foundation

extension RealmCollection {
  /// The elements at some indexes, in ascending order of these.
  public func objects(at indexes: IndexSet) -> [Element] {
    Misuse.require(
      indexes.isEmpty || indexes.last.map { $0 < count } ?? true,
      "Indexes for collection are out of bounds."
    )
    return indexes.map { self[$0] }
  }
}

extension List {
  /// Removes the elements at some indexes.
  public func remove(atOffsets offsets: IndexSet) {
    for offset in offsets.reversed() { remove(at: offset) }
  }

  /// Moves the elements at some indexes, in their order, before the element that is at `destination` now.
  public func move(fromOffsets offsets: IndexSet, toOffset destination: Int) {
    for offset in offsets where offset >= destination {
      move(from: offset, to: destination + offsets.count(in: destination..<offset))
    }
    for offset in offsets.reversed() where offset < destination {
      move(from: offset, to: destination - 1 - offsets.count(in: offset + 1..<destination))
    }
  }
}
