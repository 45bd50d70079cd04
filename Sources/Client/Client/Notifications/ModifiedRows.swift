// SPDX-License-Identifier: Apache-2.0

/// The objects of a class that count as modified, for an observer.
enum ModifiedRows {
  /// Any object may be.
  case all
  /// Those that were written.
  case written(TouchedRows.Rows)
  case found(Set<Int64>)

  static var none: ModifiedRows { .found([]) }

  init(_ written: TouchedRows.Rows?) { self = written.map { .written($0) } ?? .none }

  func contains(_ row: Int64) -> Bool {
    switch self {
    case .all: true
    case .written(let rows): rows.contains(row)
    case .found(let rows): rows.contains(row)
    }
  }

  var isEmpty: Bool { count == 0 }

  /// The number of rows, or that of all numbers for any.
  var count: Int {
    switch self {
    case .all: .max
    case .written(let rows): rows.isUnknown ? .max : rows.changes.count
    case .found(let rows): rows.count
    }
  }

  /// The rows; none for `all`.
  var rows: [Int64] {
    switch self {
    case .all: []
    case .written(let rows): Array(rows.changes.keys)
    case .found(let rows): Array(rows)
    }
  }
}
