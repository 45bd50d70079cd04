// SPDX-License-Identifier: Apache-2.0

import CFlexSyncValue

/// A snapshot of a committed subscription set: `flx_subscription_set_t`.
final class SubscriptionSet {
  let coordinator: RealmCoordinator
  /// The set needs no realm, but two threads must not use it at the same time either.
  let claim = ThreadClaim()
  private let store: SubscriptionStore
  let version: Int64
  let subscriptions: [StoredSubscription]
  /// As of the last refresh.
  private(set) var state: SubscriptionSetState
  /// The copy of the subscriptions that the C interface lends to the program.
  var loan: AnyObject?
  private var serverWords: String?
  private var lentError: LentText

  init(_ stored: StoredSubscriptionSet, _ store: SubscriptionStore, _ coordinator: RealmCoordinator) {
    version = stored.version
    subscriptions = stored.subscriptions
    state = stored.state
    self.store = store
    self.coordinator = coordinator
    serverWords = stored.errorText
    lentError = LentText(stored.errorText ?? "")
  }

  deinit { claim.deallocate() }

  /// Updates the state and the error text.
  func refresh() throws {
    guard let newest = try store.set(version: version) else {
      state = .superseded
      return
    }
    state = newest.state
    guard newest.errorText != serverWords else { return }
    serverWords = newest.errorText
    lentError = LentText(newest.errorText ?? "")
  }

  /// The server's error text, lent by the set.
  var errorText: flx_string_t { lentError.string }
}
