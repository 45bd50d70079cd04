// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension Mutex where Value: Sendable {
  /// Replaces the value. The previous one is released outside the lock, because that may run code of the program.
  func replace(with new: Value) {
    let previous = withLock { value in
      defer { value = new }
      return value
    }
    withExtendedLifetime(previous) {}
  }
}
