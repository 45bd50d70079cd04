// SPDX-License-Identifier: Apache-2.0

/// Carries a loop-confined value through code that runs elsewhere, such as closures posted to the loop. It can be
/// sent anywhere, but opened only on the loop's thread, which an assertion checks.
public struct LoopBound<Value>: @unchecked Sendable {
  /// The loop that the value belongs to.
  public let loop: any Scheduler
  private let confined: Value

  /// Wraps a value that belongs to `loop`. Must be called on the loop's thread.
  public init(_ value: Value, loop: any Scheduler) {
    loop.assertInLoop()
    self.loop = loop
    confined = value
  }

  /// The value. Accessible only on the loop's thread.
  public var value: Value {
    loop.assertInLoop()
    return confined
  }
}
