// SPDX-License-Identifier: Apache-2.0

/// How much an app does in one turn of the loop before others have theirs.
package struct TurnBudget: Hashable, Sendable {
  /// How long a turn takes, beyond the last step that was begun.
  package var milliseconds: UInt64
  /// How many rows are read and requests are done. It matters where the clock stands still.
  package var stepCount: Int
  /// How many bytes are made.
  package var byteCount: Int

  package init(milliseconds: UInt64 = 8, stepCount: Int = 10_000, byteCount: Int = 4 << 20) {
    self.milliseconds = milliseconds
    self.stepCount = stepCount
    self.byteCount = byteCount
  }

  /// For work that cannot be interrupted.
  static let unlimited = TurnBudget(milliseconds: .max, stepCount: .max, byteCount: .max)

  /// A part of this.
  func divided(by count: Int) -> TurnBudget {
    TurnBudget(
      milliseconds: max(1, milliseconds / UInt64(count)),
      stepCount: max(1, stepCount / count),
      byteCount: max(1, byteCount / count)
    )
  }
}

/// Measures what has been done against a budget. Whoever works with it takes one step at least before looking at it, so
/// that everything comes to an end.
final class TurnMeter {
  private let budget: TurnBudget
  private let now: () -> UInt64
  private let begin: UInt64
  private(set) var stepCount = 0
  private(set) var byteCount = 0

  /// - Parameter now: the milliseconds of a monotonic clock.
  init(_ budget: TurnBudget, now: @escaping () -> UInt64) {
    self.budget = budget
    self.now = now
    begin = now()
  }

  /// For work that cannot be interrupted.
  static func unlimited() -> TurnMeter { TurnMeter(.unlimited) { 0 } }

  func count(steps: Int = 1, bytes: Int = 0) {
    stepCount += steps
    byteCount += bytes
  }

  /// Counts what was measured with another meter.
  func count(_ other: TurnMeter) { count(steps: other.stepCount, bytes: other.byteCount) }

  /// Whether it is time for others.
  var isExhausted: Bool {
    stepCount >= budget.stepCount || byteCount >= budget.byteCount || now() - begin >= budget.milliseconds
  }
}
