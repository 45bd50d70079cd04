// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps an observation alive until it is invalidated or deallocated. May be invalidated on any thread.
final class NotificationToken: Sendable {
  /// For an observer of the data of a realm, its number there.
  private struct Target: @unchecked Sendable {
    weak var realm: Realm?
    let number: ObserverList.Number
  }

  private struct Cancellation: @unchecked Sendable {
    let run: () -> Void
  }

  /// For an observer of the data of a realm, the realm and the number of the observer there.
  var observer: (realm: Realm, number: ObserverList.Number)? { target.realm.map { ($0, target.number) } }
  private let target: Target
  private let cancellation: Mutex<Cancellation?>
  private let gate = Mutex<CallbackGate?>(nil)

  /// - Parameter cancel: ends the observation; called once.
  init(observer: (realm: Realm, number: ObserverList.Number)? = nil, cancel: @escaping () -> Void) {
    target = Target(realm: observer?.realm, number: observer?.number ?? 0)
    cancellation = Mutex(Cancellation(run: cancel))
  }

  deinit { invalidate() }

  /// Makes the token control the calls that go through a gate.
  func control(_ gate: CallbackGate) { self.gate.withLock { $0 = gate } }

  /// Ends the observation.
  func invalidate() {
    gate.withLock { $0 }?.close()
    let cancellation = cancellation.withLock { held in
      defer { held = nil }
      return held
    }
    cancellation?.run()
  }

  /// Ends the observation and waits until no other thread is in a call of the observer.
  func stop() {
    invalidate()
    gate.withLock { $0 }?.wait()
  }
}
