// SPDX-License-Identifier: Apache-2.0

/// The options of a connection.
public struct ConnectionOptions: Sendable {
  /// Whether to request immediate acknowledgement from Linux before each read. Core clients send small messages under
  /// Nagle's algorithm and wait for one to be acknowledged before they send the next, so this saves them 40 ms
  /// (RealmClients §5). Has no effect on other systems.
  public var acknowledgesQuickly = false
  /// The number of queued output bytes above which ``Connection/isWritable`` is false.
  public var highWaterMark = 256 * 1024
  /// The number of queued output bytes above which the connection is closed with a `tooLarge` error, because the peer
  /// does not read.
  public var maximumQueuedBytes = 256 * 1024 * 1024
  /// The time that ``Connection/closeAfterFlushing()`` waits for the peer, in milliseconds.
  public var lingerMilliseconds: UInt64 = 5_000

  /// Creates the default options.
  public init() {}
}
