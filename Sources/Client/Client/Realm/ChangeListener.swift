// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Notifies the program that refreshing a realm handle would have something to do. Any thread.
final class ChangeListener: Sendable {
  private let callback = Mutex<(@Sendable () -> Void)?>(nil)

  /// Replaces the callback; nil removes it.
  func set(_ new: (@Sendable () -> Void)?) { callback.replace(with: new) }

  func notify() { callback.withLock { $0 }?() }
}
