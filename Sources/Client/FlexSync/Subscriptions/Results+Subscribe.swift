// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Determines when `subscribe` waits for the server.
public enum WaitForSyncMode: Sendable {
  /// If the subscription is new or its query has changed.
  case onCreation
  /// Always, until the server's current data is on the device.
  case always
  case never
}

extension Results {
  /// Subscribes to the class and condition of these results. Call it on the main actor or the actor of the realm.
  ///
  /// - Parameters:
  ///   - name: a subscription with this name is given this class and condition; nil subscribes without a name.
  ///   - timeout: the seconds to wait; nil waits indefinitely. After a timeout the subscription is kept.
  /// - Throws: `NSError` `ETIMEDOUT` of the POSIX domain; `Realm.Error` with code `subscriptionFailed`.
  @discardableResult
  public func subscribe(
    name: String? = nil,
    waitForSync: WaitForSyncMode = .onCreation,
    timeout: TimeInterval? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Results<Element> {
    guard isolation != nil else {
      throw Realm.Error(
        code: .fail,
        message: "`subscribe` can only be called on main thread or actor-isolated Realms"
      )
    }
    let milliseconds = milliseconds(timeout)
    try await awaitUnlessRefused(isolation) { box.subscribe(name, waitForSync, milliseconds, $0) }
    Realm(handle).refresh()
    return self
  }

  /// Removes the subscription that these results made or, if there is none, an unnamed one with the same condition.
  /// The objects are removed from the device in the background.
  public func unsubscribe() { box.unsubscribe() }

  /// The form of `unsubscribe` that waits until the objects which no other subscription brings have left the device.
  /// Call it on the main actor or the actor of the realm. It returns at once if there is no such subscription.
  ///
  /// - Parameter timeout: the seconds to wait; nil waits indefinitely. After a timeout the subscription is removed all
  ///   the same.
  /// - Throws: `NSError` `ETIMEDOUT` of the POSIX domain; `Realm.Error` if the realm is not synced, and with code
  ///   `subscriptionFailed` if the server refuses the subscriptions that remain.
  public func unsubscribeAndWait(
    timeout: TimeInterval? = nil,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let milliseconds = milliseconds(timeout)
    try await awaitUnlessRefused(isolation) { box.unsubscribe(milliseconds, $0) }
    Realm(handle).refresh()
  }
}

/// The milliseconds of a timeout for the library, for which 0 would wait indefinitely. So does anything longer than a
/// million years.
private func milliseconds(_ timeout: TimeInterval?) -> UInt64 {
  timeout.flatMap { UInt64(exactly: max($0 * 1000, 1).rounded()) } ?? 0
}

/// Starts an operation and waits for its completion, which the library does not call if it refuses at once.
///
/// - Parameter start: returns the error with which the library refuses.
private func awaitUnlessRefused(
  _ isolation: isolated (any Actor)?,
  _ start: (@escaping Completion) -> StatusError?
) async throws {
  let refusal = Refusal()
  let failure: StatusError? = await withCheckedContinuation(isolation: isolation) { continuation in
    guard let refused = start({ continuation.resume(returning: $0) }) else { return }
    refusal.failure = refused
    continuation.resume(returning: nil)
  }
  if let failure = refusal.failure ?? failure { throw failure.publicError }
}

private final class Refusal {
  var failure: StatusError?
}
