// SPDX-License-Identifier: Apache-2.0

/// Collects what changes in a write transaction, for notifications.
public final class ChangeRecorder {
  /// What happened to one row, all in all.
  public enum RowChange: Hashable, Sendable {
    /// The object is new.
    case inserted
    /// Properties changed.
    case modified(ColumnSet)
    /// The object is gone.
    case erased
  }

  /// Some columns of a class, by index. Those from 63 on count as one, so that a report about them may be too
  /// broad, never too narrow.
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

  /// Changed rows by class name.
  public private(set) var changes: [String: [Int64: RowChange]] = [:]

  /// Creates an empty recorder.
  public init() {}

  /// Whether nothing has changed.
  public var isEmpty: Bool { changes.isEmpty }

  /// Forgets everything, for the next transaction.
  public func reset() { changes = [:] }

  func inserted(row: Int64, in table: ClassTable) {
    let previous = changes[table.name, default: [:]].updateValue(.inserted, forKey: row)
    // Erased and created again in one transaction: the same object with other contents.
    if previous == .erased { changes[table.name]?[row] = .modified(.all) }
  }

  func modified(row: Int64, column: Column) {
    switch changes[column.table.name]?[row] {
    case .inserted, .erased: return
    case .modified(var columns):
      guard !columns.contains(column.index) else { return }
      columns.insert(column.index)
      changes[column.table.name]?[row] = .modified(columns)
    case nil:
      var columns = ColumnSet()
      columns.insert(column.index)
      changes[column.table.name, default: [:]][row] = .modified(columns)
    }
  }

  func erased(row: Int64, in table: ClassTable) {
    if changes[table.name]?[row] == .inserted {
      changes[table.name]?[row] = nil
    } else {
      changes[table.name, default: [:]][row] = .erased
    }
  }
}
