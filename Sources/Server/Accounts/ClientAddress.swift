// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The key that attempts are counted by: an IPv4 address or, for IPv6, the network assigned to one customer (64
/// bits).
package enum ClientAddress {
  static let unknown = "unknown"

  /// Whether an address is reachable from this machine only.
  package static func isLoopback(_ host: String) -> Bool {
    let key = key(of: host)
    return key.hasPrefix("127.") || host == "::1" || host == "localhost"
  }

  /// - Parameter host: An address as text, in any notation.
  package static func key(of host: String) -> String {
    var address = in6_addr()
    let text = host.split(separator: "%").first.map(String.init) ?? ""
    guard inet_pton(AF_INET6, text, &address) == 1 else { return text.isEmpty ? unknown : text }
    let bytes = withUnsafeBytes(of: &address) { Array($0) }
    let mappedPrefix: [UInt8] = Array(repeating: 0, count: 10) + [0xff, 0xff]
    if Array(bytes[..<12]) == mappedPrefix {
      return bytes[12...].map { String($0) }.joined(separator: ".")
    }
    return stride(from: 0, to: 8, by: 2)
      .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
      .joined(separator: ":") + "::/64"
  }
}
