// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncStorage

/// A committed subscription set as a snapshot: `flx_subscription_set_t`.
final class SubscriptionSet {
  let coordinator: RealmCoordinator
  /// The set needs no realm, but must not be used by two threads at once either.
  let claim = ThreadClaim()
  private let store: SubscriptionStore
  private(set) var stored: StoredSubscriptionSet
  private var lent: LentSubscriptions?
  private var lentError: LentText

  init(_ stored: StoredSubscriptionSet, _ store: SubscriptionStore, _ coordinator: RealmCoordinator) {
    self.stored = stored
    self.store = store
    self.coordinator = coordinator
    lentError = LentText(stored.errorText ?? "")
  }

  deinit { claim.deallocate() }

  /// Brings state and error text up to date.
  func refresh() throws {
    guard let newest = try store.set(version: stored.version) else {
      stored.state = .superseded
      return
    }
    stored.state = newest.state
    guard newest.errorText != stored.errorText else { return }
    stored.errorText = newest.errorText
    lentError = LentText(newest.errorText ?? "")
  }

  /// The state for C.
  var state: flx_subscription_state_t { stored.state.cState }

  /// The server's words, lent by the set.
  var errorText: flx_string_t { lentError.string }

  /// The subscriptions for C, lent by the set.
  var subscriptions: LentSubscriptions {
    let subscriptions = lent ?? LentSubscriptions(stored.subscriptions)
    lent = subscriptions
    return subscriptions
  }
}

extension SubscriptionSetState {
  /// The state for C; the numbers are those of the protocol.
  var cState: flx_subscription_state_t {
    switch self {
    case .pending: .FLX_SUBSCRIPTION_PENDING
    case .bootstrapping: .FLX_SUBSCRIPTION_BOOTSTRAPPING
    case .complete: .FLX_SUBSCRIPTION_COMPLETE
    case .error: .FLX_SUBSCRIPTION_ERROR
    case .superseded: .FLX_SUBSCRIPTION_SUPERSEDED
    case .awaitingMark: .FLX_SUBSCRIPTION_AWAITING_MARK
    }
  }
}
