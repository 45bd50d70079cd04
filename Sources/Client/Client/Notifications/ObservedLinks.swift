// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncModel
import FlexSyncStore

extension ObservedPath.Link {
  /// The number of targets up to which the links to each are looked up instead of reading all links.
  private static let fewTargets = 256

  /// Returns the objects that link to one of the targets.
  func origins(of targets: Set<Int64>, _ store: ObjectStore) throws -> Set<Int64> {
    var origins: Set<Int64> = []
    guard targets.count <= Self.fewTargets else {
      try store.forEachLink(of: column) { if targets.contains($1) { origins.insert($0) } }
      return origins
    }
    for row in targets {
      guard let key = try store.key(of: row, in: target.table) else { continue }
      origins.formUnion(
        try store.backlinkRows(to: ObjectReference(table: target.name, key: key), from: column)
      )
    }
    return origins
  }
}

/// The targets that the links of one property had at the last report. An observer keeps them because the file no longer
/// tells the former target of a link that has changed.
final class LinkMemory {
  let link: ObservedPath.Link
  private var targets: [Int64: [Int64]] = [:]

  init(_ link: ObservedPath.Link, _ store: ObjectStore) throws {
    self.link = link
    try readAll(store)
  }

  private func readAll(_ store: ObjectStore) throws {
    targets = [:]
    try store.forEachLink(of: link.column) { targets[$0, default: []].append($1) }
  }

  /// Follows commits.
  ///
  /// - Returns: the objects to which links have been added or from which they have been removed.
  func follow(_ touched: TouchedRows, _ store: ObjectStore) throws -> Set<Int64> {
    guard let rows = touched[link.origin.name] else { return [] }
    guard !rows.isUnknown else {
      try readAll(store)
      return []
    }
    var concerned: Set<Int64> = []
    for row in rows.changes.keys where rows.columns(of: row)?.contains(link.column.index) ?? false {
      let old = targets.removeValue(forKey: row) ?? []
      let new = try store.linkedRows(row: row, link.column)
      concerned.formUnion(old)
      concerned.formUnion(new)
      if !new.isEmpty { targets[row] = new }
    }
    return concerned
  }

  /// Returns the objects to which the objects with the property link.
  func targets(of origins: Set<Int64>) -> Set<Int64> {
    origins.reduce(into: []) { $0.formUnion(targets[$1] ?? []) }
  }
}
