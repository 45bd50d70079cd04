// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

extension PropertyPath {
  /// Whether the path yields exactly one value for each object.
  var isScalar: Bool {
    if links.isEmpty && property.collection == .single && selectors.isEmpty && !endsInBacklinks {
      return true
    }
    return !isMultiple && !isSelective
  }

  /// Returns the single value. If a link on the path is null, the value is null, or 0 for a count.
  func scalar<Row: PredicateRow>(in row: Row) -> Value {
    if links.isEmpty { return single(at: row) }
    var row = row
    for link in links {
      guard case .link(let target) = row.value(of: link.property.name), let next = row.target(of: target)
      else {
        return measure == .count || measure == .incomingCount ? .int(0) : .null
      }
      row = next
    }
    return single(at: row)
  }

  private func single<Row: PredicateRow>(at row: Row) -> Value {
    switch measure {
    case .count: return .int(Int64(countAtEnd(row)))
    case .incomingCount: return .int(Int64(row.incomingCount()))
    case .value: return row.value(of: property.name).orNull(in: row)
    case .length, .type: return measured(row.value(of: property.name).orNull(in: row))
    }
  }

  /// Returns the groups of values at the end of the path.
  func groups<Row: PredicateRow>(in row: Row) -> [[Value]] {
    if isScalar { return [[scalar(in: row)]] }
    let rows = owners(in: row)
    if isGrouped { return rows.isEmpty ? [[]] : rows.map(values) }
    // The keys of an empty dictionary satisfy no quantifier, not even ALL and NONE.
    if selectors == [.keys] {
      let keys = rows.flatMap(values)
      return keys.isEmpty ? [] : [keys]
    }
    return [rows.flatMap(values)]
  }

  /// Returns the objects at the end of a path that ends in links.
  func objects<Row: PredicateRow>(in row: Row) -> [Row] {
    let rows = owners(in: row)
    if endsInBacklinks { return rows.flatMap { $0.incoming(from: owner, property: property.name) } }
    return rows.flatMap { row in
      values(at: row).compactMap { value in
        if case .link(let link) = value { row.target(of: link) } else { nil }
      }
    }
  }

  /// Returns the objects that hold the property at the end of the path.
  private func owners<Row: PredicateRow>(in row: Row) -> [Row] {
    var rows = [row]
    for link in links { rows = rows.flatMap { link.targets(from: $0) } }
    return rows
  }

  /// Returns the values that one object contributes.
  private func values<Row: PredicateRow>(at row: Row) -> [Value] {
    switch measure {
    case .count: return [.int(Int64(countAtEnd(row)))]
    case .incomingCount: return [.int(Int64(row.incomingCount()))]
    case .value where endsInBacklinks:
      return row.incoming(from: owner, property: property.name).compactMap { $0.identity().map { .link($0) } }
    case .value: return elements(at: row)
    case .length, .type: return elements(at: row).map(measured)
    }
  }

  private func elements<Row: PredicateRow>(at row: Row) -> [Value] {
    guard selectors.isEmpty else { return selected(at: row) }
    let elements = row.allElements(of: property)
    guard property.type == .link || property.type == .mixed else { return elements }
    // Lists and sets of links contain only the objects that exist.
    let hidesDangling =
      property.type == .link && (property.collection == .list || property.collection == .set)
    if hidesDangling { return elements.filter { $0.orNull(in: row) != .null } }
    return elements.map { $0.orNull(in: row) }
  }

  private func countAtEnd<Row: PredicateRow>(_ row: Row) -> Int {
    if endsInBacklinks { return row.incoming(from: owner, property: property.name).count }
    guard property.collection == .single else {
      // Nulls count, but dangling links do not.
      guard property.type == .link else { return row.allElements(of: property).count }
      return elements(at: row).count { !$0.isNull }
    }
    return row.value(of: property.name).orNull(in: row) == .null ? 0 : 1
  }

  /// Returns the length or type of a value.
  private func measured(_ value: Value) -> Value {
    guard measure == .length else { return .string(TypeName(value).text) }
    return switch value {
    case .string(let string): .int(Int64(string.utf8.count))
    case .malformedString(let bytes), .binary(let bytes): .int(Int64(bytes.count))
    case .list(let elements): .int(Int64(elements.count))
    case .dictionary(let entries): .int(Int64(entries.count))
    default: .null
    }
  }
}

extension LinkStep {
  /// Returns the objects that the step leads to.
  fileprivate func targets<Row: PredicateRow>(from row: Row) -> [Row] {
    if isBackward { return row.incoming(from: owner, property: property.name) }
    let values = selector.map { row.selected($0, of: property) } ?? row.allElements(of: property)
    return values.compactMap { value in
      if case .link(let link) = value { row.target(of: link) } else { nil }
    }
  }
}

extension Value {
  /// Returns the value, or null for a dangling link.
  func orNull(in row: some PredicateRow) -> Value {
    guard case .link(let link) = self, !link.leadsNowhere, !row.hasTarget(link) else { return self }
    return .null
  }
}
