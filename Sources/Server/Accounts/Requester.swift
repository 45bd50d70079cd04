// SPDX-License-Identifier: Apache-2.0

/// The client that waits for the answer to a request.
package struct Requester {
  /// The address under which its attempts are counted; see `ClientAddress`.
  package let address: String
  /// Signals that it has disconnected.
  package let cancellation: RequestCancellation

  package init(address: String, cancellation: RequestCancellation = RequestCancellation()) {
    self.address = address
    self.cancellation = cancellation
  }
}
