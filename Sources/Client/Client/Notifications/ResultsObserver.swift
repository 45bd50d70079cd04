// SPDX-License-Identifier: Apache-2.0

/// Reports which objects of results were inserted, deleted or modified.
final class ResultsObserver: Observer {
  /// The number of touched objects up to which each is tested separately instead of running the query again.
  private static let fewRows = 32

  private let results: Results
  private let receive: (CollectionDiff) -> Void
  /// The rows at the last report; nil before the first one.
  private var rows: [Int64]?

  init(_ results: Results, _ receive: @escaping (CollectionDiff) -> Void) {
    self.results = results
    self.receive = receive
  }

  func deliver(_ touched: TouchedRows) throws {
    guard let oldRows = rows else {
      rows = try results.rows()
      return receive(.initial)
    }
    let touchedRows = touched[results.info.name]
    guard results.isAffected(by: touched) else {
      if let touchedRows { reportModifications(of: touchedRows, in: oldRows) }
      return
    }
    guard let newRows = try rowsNow(oldRows, touchedRows) else { return }
    rows = newRows
    report(diff(oldRows, newRows, touchedRows))
  }

  private func diff(_ old: [Int64], _ new: [Int64], _ touched: TouchedRows.Rows?) -> CollectionDiff {
    guard results.isRestricted else {
      return CollectionDiff(old: old, new: new, isTouched: touched.map { rows in { rows.contains($0) } })
    }
    // An object may occur several times.
    return CollectionDiff(old: old.map { .int($0) }, new: new.map { .int($0) }, isOrdered: false) { value in
      guard case .int(let row) = value else { return false }
      return touched?.contains(row) ?? false
    }
  }

  /// Reports modifications of objects whose order has not changed.
  private func reportModifications(of touched: TouchedRows.Rows, in rows: [Int64]) {
    guard results.isSimple, touched.changes.count < rows.count / 16 else {
      return report(CollectionDiff(old: rows, new: rows) { touched.contains($0) })
    }
    let places = touched.changes.keys.compactMap { row -> Int? in
      let place = rows.place(of: row)
      return place < rows.count && rows[place] == row ? place : nil
    }
    report(CollectionDiff(modifications: places.sorted()))
  }

  /// Returns the rows after a change; nil if neither the rows nor the objects in them can have changed.
  private func rowsNow(_ oldRows: [Int64], _ touchedRows: TouchedRows.Rows?) throws -> [Int64]? {
    guard results.isSimple, let touchedRows, !touchedRows.isUnknown, touchedRows.changes.count <= Self.fewRows
    else { return try results.rows() }
    var rows = oldRows
    var isConcerned = false
    for row in touchedRows.changes.keys {
      let place = rows.place(of: row)
      let wasThere = place < rows.count && rows[place] == row
      let isThere = try results.contains(row)
      isConcerned = isConcerned || wasThere || isThere
      if wasThere && !isThere { rows.remove(at: place) }
      if !wasThere && isThere { rows.insert(row, at: place) }
    }
    return isConcerned ? rows : nil
  }

  private func report(_ diff: CollectionDiff) { if !diff.isEmpty { receive(diff) } }
}

extension [Int64] {
  /// Returns the index of a row in an ascending list, or the index at which to insert it.
  fileprivate func place(of row: Int64) -> Int { partitioningIndex { $0 >= row } }
}
