// SPDX-License-Identifier: Apache-2.0

extension Realm {
  /// Reports the written rows to the observers, including first reports that are due.
  ///
  /// - Parameters:
  ///   - isOwnCommit: whether this handle has just committed the rows.
  ///   - silenced: the tokens of observers that must not report.
  func deliver(_ touched: TouchedRows, isOwnCommit: Bool = false, silenced: [NotificationToken] = []) {
    var all = undelivered
    undelivered = TouchedRows()
    all.formUnion(touched)
    guard !observers.isEmpty else { return }
    let numbers = Set(silenced.compactMap(\.observer?.number))
    // A callback may release the realm.
    withExtendedLifetime(self) {
      observers.deliver(Delivery(touched: all, isOwnCommit: isOwnCommit), silenced: numbers)
    }
  }

  /// Adds an observer, which stays until its token is released.
  ///
  /// - Throws: `CoreError` UNSUPPORTED for a frozen realm.
  func addObserver(_ observer: any Observer) throws -> NotificationToken {
    try requireLive()
    let number = observers.add(observer)
    return NotificationToken(observer: (self, number)) { [weak self] in self?.observers.remove(number) }
  }

  /// Adds an observer and makes its first report due.
  ///
  /// - Throws: `CoreError` UNSUPPORTED for a frozen realm.
  func addReportingObserver(_ observer: any Observer) throws -> NotificationToken {
    let token = try addObserver(observer)
    listener.notify()
    return token
  }
}

/// Reports any change to a realm, and each commit of its own handle.
final class RealmObserver: Observer {
  private unowned let realm: Realm
  private let report: (Realm) -> Void

  init(_ realm: Realm, _ report: @escaping (Realm) -> Void) {
    self.realm = realm
    self.report = report
  }

  func deliver(_ delivery: Delivery) {
    guard delivery.isOwnCommit || !delivery.touched.isEmpty, !delivery.isSilenced else { return }
    report(realm)
  }
}
