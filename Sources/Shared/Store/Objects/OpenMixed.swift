// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel

/// A mixed value that edits are changing, kept out of the database until a different operation begins. Building a nested
/// collection thus does not read and write the value once per element.
final class OpenMixed {
  /// The kind of place that holds the value.
  enum Kind {
    case property
    /// An element of a list, by its ordinal.
    case element(ordinal: Int64)
    /// A dictionary entry.
    case entry(key: String)
  }

  /// The place of the value.
  let place: Place
  let kind: Kind
  /// The transaction in which the value was read. A value from a transaction that was rolled back is void.
  let transaction: UInt64
  var value: Value
  var isChanged = false

  init(_ place: Place, _ kind: Kind, value: Value, transaction: UInt64) {
    self.place = place
    self.kind = kind
    self.value = value
    self.transaction = transaction
  }

  /// Returns the steps from the value to the place that an edit changes. Returns nil if it changes something else, such
  /// as the collection that contains the value as an element.
  func inside(_ edit: Edit, _ changed: Place) -> ArraySlice<PathElement>? {
    guard changed.row == place.row, changed.column === place.column, changed.steps.starts(with: place.steps)
    else { return nil }
    let rest = changed.steps.dropFirst(place.steps.count)
    if !rest.isEmpty { return rest }
    if case .property = kind { return edit.changesPlaceItself ? rest : nil }
    return edit.makesCollection ? rest : nil
  }

  /// The number of collections that enclose the value.
  var depth: Int {
    if case .property = kind { 0 } else { 1 }
  }
}

extension Edit {
  /// Whether the edit turns its place into a collection, or clears the existing one.
  var makesCollection: Bool {
    switch self {
    case .update(let payload, _): payload == .list || payload == .dictionary
    case .clear: true
    default: false
    }
  }

  /// Whether the edit changes the value in its place, not an element of it.
  fileprivate var changesPlaceItself: Bool {
    switch self {
    case .update, .clear, .addInteger: true
    default: false
    }
  }
}
