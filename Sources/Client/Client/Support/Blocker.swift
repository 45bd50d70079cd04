// SPDX-License-Identifier: Apache-2.0

/// A value that one thread waits for and another delivers, once. Any thread.
final class Blocker<Value: Sendable>: Sendable {
  private let value = Monitor<Value?>(nil)

  /// Delivers the value and wakes the waiting threads; later values are dropped.
  func deliver(_ newValue: Value) { value.change { $0 = $0 ?? newValue } }

  /// The value if it has been delivered.
  var delivered: Value? { value.withLock { $0 } }

  /// Blocks until the value is delivered.
  func wait() -> Value {
    guard let value = value.wait(milliseconds: nil, until: { $0 }) else {
      preconditionFailure("a wait without a timeout ended without a value")
    }
    return value
  }
}
