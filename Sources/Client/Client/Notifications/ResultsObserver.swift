// SPDX-License-Identifier: Apache-2.0

/// Reports which objects of results were inserted, deleted or modified.
final class ResultsObserver: Observer {
  /// The number of touched objects up to which each is tested separately instead of running the query again.
  private static let fewRows = 32

  private let results: Results
  private let finder: ModificationFinder
  private let receive: (CollectionDiff) -> Void
  /// The rows at the last report; nil before the first one.
  private var rows: [Int64]?

  /// - Parameter keyPaths: what counts as a modification; see `ModificationFinder`.
  /// - Throws: `CoreError` NO_SUCH_PROPERTY, NO_SUCH_CLASS.
  init(_ results: Results, _ keyPaths: [String], _ receive: @escaping (CollectionDiff) -> Void) throws {
    self.results = results
    finder = try ModificationFinder(results.realm, results.info, keyPaths)
    self.receive = receive
  }

  func deliver(_ delivery: Delivery) throws {
    // The realm was invalidated, which ends the observation.
    guard results.isValid else { return }
    let touched = delivery.touched
    let modified = try finder.modified(by: touched)
    guard let oldRows = rows else {
      rows = try results.rows()
      return receive(.initial)
    }
    let diff: CollectionDiff
    if results.isAffected(by: touched), let newRows = try rowsNow(oldRows, touched[results.info.name]) {
      rows = newRows
      diff = self.diff(oldRows, newRows, modified)
    } else {
      diff = modifications(of: modified, in: oldRows)
    }
    if !diff.isEmpty, !delivery.isSilenced { receive(diff) }
  }

  private func diff(_ old: [Int64], _ new: [Int64], _ modified: ModifiedRows) -> CollectionDiff {
    guard results.isRestricted else {
      return CollectionDiff(old: old, new: new, isTouched: modified.isEmpty ? nil : { modified.contains($0) })
    }
    // An object may occur several times.
    return CollectionDiff(old: old.map { .int($0) }, new: new.map { .int($0) }, isOrdered: false) { value in
      guard case .int(let row) = value else { return false }
      return modified.contains(row)
    }
  }

  /// Returns the modifications of objects whose order has not changed.
  private func modifications(of modified: ModifiedRows, in rows: [Int64]) -> CollectionDiff {
    if modified.isEmpty { return CollectionDiff() }
    guard results.isSimple, modified.count < rows.count / 16 else {
      return CollectionDiff(old: rows, new: rows) { modified.contains($0) }
    }
    let places = modified.rows.compactMap { row -> Int? in
      let place = rows.place(of: row)
      return place < rows.count && rows[place] == row ? place : nil
    }
    return CollectionDiff(modifications: places.sorted())
  }

  /// Returns the rows after a change; nil if they cannot have changed.
  private func rowsNow(_ oldRows: [Int64], _ touchedRows: TouchedRows.Rows?) throws -> [Int64]? {
    guard results.isSimple, let touchedRows, !touchedRows.isUnknown, touchedRows.changes.count <= Self.fewRows
    else { return try results.rows() }
    var rows = oldRows
    var hasChanged = false
    for row in touchedRows.changes.keys {
      let place = rows.place(of: row)
      let wasThere = place < rows.count && rows[place] == row
      let isThere = try results.contains(row)
      if wasThere && !isThere { rows.remove(at: place) }
      if !wasThere && isThere { rows.insert(row, at: place) }
      hasChanged = hasChanged || wasThere != isThere
    }
    return hasChanged ? rows : nil
  }
}

extension [Int64] {
  /// Returns the index of a row in an ascending list, or the index at which to insert it.
  fileprivate func place(of row: Int64) -> Int { partitioningIndex { $0 >= row } }
}
