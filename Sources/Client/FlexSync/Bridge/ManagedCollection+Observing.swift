// SPDX-License-Identifier: Apache-2.0

import CFlexSync

extension ManagedCollection {
  /// Observes the collection without asking what has changed. The first call is made during the next refresh.
  func observeAnything(_ block: @escaping () -> Void) -> NotificationToken {
    guard kind == .dictionary else { return observe([], { () }) { _ in block() } }
    return NotificationToken.make(on: realm) { box, token, error in
      flx_dictionary_observe(pointer, callPlainObserver, box, freeCallbackBox, token, error)
    } callback: { () -> Void in
      block()
    }
  }
}

private let callPlainObserver: flx_dictionary_observer_t = { box, _ in
  CallbackBox<() -> Void>.callback(in: box)()
}
