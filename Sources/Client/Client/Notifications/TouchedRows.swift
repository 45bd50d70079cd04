// SPDX-License-Identifier: Apache-2.0

import FlexSyncStore

/// The rows that one or more commits wrote, by class name.
struct TouchedRows: Sendable {
  typealias RowChange = ChangeRecorder.RowChange
  typealias ColumnSet = ChangeRecorder.ColumnSet

  /// The changes to the rows of one class.
  struct Rows: Sendable {
    fileprivate(set) var changes: [Int64: RowChange] = [:]
    /// Whether objects were created or erased.
    fileprivate(set) var isMembershipTouched = false
    /// Whether any row may have been written, because the source cannot tell which ones were.
    fileprivate(set) var isUnknown = false

    func contains(_ row: Int64) -> Bool { isUnknown || changes[row] != nil }

    /// Returns the columns of a row that may have changed; nil if none has.
    func columns(of row: Int64) -> ColumnSet? {
      if isUnknown { return .all }
      switch changes[row] {
      case nil: return nil
      case .modified(let columns): return columns
      case .inserted, .erased: return .all
      }
    }
  }

  private(set) var classes: [String: Rows] = [:]
  /// Whether any row of any class may have been written.
  private(set) var isUnknown = false

  init() {}

  init(_ changes: [String: [Int64: RowChange]]) {
    for (className, rows) in changes where !rows.isEmpty {
      let isMembershipTouched = rows.values.contains { $0 == .inserted || $0 == .erased }
      classes[className] = Rows(changes: rows, isMembershipTouched: isMembershipTouched)
    }
  }

  /// The value that covers every row of every class.
  static var unknown: TouchedRows {
    var touched = TouchedRows()
    touched.isUnknown = true
    return touched
  }

  var isEmpty: Bool { classes.isEmpty && !isUnknown }

  /// The number of rows recorded, a measure of the memory in use.
  var count: Int { classes.values.reduce(0) { $0 + $1.changes.count } }

  subscript(className: String) -> Rows? {
    isUnknown ? Rows(isMembershipTouched: true, isUnknown: true) : classes[className]
  }

  /// Adds the rows that later commits wrote.
  mutating func formUnion(_ later: TouchedRows) {
    guard !isUnknown else { return }
    guard !later.isUnknown else {
      self = .unknown
      return
    }
    classes.merge(later.classes) { earlier, later in earlier.followed(by: later) }
  }
}

extension TouchedRows.Rows {
  fileprivate func followed(by later: TouchedRows.Rows) -> TouchedRows.Rows {
    var result = self
    result.isMembershipTouched = isMembershipTouched || later.isMembershipTouched
    result.isUnknown = isUnknown || later.isUnknown
    result.changes.merge(later.changes) { earlier, later in
      switch (earlier, later) {
      case (.modified(var columns), .modified(let more)):
        columns.formUnion(more)
        return .modified(columns)
      case (.inserted, .modified): return .inserted
      case (.erased, .inserted): return .modified(.all)
      default: return later
      }
    }
    return result
  }
}
