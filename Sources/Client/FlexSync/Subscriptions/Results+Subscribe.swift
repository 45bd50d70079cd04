// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

/// When `subscribe` waits for the server.
public enum WaitForSyncMode: Sendable {
  /// If the subscription is new or has another query than before.
  case onCreation
  /// Always, until the server's present data is on the device.
  case always
  case never

  var flexMode: flx_wait_for_sync_t {
    switch self {
    case .onCreation: .FLX_WAIT_ON_CREATION
    case .always: .FLX_WAIT_ALWAYS
    case .never: .FLX_WAIT_NEVER
    }
  }
}

extension Results {
  /// Subscribes to the class and condition of these results. Call it on the main actor or the actor of the realm.
  ///
  /// - Parameters:
  ///   - name: a subscription of that name is given this class and condition; nil subscribes without a name.
  ///   - timeout: seconds to wait; nil waits for ever. After a time-out the subscription stays.
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
    // 0 would wait for ever. Longer than a million years is for ever, too.
    let milliseconds = timeout.flatMap { UInt64(exactly: Swift.max($0 * 1000, 1).rounded()) } ?? 0
    // The library may refuse at once, in which case the completion is not called.
    let refusal = Refusal()
    let failure: StatusError? = await withCheckedContinuation(isolation: isolation) { continuation in
      let completion: Completion = { continuation.resume(returning: $0) }
      let refused = name.withFlexString { name in
        FlexSync.failure {
          flx_results_subscribe(
            pointer,
            name,
            waitForSync.flexMode,
            milliseconds,
            callCompletion,
            CallbackBox<Completion>.retained(completion),
            freeCallbackBox,
            $0
          )
        }
      }
      if let refused {
        refusal.failure = refused
        continuation.resume(returning: nil)
      }
    }
    if let failure = refusal.failure ?? failure { throw failure.publicError }
    Realm(handle).refresh()
    return self
  }

  /// Removes the subscription that these results made, else an unnamed one with the same condition. The objects leave
  /// the device in the background.
  public func unsubscribe() {
    trapOnMisuse { flx_results_unsubscribe(pointer, $0) }
  }
}

private final class Refusal {
  var failure: StatusError?
}
