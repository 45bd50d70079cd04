// SPDX-License-Identifier: Apache-2.0

/// Whether a session syncs. The numbers are those of `flx_session_state_t`.
package enum SessionState: UInt32, Sendable {
  case active
  case inactive
  /// The realm is closed.
  case closed
}

/// The state of a session's connection. The numbers are those of `flx_connection_state_t`.
package enum ConnectionState: UInt32, Sendable {
  case disconnected
  case connecting
  case connected
}
