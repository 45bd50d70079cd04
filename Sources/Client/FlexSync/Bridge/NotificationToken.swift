// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Keeps an observation alive until the token is invalidated or released.
public final class NotificationToken {
  private var pointer: OpaquePointer?

  init(takingOver pointer: OpaquePointer) { self.pointer = pointer }

  deinit { invalidate() }

  /// Ends the observation.
  public func invalidate() {
    guard let pointer else { return }
    self.pointer = nil
    flx_notification_token_release(pointer)
  }

  /// Registers an observer of the data of a realm, called while the realm refreshes, begins a write transaction or
  /// commits. If the realm refreshes by itself, observers that expect a first call get it soon.
  static func make<Callback>(
    on realm: _RealmHandle,
    _ register: (
      UnsafeMutableRawPointer, UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<flx_error_t>
    ) -> flx_status_t,
    callback: Callback
  ) -> NotificationToken {
    defer { realm.live.scheduleRefresh() }
    return make(register, callback: callback)
  }

  /// Registers `callback`, boxed as userdata, with a C function that returns a token.
  static func make<Callback>(
    _ register: (
      UnsafeMutableRawPointer, UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<flx_error_t>
    ) -> flx_status_t,
    callback: Callback
  ) -> NotificationToken {
    NotificationToken(
      takingOver: makeHandleOrTrap { register(CallbackBox<Callback>.retained(callback), &$0, $1) }
    )
  }
}
