// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// The times of a connection in milliseconds (protocol §11).
package struct ConnectionTimeouts: Hashable, Sendable {
  /// The time within which a connection must be established.
  var connect: UInt64 = 120_000
  /// The time for which a connection without sessions is kept.
  var linger: UInt64 = 30_000
  /// The time between two PINGs.
  var pingPeriod: UInt64 = 60_000
  /// The time within which a PING must be answered.
  var pongTimeout: UInt64 = 120_000
  /// The time within which a reconnect does not hold back uploads.
  var fastReconnect: MonotonicTime = 60_000
}
