// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension Realm {
  /// Reports the written rows to the observers, including first reports that are due.
  func deliver(_ touched: TouchedRows) {
    var all = undelivered
    undelivered = TouchedRows()
    all.formUnion(touched)
    guard !observers.isEmpty else { return }
    // A callback may release the realm.
    withExtendedLifetime(self) { observers.deliver(all) }
  }

  /// Adds an observer, which stays until its token is released.
  func addObserver(_ observer: any Observer) -> NotificationToken {
    let number = observers.add(observer)
    return NotificationToken { [weak self] in self?.observers.remove(number) }
  }
}

/// Reports any change to a realm.
final class RealmObserver: Observer {
  private unowned let realm: Realm
  private let callback: flx_realm_observer_t
  private let userdata: Userdata

  init(_ realm: Realm, _ callback: @escaping flx_realm_observer_t, _ userdata: Userdata) {
    self.realm = realm
    self.callback = callback
    self.userdata = userdata
  }

  func deliver(_ touched: TouchedRows) {
    guard !touched.isEmpty else { return }
    Handle.lend(realm, to: "flx_realm_observer_t") { callback(userdata.pointer, $0) }
  }
}
