// SPDX-License-Identifier: Apache-2.0

/// The times of sync connections, in milliseconds.
public final class SyncTimeoutOptions {
  private(set) var times = SyncTimes()

  /// Creates options; those that are nil or left out have their defaults.
  public init(
    connectTimeout: UInt? = nil,
    connectionLingerTime: UInt? = nil,
    pingKeepalivePeriod: UInt? = nil,
    pongKeepaliveTimeout: UInt? = nil,
    fastReconnectLimit: UInt? = nil
  ) {
    times.connect = connectTimeout ?? times.connect
    times.linger = connectionLingerTime ?? times.linger
    times.pingPeriod = pingKeepalivePeriod ?? times.pingPeriod
    times.pongTimeout = pongKeepaliveTimeout ?? times.pongTimeout
    times.fastReconnect = fastReconnectLimit ?? times.fastReconnect
  }

  init(_ times: SyncTimes) { self.times = times }

  /// The time within which a connection must be established, from the name resolution to the WebSocket handshake.
  public var connectTimeout: UInt {
    get { times.connect }
    set { times.connect = newValue }
  }

  /// The time for which a connection is kept that no session uses.
  public var connectionLingerTime: UInt {
    get { times.linger }
    set { times.linger = newValue }
  }

  /// The time between two pings.
  public var pingKeepalivePeriod: UInt {
    get { times.pingPeriod }
    set { times.pingPeriod = newValue }
  }

  /// The time within which the server must answer a ping.
  public var pongKeepaliveTimeout: UInt {
    get { times.pongTimeout }
    set { times.pongTimeout = newValue }
  }

  /// The longest interruption after which a session uploads at once; after a longer one, it first downloads.
  public var fastReconnectLimit: UInt {
    get { times.fastReconnect }
    set { times.fastReconnect = newValue }
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
