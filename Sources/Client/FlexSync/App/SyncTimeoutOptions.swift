// SPDX-License-Identifier: Apache-2.0

/// The times of sync connections, in milliseconds.
public final class SyncTimeoutOptions {
  /// The time within which a connection must be established, from the name resolution to the WebSocket handshake.
  public var connectTimeout: UInt
  /// The time for which a connection is kept that no session uses.
  public var connectionLingerTime: UInt
  /// The time between two pings.
  public var pingKeepalivePeriod: UInt
  /// The time within which the server must answer a ping.
  public var pongKeepaliveTimeout: UInt
  /// The longest interruption after which a session uploads at once; after a longer one, it first downloads.
  public var fastReconnectLimit: UInt

  /// Creates options; those that are nil or left out have their defaults.
  public init(
    connectTimeout: UInt? = nil,
    connectionLingerTime: UInt? = nil,
    pingKeepalivePeriod: UInt? = nil,
    pongKeepaliveTimeout: UInt? = nil,
    fastReconnectLimit: UInt? = nil
  ) {
    let standard = SyncTimes()
    self.connectTimeout = connectTimeout ?? standard.connect
    self.connectionLingerTime = connectionLingerTime ?? standard.linger
    self.pingKeepalivePeriod = pingKeepalivePeriod ?? standard.pingPeriod
    self.pongKeepaliveTimeout = pongKeepaliveTimeout ?? standard.pongTimeout
    self.fastReconnectLimit = fastReconnectLimit ?? standard.fastReconnect
  }

  convenience init(_ times: SyncTimes) {
    self.init(
      connectTimeout: times.connect,
      connectionLingerTime: times.linger,
      pingKeepalivePeriod: times.pingPeriod,
      pongKeepaliveTimeout: times.pongTimeout,
      fastReconnectLimit: times.fastReconnect
    )
  }

  var times: SyncTimes {
    SyncTimes(
      connect: connectTimeout,
      linger: connectionLingerTime,
      pingPeriod: pingKeepalivePeriod,
      pongTimeout: pongKeepaliveTimeout,
      fastReconnect: fastReconnectLimit
    )
  }
}

/// The values of `SyncTimeoutOptions`.
struct SyncTimes: Sendable {
  var connect: UInt = 120_000
  var linger: UInt = 30_000
  var pingPeriod: UInt = 60_000
  var pongTimeout: UInt = 120_000
  var fastReconnect: UInt = 60_000
}
