// SPDX-License-Identifier: Apache-2.0

/// How the rows of a vector file fared.
public struct VectorReport: Hashable, Sendable {
  /// A row that did not give what it says.
  public struct Failure: Hashable, Sendable {
    public let id: String
    /// What differed.
    public let difference: String
  }

  public private(set) var passedCount = 0
  public private(set) var failures: [Failure] = []
  /// How rows were read that allow more than one answer, with the number of rows.
  public private(set) var readings: [String: Int] = [:]

  public init() {}

  /// Counts a row; `difference` is nil if it gave what it says.
  public mutating func record(id: String, difference: String?) {
    if let difference { failures.append(Failure(id: id, difference: difference)) } else { passedCount += 1 }
  }

  /// Counts a row that was read in the given way.
  public mutating func note(_ reading: String) {
    readings[reading, default: 0] += 1
  }

  /// The line that ends a run: `N passed, N failed`.
  public var summary: String { "\(passedCount) passed, \(failures.count) failed" }
}
