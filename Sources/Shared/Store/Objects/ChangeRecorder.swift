// SPDX-License-Identifier: Apache-2.0

/// Collects the changes of a write transaction for notifications.
public final class ChangeRecorder {
  /// The net change of one row.
  public enum RowChange: Hashable, Sendable {
    /// The object is new.
    case inserted
    /// Properties changed.
    case modified(ColumnSet)
    /// The object is gone.
    case erased
  }

  /// A set of columns of a class, by index. Columns from 63 on share one bit, so a report about them may be too
  /// broad, but never too narrow.
  public struct ColumnSet: Hashable, Sendable {
    /// One bit for each column, the first one least significant.
    package private(set) var bits: UInt64 = 0

    init() {}

    /// All columns.
    public static let all = ColumnSet(bits: .max)

    package init(bits: UInt64) { self.bits = bits }

    /// Whether the column with that index is in the set.
    public func contains(_ index: Int) -> Bool { bits & (1 << UInt64(min(index, 63))) != 0 }

    /// Adds a column.
    public mutating func insert(_ index: Int) { bits |= 1 << UInt64(min(index, 63)) }

    /// Adds the columns of another set.
    public mutating func formUnion(_ other: ColumnSet) { bits |= other.bits }
  }

  private final class ClassChanges {
    let table: ClassTable
    /// The rows inserted one after the other, which is the way in which most are. They are not in `others`.
    @exclusivity(unchecked) var inserted: Range<Int64> = 0..<0
    @exclusivity(unchecked) var others: [Int64: RowChange] = [:]

    init(_ table: ClassTable) { self.table = table }

    var isEmpty: Bool { inserted.isEmpty && others.isEmpty }

    /// All changes.
    var rows: [Int64: RowChange] {
      guard !inserted.isEmpty else { return others }
      var rows = others
      rows.reserveCapacity(rows.count + inserted.count)
      for row in inserted { rows[row] = .inserted }
      return rows
    }

    func insert(_ row: Int64) {
      if inserted.isEmpty, others[row] == nil {
        inserted = row..<row + 1
      } else if row == inserted.upperBound, others.isEmpty || others[row] == nil {
        inserted = inserted.lowerBound..<row + 1
      } else if others.updateValue(.inserted, forKey: row) == .erased {
        // An object erased and created again in one transaction counts as the same object with different contents.
        others[row] = .modified(.all)
      }
    }

    func modify(_ row: Int64, _ column: Int) {
      guard !inserted.contains(row) else { return }
      var columns: ColumnSet
      switch others[row] {
      case .inserted, .erased: return
      case .modified(let known): columns = known
      case nil: columns = ColumnSet()
      }
      guard !columns.contains(column) else { return }
      columns.insert(column)
      others[row] = .modified(columns)
    }

    func erase(_ row: Int64) {
      if inserted.contains(row) {
        if row + 1 == inserted.upperBound {
          inserted = inserted.lowerBound..<row
          return
        }
        for row in inserted { others[row] = .inserted }
        inserted = 0..<0
      }
      if others.updateValue(.erased, forKey: row) == .inserted { others[row] = nil }
    }
  }

  private var classes: [ClassChanges] = []
  /// The class that changed last. Consecutive changes often have the same class.
  @exclusivity(unchecked) private var current: ClassChanges?

  /// Creates an empty recorder.
  public init() {}

  /// The changed rows by class name.
  public var changes: [String: [Int64: RowChange]] {
    var result: [String: [Int64: RowChange]] = [:]
    for changes in classes where !changes.isEmpty { result[changes.table.name] = changes.rows }
    return result
  }

  /// Whether nothing has changed.
  public var isEmpty: Bool { classes.allSatisfy(\.isEmpty) }

  /// Discards all changes, for the next transaction.
  public func reset() {
    classes = []
    current = nil
  }

  func inserted(row: Int64, in table: ClassTable) { changes(of: table).insert(row) }

  func modified(row: Int64, column: Column) { changes(of: column.table).modify(row, column.index) }

  func erased(row: Int64, in table: ClassTable) { changes(of: table).erase(row) }

  private func changes(of table: ClassTable) -> ClassChanges {
    if let current, current.table === table { return current }
    let changes: ClassChanges
    if let known = classes.first(where: { $0.table === table }) {
      changes = known
    } else {
      changes = ClassChanges(table)
      classes.append(changes)
    }
    current = changes
    return changes
  }
}
