// SPDX-License-Identifier: Apache-2.0

/// The budget of an app for one turn of the loop, before other apps have theirs.
package struct TurnBudget: Hashable, Sendable {
  /// The duration of a turn; the last step may exceed it.
  package var milliseconds: UInt64
  /// The number of rows that are read and requests that are performed. Matters where the clock stands still, as in
  /// simulations.
  package var stepCount: Int
  /// The number of bytes that are produced.
  package var byteCount: Int

  package init(milliseconds: UInt64 = 8, stepCount: Int = 10_000, byteCount: Int = 4 << 20) {
    self.milliseconds = milliseconds
    self.stepCount = stepCount
    self.byteCount = byteCount
  }

  /// For work that cannot be interrupted.
  static let unlimited = TurnBudget(milliseconds: .max, stepCount: .max, byteCount: .max)

  /// Returns a fraction of this budget.
  func divided(by count: Int) -> TurnBudget {
    TurnBudget(
      milliseconds: max(1, milliseconds / UInt64(count)),
      stepCount: max(1, stepCount / count),
      byteCount: max(1, byteCount / count)
    )
  }
}

/// Measures what has been done against a budget. Its users take at least one step before they check it, so that
/// everything eventually finishes.
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

  /// Adds what another meter has measured.
  func count(_ other: TurnMeter) { count(steps: other.stepCount, bytes: other.byteCount) }

  /// Whether the budget is exhausted and others must have their turn.
  var isExhausted: Bool {
    stepCount >= budget.stepCount || byteCount >= budget.byteCount || now() - begin >= budget.milliseconds
  }
}
