// SPDX-License-Identifier: Apache-2.0

/// Signals that the client no longer waits for the answer to a request. Confined to the loop.
package final class RequestCancellation {
  package private(set) var isCancelled = false
  /// Called at most once.
  package var onCancel: (() -> Void)?

  package init() {}

  package func cancel() {
    isCancelled = true
    let onCancel = onCancel
    self.onCancel = nil
    onCancel?()
  }
}
