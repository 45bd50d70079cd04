// SPDX-License-Identifier: Apache-2.0

/// Tells that nobody waits for the answer to a request any more. Confined to the loop.
package final class RequestCancellation {
  package private(set) var isCancelled = false
  /// Called once.
  package var onCancel: (() -> Void)?

  package init() {}

  package func cancel() {
    isCancelled = true
    let onCancel = onCancel
    self.onCancel = nil
    onCancel?()
  }
}
