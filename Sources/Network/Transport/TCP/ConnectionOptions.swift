// SPDX-License-Identifier: Apache-2.0

/// How a connection behaves.
public struct ConnectionOptions: Sendable {
  /// Asks Linux, before each read, to acknowledge at once. Core clients send small messages under Nagle's
  /// algorithm and wait for the acknowledgement of one before they send the next: this saves them 40 ms
  /// (RealmClients §5). Without effect on other systems.
  public var acknowledgesQuickly = false
  /// Bytes queued for output above which ``Connection/isWritable`` is false.
  public var highWaterMark = 256 * 1024
  /// Bytes queued for output above which the connection is closed with a `tooLarge` error: the peer does not
  /// read.
  public var maximumQueuedBytes = 256 * 1024 * 1024
  /// How long ``Connection/closeAfterFlushing()`` waits for the peer, in milliseconds.
  public var lingerMilliseconds: UInt64 = 5_000

  /// The defaults.
  public init() {}
}
