// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension BoundQuery {
  /// Returns the objects that the query finds, in its order.
  ///
  /// - Parameter rows: All objects of the class, in order of insertion.
  public func results<Row: PredicateRow>(among rows: some Sequence<Row>) -> [Row] {
    options.apply(to: rows.filter { predicate.matches($0) })
  }
}

extension QueryOptions {
  /// Sorts, removes duplicates and truncates, in the written order (QueryLanguage §7).
  public func apply<Row: PredicateRow>(to rows: [Row]) -> [Row] {
    steps.reduce(rows) { rows, step in
      switch step {
      case .sort(let keys): Self.sorted(rows, by: keys)
      case .distinct(let paths): Self.distinct(rows, by: paths)
      case .limit(let count): Array(rows.prefix(count))
      }
    }
  }

  /// Sorts stably, so that earlier clauses break ties.
  private static func sorted<Row: PredicateRow>(_ rows: [Row], by keys: [SortKey]) -> [Row] {
    let entries = rows.enumerated().map { offset, row in
      (row: row, keys: keys.map { $0.path.sortValue(of: row) }, offset: offset)
    }
    return
      entries
      .sorted { left, right in
        for (index, key) in keys.enumerated() {
          let order = SortValue.compare(left.keys[index], right.keys[index])
          if order != 0 { return key.isAscending == (order < 0) }
        }
        return left.offset < right.offset
      }
      .map(\.row)
  }

  /// Keeps the first row of each key. Rows with a null link on the path have no key and are removed.
  private static func distinct<Row: PredicateRow>(_ rows: [Row], by paths: [PropertyPath]) -> [Row] {
    var seen: Set<DistinctKey> = []
    return rows.filter { row in
      let values = paths.map { $0.sortValue(of: row) }
      guard !values.contains(.unreachable) else { return false }
      return seen.insert(DistinctKey(values: values)).inserted
    }
  }
}

/// The value that a row is sorted by.
enum SortValue: Equatable {
  case value(Value)
  /// A link on the path is null. Sorts after all values.
  case unreachable

  static func compare(_ left: SortValue, _ right: SortValue) -> Int {
    switch (left, right) {
    case (.value(let left), .value(let right)): ValueOrder.sort(left, right)
    case (.unreachable, .unreachable): 0
    case (.unreachable, .value): 1
    case (.value, .unreachable): -1
    }
  }
}

/// The key by which DISTINCT compares rows. Numerically equal values have the same key.
private struct DistinctKey: Hashable {
  let values: [SortValue]

  static func == (left: DistinctKey, right: DistinctKey) -> Bool {
    zip(left.values, right.values).allSatisfy { SortValue.compare($0, $1) == 0 }
  }

  func hash(into hasher: inout Hasher) {
    for case .value(let value) in values {
      switch value {
      // Equal numbers of all types have the same nearest double.
      case .int, .float, .double: hasher.combine((value.number ?? 0) + 0)
      case .decimal(let decimal): hasher.combine(decimal.doubleValue + 0)
      case .list, .dictionary: break
      default: hasher.combine(value)
      }
    }
  }
}

extension PropertyPath {
  /// Returns the value by which SORT orders and DISTINCT compares an object.
  func sortValue<Row: PredicateRow>(of row: Row) -> SortValue {
    var row = row
    for link in links {
      let target =
        link.selector.map { row.selected($0, of: link.property).first } ?? row.value(of: link.property.name)
      guard case .link(let link)? = target, let next = row.target(of: link) else { return .unreachable }
      row = next
    }
    let value =
      selectors.isEmpty ? row.value(of: property.name).orNull(in: row) : selected(at: row).first ?? .null
    return .value(property.type == .link ? Self.place(of: value, in: row) : value)
  }

  /// Returns the insertion order of a linked object, by which links are sorted if it is available.
  private static func place(of value: Value, in row: some PredicateRow) -> Value {
    guard case .link(let link) = value, let place = row.target(of: link)?.insertionOrder() else {
      return value
    }
    return .int(place)
  }
}
