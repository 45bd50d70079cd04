// SPDX-License-Identifier: Apache-2.0

import CLibuv
import FlexSyncScheduling

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Resolves names to addresses.
enum NameResolution {
  private final class Request {
    let endpoint: Endpoint
    let completion: (Result<[SocketAddress], TransportError>) -> Void

    init(endpoint: Endpoint, completion: @escaping (Result<[SocketAddress], TransportError>) -> Void) {
      self.endpoint = endpoint
      self.completion = completion
    }
  }

  /// Resolves a name without blocking the loop. `completion` is called on the loop, never during this call.
  static func resolve(
    _ endpoint: Endpoint,
    loop: EventLoop,
    completion: @escaping (Result<[SocketAddress], TransportError>) -> Void
  ) {
    let raw = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
    raw.pointee.data = Unmanaged.passRetained(Request(endpoint: endpoint, completion: completion)).toOpaque()
    var hints = Self.hints(flags: 0)
    let code = uv_getaddrinfo(
      loop.raw,
      raw,
      { raw, status, list in
        guard let raw, let data = raw.pointee.data else { return }
        let request = Unmanaged<Request>.fromOpaque(data).takeRetainedValue()
        raw.deallocate()
        request.completion(NameResolution.addresses(status, list, request.endpoint))
      },
      endpoint.host,
      String(endpoint.port),
      &hints
    )
    guard code != 0, let data = raw.pointee.data else { return }
    raw.deallocate()
    let request = Unmanaged<Request>.fromOpaque(data).takeRetainedValue()
    loop.atEndOfTurn { request.completion(addresses(code, nil, endpoint)) }
  }

  /// Resolves an address to listen on. Blocks, so it is intended for the start of a service.
  static func resolveForListening(
    _ endpoint: Endpoint,
    loop: EventLoop
  ) throws(TransportError) -> [SocketAddress] {
    var raw = uv_getaddrinfo_t()
    var hints = Self.hints(flags: AI_PASSIVE)
    let host = endpoint.host.isEmpty ? nil : endpoint.host
    let code = uv_getaddrinfo(loop.raw, &raw, nil, host, String(endpoint.port), &hints)
    return try addresses(code, raw.addrinfo, endpoint).get()
  }

  private static func hints(flags: Int32) -> addrinfo {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = socketType
    hints.ai_protocol = Int32(IPPROTO_TCP)
    hints.ai_flags = flags
    return hints
  }

  #if canImport(Darwin)
  private static var socketType: Int32 { SOCK_STREAM }
  #else
  private static var socketType: Int32 { Int32(SOCK_STREAM.rawValue) }
  #endif

  private static func addresses(
    _ status: Int32,
    _ list: UnsafeMutablePointer<addrinfo>?,
    _ endpoint: Endpoint
  ) -> Result<[SocketAddress], TransportError> {
    guard status == 0 else {
      return .failure(TransportError(code: status, action: "resolve \"\(endpoint.host)\""))
    }
    defer { uv_freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    while let info = next?.pointee {
      if let address = SocketAddress(info) { addresses.append(address) }
      next = info.ai_next
    }
    return .success(addresses)
  }
}
