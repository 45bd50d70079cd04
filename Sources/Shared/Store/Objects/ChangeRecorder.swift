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
    private var bits: UInt64 = 0

    init() {}

    /// All columns.
    public static let all = ColumnSet(bits: .max)

    private init(bits: UInt64) { self.bits = bits }

    /// Whether the column with that index is in the set.
    public func contains(_ index: Int) -> Bool { bits & (1 << UInt64(min(index, 63))) != 0 }

    /// Adds a column.
    public mutating func insert(_ index: Int) { bits |= 1 << UInt64(min(index, 63)) }

    /// Adds the columns of another set.
    public mutating func formUnion(_ other: ColumnSet) { bits |= other.bits }
  }

  private final class ClassChanges {
    let table: ClassTable
    var rows: [Int64: RowChange] = [:]

    init(_ table: ClassTable) { self.table = table }
  }

  private var classes: [ClassChanges] = []
  /// The class that changed last. Consecutive changes often have the same class.
  private var current: ClassChanges?

  /// Creates an empty recorder.
  public init() {}

  /// The changed rows by class name.
  public var changes: [String: [Int64: RowChange]] {
    var result: [String: [Int64: RowChange]] = [:]
    for changes in classes where !changes.rows.isEmpty { result[changes.table.name] = changes.rows }
    return result
  }

  /// Whether nothing has changed.
  public var isEmpty: Bool { classes.allSatisfy(\.rows.isEmpty) }

  /// Discards all changes, for the next transaction.
  public func reset() {
    classes = []
    current = nil
  }

  func inserted(row: Int64, in table: ClassTable) {
    let changes = changes(of: table)
    // An object erased and created again in one transaction counts as the same object with different contents.
    if changes.rows.updateValue(.inserted, forKey: row) == .erased { changes.rows[row] = .modified(.all) }
  }

  func modified(row: Int64, column: Column) {
    let changes = changes(of: column.table)
    var columns: ColumnSet
    switch changes.rows[row] {
    case .inserted, .erased: return
    case .modified(let known): columns = known
    case nil: columns = ColumnSet()
    }
    guard !columns.contains(column.index) else { return }
    columns.insert(column.index)
    changes.rows[row] = .modified(columns)
  }

  func erased(row: Int64, in table: ClassTable) {
    let changes = changes(of: table)
    if changes.rows.updateValue(.erased, forKey: row) == .inserted { changes.rows[row] = nil }
  }

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
