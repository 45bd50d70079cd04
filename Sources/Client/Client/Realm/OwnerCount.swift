// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts the owners of something that the last of them closes; at first one. Any thread.
final class OwnerCount: Sendable {
  private let count = Atomic(1)

  func add() { count.wrappingAdd(1, ordering: .relaxed) }

  /// - Returns: Whether this was the last owner.
  func remove() -> Bool { count.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
