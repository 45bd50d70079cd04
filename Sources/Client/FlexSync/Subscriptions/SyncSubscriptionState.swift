// SPDX-License-Identifier: Apache-2.0

/// The state of a subscription set.
public enum SyncSubscriptionState: Sendable {
  /// The data that matched when the server processed the set is on the device.
  case complete
  /// The server rejected the set; the previous set stays in force. The error is a `SyncError` with the code
  /// `invalidFlexibleSyncSubscriptions` and the server's message.
  case error(any Error)
  /// Committed on the device, but its data has not arrived yet.
  case pending
  /// A newer set took its place.
  case superseded
}

extension SyncSubscriptionState: Equatable {
  /// All errors are considered equal.
  public static func == (left: SyncSubscriptionState, right: SyncSubscriptionState) -> Bool {
    switch (left, right) {
    case (.complete, .complete), (.pending, .pending), (.superseded, .superseded), (.error, .error): true
    default: false
    }
  }
}
