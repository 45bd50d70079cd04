// SPDX-License-Identifier: Apache-2.0

/// Mistakes of the program for which the Realm Swift SDK raises an exception.
package enum Misuse {
  /// Stops the program, with the text of the exception. Optimized programs print it too.
  package static func stop(_ message: String) -> Never { fatalError(message) }

  /// Stops the program unless a condition holds.
  package static func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { stop(message()) }
  }

  /// Stops the program unless an index is within bounds.
  ///
  /// - Parameter limit: the first index that is too great.
  static func requireIndex(_ index: Int, below limit: Int) {
    requireNotNegative(index)
    if index >= limit { stop("Index \(index) is out of bounds (must be less than \(limit)).") }
  }

  /// Stops the program if an index is negative.
  static func requireNotNegative(_ index: Int, name: String = "index") {
    if index < 0 { stop("Cannot pass a negative value for '\(name)'.") }
  }
}
