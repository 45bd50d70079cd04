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
    // 0 would wait indefinitely. So does anything longer than a million years.
    let milliseconds = timeout.flatMap { UInt64(exactly: Swift.max($0 * 1000, 1).rounded()) } ?? 0
    // The library may fail at once, in which case the completion is not called.
    let refusal = Refusal()
    let failure: StatusError? = await withCheckedContinuation(isolation: isolation) { continuation in
      let completion: Completion = { continuation.resume(returning: $0) }
      let refused = box.subscribe(name, waitForSync, milliseconds, completion)
      if let refused {
        refusal.failure = refused
        continuation.resume(returning: nil)
      }
    }
    if let failure = refusal.failure ?? failure { throw failure.publicError }
    Realm(handle).refresh()
    return self
  }

  /// Removes the subscription that these results made or, if there is none, an unnamed one with the same condition.
  /// The objects are removed from the device in the background.
  public func unsubscribe() { box.unsubscribe() }
}

private final class Refusal {
  var failure: StatusError?
}
