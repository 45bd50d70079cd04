// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts the open connections by remote address. Safe from any thread, because a connection may end on a different
/// loop from the one that accepted it.
final class AddressCounts: Sendable {
  /// The share of one connection, released along with it.
  final class Share: Sendable {
    private let counts: AddressCounts
    private let host: String

    fileprivate init(_ counts: AddressCounts, _ host: String) {
      self.counts = counts
      self.host = host
    }

    deinit { counts.leave(host) }
  }

  /// The maximum number of connections per address.
  let limit: Int
  private let countsLoopback: Bool
  private let counts = Mutex<[String: Int]>([:])

  init(limit: Int, countsLoopback: Bool) {
    self.limit = limit
    self.countsLoopback = countsLoopback
  }

  /// Counts a connection until the share is released. Returns nil if its address has too many connections.
  func enter(_ host: String) -> Share? {
    let isExempt = isExempt(host)
    let hasRoom = counts.withLock { counts in
      guard counts[host, default: 0] < limit || isExempt else { return false }
      counts[host, default: 0] += 1
      return true
    }
    return hasRoom ? Share(self, host) : nil
  }

  func count(of host: String) -> Int { counts.withLock { $0[host] ?? 0 } }

  private func leave(_ host: String) {
    counts.withLock { counts in
      let count = (counts[host] ?? 1) - 1
      counts[host] = count > 0 ? count : nil
    }
  }

  /// Whether the limit does not apply to the host. A proxy on this machine forwards the connections of all clients.
  private func isExempt(_ host: String) -> Bool {
    guard !countsLoopback else { return false }
    return host.hasPrefix("127.") || host.hasPrefix("::ffff:127.") || host == "::1"
  }
}
