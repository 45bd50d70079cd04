// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension PropertyPath {
  /// Returns the elements that the selectors choose.
  func selected(at row: some PredicateRow) -> [Value] {
    var rest = selectors[...]
    var values: [Value]
    if property.collection == .single {
      values = [row.value(of: property.name)]
    } else {
      guard let first = rest.popFirst() else { return [] }
      values = row.selected(first, of: property)
    }
    for selector in rest { values = values.flatMap(selector.choose) }
    return values.map { $0.orNull(in: row) }
  }
}

extension PredicateRow {
  /// Returns all elements of a collection, or the only value of a single-valued property.
  func allElements(of property: PropertySchema) -> [Value] {
    switch property.collection {
    case .single: [value(of: property.name)]
    case .list, .set: elements(of: property.name)
    case .dictionary: entries(of: property.name).map(\.value)
    }
  }

  /// Returns the elements of a list or dictionary that a selector chooses.
  func selected(_ selector: ElementSelector, of property: PropertySchema) -> [Value] {
    property.collection == .dictionary
      ? selector.choose(.dictionary(entries(of: property.name)))
      : selector.choose(.list(elements(of: property.name)))
  }
}

extension ElementSelector {
  /// Returns the chosen elements of a collection, or nothing for any other value.
  fileprivate func choose(_ collection: Value) -> [Value] {
    switch (self, collection) {
    case (.index(let index), .list(let elements)): index < elements.count ? [elements[index]] : []
    case (.last, .list(let elements)): elements.suffix(1)
    case (.every, .list(let elements)): elements
    case (.every, .dictionary(let entries)): entries.map(\.value)
    case (.keys, .dictionary(let entries)): entries.map { .string($0.key) }
    case (.key(let key), .dictionary(let entries)): Self.value(at: key, in: entries)
    default: []
    }
  }

  /// Returns the value of a key. A missing key yields null, or nothing if the dictionary is empty, as in the
  /// reference.
  private static func value(at key: String, in entries: [DictionaryEntry]) -> [Value] {
    if entries.isEmpty { return [] }
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if UTF8Order.isLess(entries[middle].key, key) { low = middle + 1 } else { high = middle }
    }
    return low < entries.count && UTF8Order.areEqual(entries[low].key, key) ? [entries[low].value] : [.null]
  }
}
