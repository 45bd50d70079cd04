// SPDX-License-Identifier: Apache-2.0

import FlexSyncTransport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A client without an event loop: what it writes is with the system when the call returns.
final class SystemSocket {
  private let descriptor: Int32
  private var received: [UInt8] = []

  var text: String { String(decoding: received, as: UTF8.self) }

  /// - Parameter endpoint: on 127.0.0.1.
  init(_ endpoint: Endpoint) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = endpoint.port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let code = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(code == 0)
  }

  deinit { close(descriptor) }

  func write(_ text: String) { _ = send(descriptor, text, text.utf8.count, 0) }

  /// Reads what has come.
  ///
  /// - Returns: whether the other end has closed.
  func readAll() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return count == 0 }
      received += buffer[..<count]
    }
  }
}
