// SPDX-License-Identifier: Apache-2.0

/// Limits on what is delivered to clients, and on the memory and time that this takes.
package struct DeliveryLimits: Sendable {
  /// The number of uncompressed bytes at which a message is full.
  package var messageByteCount: Int
  /// The number of bytes at which a changeset of a bootstrap is full. A client applies such changesets one by one.
  package var changesetByteCount: Int
  /// Limits on how much history is read at once to extend the streams.
  package var history = HistoryLimits()
  /// The budget of the app for one turn of the loop.
  package var turn = TurnBudget()
  /// The time for which a client may leave pending data unread before the server disconnects it.
  package var stallMilliseconds: UInt64 = 3 * 60_000
  /// The maximum number of sessions that receive bootstraps at the same time.
  package var simultaneousBootstraps = 128
  /// The time for which a client may stay silent. A live one sends a PING at least once a minute (protocol §11).
  package var silenceMilliseconds: UInt64 = 3 * 60_000
  /// The slowest rate at which a long message may arrive. A client that sends more slowly counts as silent, because
  /// its message occupies memory.
  package var slowestBytesPerSecond: UInt64 = 2 << 10
  /// The number of bytes that the incomplete messages of an app's clients may occupy together.
  package var incompleteByteCount = 512 << 20
  /// The length that the write-ahead log may always reach while bootstraps are read from a snapshot; see
  /// `relieveLog`.
  package var logByteCount: Int64 = 256 << 20

  package init(messageByteCount: Int = 512 * 1024, changesetByteCount: Int = 96 * 1024) {
    self.messageByteCount = messageByteCount
    self.changesetByteCount = changesetByteCount
  }
}
