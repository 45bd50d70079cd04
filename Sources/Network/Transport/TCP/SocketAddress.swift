// SPDX-License-Identifier: Apache-2.0

import CLibuv
import FlexSyncScheduling

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A host and a TCP port.
public struct Endpoint: Equatable, Sendable, CustomStringConvertible {
  /// A name, or an IPv4 or IPv6 address without brackets; empty for "all addresses of this machine".
  public let host: String
  /// The port. When listening, 0 lets the system choose one.
  public let port: UInt16

  /// Creates an endpoint.
  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Parses `host:port`, as in `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`, or `:8080` and `*:8080` for all
  /// addresses.
  /// - Throws: ``TransportError`` (`invalidAddress`) that quotes `text`.
  public init(parsing text: String) throws(TransportError) {
    let malformed = TransportError(
      .invalidAddress,
      "\"\(text)\" is not an address; write host:port, such as 127.0.0.1:8080 or [::1]:8080"
    )
    guard let colon = text.lastIndex(of: ":") else { throw malformed }
    let portText = text[text.index(after: colon)...]
    guard let port = Self.port(portText) else {
      throw TransportError(
        .invalidAddress,
        "\"\(text)\": \"\(portText)\" is not a port; write a number from 0 to 65535"
      )
    }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      throw malformed
    }
    guard host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") }) else { throw malformed }
    self.init(host: host == "*" ? "" : String(host), port: port)
  }

  /// `host:port`, with brackets around an IPv6 address.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Parses decimal digits only; `UInt16.init` would accept a sign too.
  static func port(_ text: some StringProtocol) -> UInt16? {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt16(text) : nil
  }
}

/// A resolved address in the system's form.
struct SocketAddress {
  private var storage: sockaddr_storage

  /// Copies one address from the list returned by `getaddrinfo`.
  init?(_ info: addrinfo) {
    guard let address = info.ai_addr, Int(info.ai_addrlen) <= MemoryLayout<sockaddr_storage>.size else {
      return nil
    }
    storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(info.ai_addrlen)))
    }
  }

  /// Queries an address through libuv's `uv_tcp_getsockname` or `uv_tcp_getpeername`.
  init?(asking question: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<Int32>) -> Int32) {
    storage = sockaddr_storage()
    var length = Int32(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { question($0, &length) }
    }
    guard code == 0 else { return nil }
  }

  func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
    withUnsafePointer(to: storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
    }
  }

  var isVersion6: Bool { storage.ss_family == sa_family_t(AF_INET6) }

  var endpoint: Endpoint? {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN) + 1)
    let port: UInt16
    let code: Int32
    if isVersion6 {
      var address = unsafeCast(to: sockaddr_in6.self)
      port = UInt16(bigEndian: address.sin6_port)
      code = uv_ip6_name(&address, &text, text.count)
    } else {
      var address = unsafeCast(to: sockaddr_in.self)
      port = UInt16(bigEndian: address.sin_port)
      code = uv_ip4_name(&address, &text, text.count)
    }
    guard code == 0 else { return nil }
    let host = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return Endpoint(host: String(decoding: host, as: UTF8.self), port: port)
  }

  private func unsafeCast<Layout>(to layout: Layout.Type) -> Layout {
    withUnsafeBytes(of: storage) { $0.loadUnaligned(as: layout) }
  }
}
