// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension SQLCompiler {
  /// Compiles `test` for an element of a list or dictionary that is selected by position or key. If several objects
  /// have the collection, it applies to any, all or none of the selected elements.
  mutating func quantified(
    _ path: PropertyPath,
    _ selector: ElementSelector,
    _ owner: String?,
    isExact: Bool,
    _ test: ScalarTest
  ) throws(Inexpressible) -> SQLFragment {
    try requireSupport(path)
    let rows = owner.map { SQLRows(from: $0) } ?? self.rows(along: path.links)
    let (column, exists) = selected(path, selector, at: rows.alias)
    let quantifier = path.quantifier ?? .any
    let holds = try test(&self, .column(column), isExact || quantifier == .all)
    let condition: SQLFragment = "(\(exists) AND \(quantifier == .all ? "NOT \(holds)" : holds))"
    let some = rows.tables.isEmpty ? condition : rows.exists(where: condition)
    return quantifier == .any ? some : "NOT \(some)"
  }

  /// Returns the element and the condition under which it exists. There is no element beyond the end of a list. A
  /// missing key yields null, or nothing if the dictionary is empty.
  private mutating func selected(_ path: PropertyPath, _ selector: ElementSelector, at owner: String)
    -> (column: SQLColumn, exists: SQLFragment)
  {
    let table = layout.collectionTable(path.property.name, of: path.owner)
    let collection: SQLFragment = "FROM \(raw: table) WHERE owner = \(raw: owner).flx_row"
    let element = self.element(selector, of: collection)
    var column = SQLColumn(type: path.property.type, value: "(SELECT value \(element))")
    if path.property.type == .timestamp { column.nanoseconds = "(SELECT value_ns \(element))" }
    if let target = path.property.linkTarget {
      column = SQLColumn(type: .link, value: existingKey(column.value, of: target))
    }
    if path.measure == .length { column = length(of: column.value) }
    let isKey = path.property.collection == .dictionary
    return (column, "EXISTS (SELECT 1 \(isKey ? collection : element))")
  }

  private func element(_ selector: ElementSelector, of collection: SQLFragment) -> SQLFragment {
    switch selector {
    case .key(let key): "\(collection) AND key = \(bind(.string(key)))"
    case .index(let index): "\(collection) ORDER BY ordinal LIMIT 1 OFFSET \(raw: String(index))"
    case .last, .every, .keys: "\(collection) ORDER BY ordinal DESC LIMIT 1"
    }
  }
}

extension PropertyPath {
  /// The selector of a single element of the collection at the end; nil if there is none, or if there are further
  /// selectors.
  var selector: ElementSelector? {
    guard selectors.count == 1 else { return nil }
    switch (selectors[0], property.collection) {
    case (.key, .dictionary), (.index, .list), (.last, .list): return selectors[0]
    default: return nil
    }
  }
}
