// SPDX-License-Identifier: Apache-2.0

/// Where a subscription set is on its way.
public enum SyncSubscriptionState: Sendable {
  /// The data that matched when the server saw the set is on the device.
  case complete
  /// The server rejected the set; the set before stays in force. It is a `SyncError` with the code
  /// `invalidFlexibleSyncSubscriptions` and the server's words.
  case error(any Error)
  /// Committed on the device; its data is not here yet.
  case pending
  /// A newer set took its place.
  case superseded
}

extension SyncSubscriptionState: Equatable {
  /// Errors count as equal.
  public static func == (left: SyncSubscriptionState, right: SyncSubscriptionState) -> Bool {
    switch (left, right) {
    case (.complete, .complete), (.pending, .pending), (.superseded, .superseded), (.error, .error): true
    default: false
    }
  }
}
