// SPDX-License-Identifier: Apache-2.0

/// The object that keeps an observation alive: `flx_notification_token_t`.
final class NotificationToken {
  /// For an observer of the data of a realm, the realm and the number of the observer there.
  var observer: (realm: Realm, number: ObserverList.Number)? { realm.map { ($0, number) } }
  private weak var realm: Realm?
  private let number: ObserverList.Number
  private var cancel: (() -> Void)?

  /// - Parameter cancel: ends the observation; called once.
  init(observer: (realm: Realm, number: ObserverList.Number)? = nil, cancel: @escaping () -> Void) {
    realm = observer?.realm
    number = observer?.number ?? 0
    self.cancel = cancel
  }

  deinit { invalidate() }

  /// Ends the observation.
  func invalidate() {
    let cancel = self.cancel
    self.cancel = nil
    cancel?()
  }
}
