// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Synchronization

/// Keeps an observation alive until the token is invalidated or released. Any thread.
public final class NotificationToken: Sendable {
  private struct State: @unchecked Sendable {
    var isValid = true
    /// The token of the C interface; nil for an observation by another token.
    var pointer: OpaquePointer?
    /// What else ends the observation. Called once, on the thread that ends it.
    var end: (() -> Void)?
  }

  /// Registers an observer with the C interface: takes its userdata and returns its token.
  typealias Registration = (
    UnsafeMutableRawPointer, UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<flx_error_t>
  ) -> flx_status_t

  private let state: Mutex<State>

  /// Takes ownership of a token.
  init(takingOver pointer: OpaquePointer, end: (() -> Void)? = nil) {
    state = Mutex(State(pointer: pointer, end: end))
  }

  /// Creates a token for an observation that is yet to begin: see `begin`.
  init() { state = Mutex(State()) }

  deinit { invalidate() }

  /// Ends the observation. Returns whether it had not ended before.
  @discardableResult
  public func invalidate() -> Bool {
    let ended = state.withLock { state in
      defer { state = State(isValid: false) }
      return state
    }
    flx_notification_token_release(ended.pointer)
    ended.end?()
    return ended.isValid
  }

  /// Begins the observation unless the token has been invalidated.
  ///
  /// - Parameter register: begins it, and returns what ends it.
  func begin(_ register: () -> (() -> Void)?) {
    // Invalidating the token waits for the end of this, so that no call comes after it.
    state.withLock { state in
      if state.isValid { state.end = register() }
    }
  }

  /// Passes the tokens of the C interface that belong to tokens.
  static func withPointers<Result>(
    _ tokens: [NotificationToken],
    _ body: (UnsafeBufferPointer<OpaquePointer>) -> Result
  ) -> Result {
    let pointers = tokens.compactMap { token in token.state.withLock { $0.pointer } }
    return withExtendedLifetime(tokens) { pointers.withUnsafeBufferPointer(body) }
  }

  /// Registers an observer of the data of a realm, called while the realm refreshes, begins a write transaction or
  /// commits. If the realm refreshes by itself, observers that expect a first call get it soon.
  static func make<Callback>(
    on realm: _RealmHandle,
    _ register: Registration,
    callback: Callback,
    end: (() -> Void)? = nil
  ) -> NotificationToken {
    defer { realm.live.scheduleRefresh() }
    return make(register, callback: callback, end: end)
  }

  /// Registers `callback`, boxed as userdata, with a C function that returns a token.
  static func make<Callback>(
    _ register: Registration,
    callback: Callback,
    end: (() -> Void)? = nil
  ) -> NotificationToken {
    NotificationToken(
      takingOver: makeHandleOrTrap { register(CallbackBox<Callback>.retained(callback), &$0, $1) },
      end: end
    )
  }
}
