// SPDX-License-Identifier: Apache-2.0

/// Counts the open connections by the address of their other end. Confined to the loop's thread.
final class AddressCounts {
  /// The share of one connection, which ends with it.
  final class Share {
    private let counts: AddressCounts
    private let host: String

    fileprivate init(_ counts: AddressCounts, _ host: String) {
      self.counts = counts
      self.host = host
    }

    deinit { counts.leave(host) }
  }

  /// How many connections an address may have.
  let limit: Int
  private let countsLoopback: Bool
  private var counts: [String: Int] = [:]

  init(limit: Int, countsLoopback: Bool) {
    self.limit = limit
    self.countsLoopback = countsLoopback
  }

  /// Counts a connection until the share is dropped; nil if its address has too many.
  func enter(_ host: String) -> Share? {
    guard counts[host, default: 0] < limit || isExempt(host) else { return nil }
    counts[host, default: 0] += 1
    return Share(self, host)
  }

  func count(of host: String) -> Int { counts[host] ?? 0 }

  private func leave(_ host: String) {
    let count = (counts[host] ?? 1) - 1
    counts[host] = count > 0 ? count : nil
  }

  /// A proxy on this machine brings everybody's connections.
  private func isExempt(_ host: String) -> Bool {
    guard !countsLoopback else { return false }
    return host.hasPrefix("127.") || host.hasPrefix("::ffff:127.") || host == "::1"
  }
}
