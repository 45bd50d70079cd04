// SPDX-License-Identifier: Apache-2.0

/// The results of the rows in a vector file.
public struct VectorReport: Hashable, Sendable {
  /// A row whose result differed from the expected one.
  public struct Failure: Hashable, Sendable {
    public let id: String
    /// A description of the difference.
    public let difference: String
  }

  public private(set) var passedCount = 0
  public private(set) var failures: [Failure] = []
  /// The ways in which ambiguous rows were read, with the number of rows for each.
  public private(set) var readings: [String: Int] = [:]

  /// Counts a row. `difference` is nil if the row passed.
  public mutating func record(id: String, difference: String?) {
    if let difference { failures.append(Failure(id: id, difference: difference)) } else { passedCount += 1 }
  }

  /// Counts a row that was read in the given way.
  public mutating func note(_ reading: String) {
    readings[reading, default: 0] += 1
  }

  /// The final line of a run: `N passed, N failed`.
  public var summary: String { "\(passedCount) passed, \(failures.count) failed" }
}
