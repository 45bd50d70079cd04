// SPDX-License-Identifier: Apache-2.0

/// The object that keeps an observation alive: `flx_notification_token_t`.
final class NotificationToken {
  private var cancel: (() -> Void)?

  /// - Parameter cancel: ends the observation; called once.
  init(cancel: @escaping () -> Void) { self.cancel = cancel }

  deinit { invalidate() }

  /// Ends the observation.
  func invalidate() {
    let cancel = self.cancel
    self.cancel = nil
    cancel?()
  }
}
