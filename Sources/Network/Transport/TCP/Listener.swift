// SPDX-License-Identifier: Apache-2.0

import CLibuv
import FlexSyncScheduling

/// Accepts TCP connections. Confined to the loop's thread. The loop retains the listener until it is closed.
public final class Listener: LoopResident {
  private let handle: NativeHandle
  private let options: ConnectionOptions
  private var onAccept: ((Connection) -> Void)?
  /// The address it listens on, with the port chosen by the system for port 0.
  public private(set) var endpoint: Endpoint

  /// Listens on the first address that `endpoint` resolves to.
  ///
  /// An empty host means all addresses, both IPv6 and IPv4 if the system supports both on one socket.
  /// - Parameters:
  ///   - options: The options of accepted connections.
  ///   - onAccept: Receives each new connection, sets its handlers and calls ``Connection/start()``.
  /// - Throws: ``TransportError``, for example `addressInUse`.
  public init(
    loop: EventLoop,
    endpoint: Endpoint,
    options: ConnectionOptions = ConnectionOptions(),
    onAccept: @escaping (Connection) -> Void
  ) throws(TransportError) {
    loop.assertInLoop()
    guard !loop.isStopping else { throw .loopStopped }
    handle = NativeHandle(loop: loop, layout: uv_tcp_t.self)
    self.options = options
    self.endpoint = endpoint
    let addresses = try NameResolution.resolveForListening(endpoint, loop: loop)
    uv_tcp_init(loop.raw, handle.pointer())
    handle.attach(to: self)
    do {
      try listen(addresses)
    } catch {
      handle.close()
      throw error
    }
    self.onAccept = onAccept
  }

  /// Stops accepting connections. Accepted connections stay open.
  public func close() {
    onAccept = nil
    handle.close()
  }

  private func listen(_ addresses: [SocketAddress]) throws(TransportError) {
    // An IPv6 socket for all addresses accepts IPv4 connections too. Among a name's addresses, IPv4 reaches the most
    // clients: one that tries IPv6 first moves on to the next address, but one that was given 127.0.0.1 does not.
    let isForAll = endpoint.host.isEmpty
    let ordered =
      addresses.filter { $0.isVersion6 == isForAll } + addresses.filter { $0.isVersion6 != isForAll }
    let action = "listen on \(endpoint)"
    var code = UV_EAI_NODATA.rawValue
    for address in ordered {
      code = address.withSocketAddress { uv_tcp_bind(handle.pointer(), $0, 0) }
      if code == 0 { break }
    }
    if code == 0 {
      code = uv_listen(handle.pointer(), 1024) { stream, status in
        NativeHandle.owner(stream?.pointee.data, Listener.self)?.accept(status: status)
      }
    }
    guard code == 0 else { throw TransportError(code: code, action: action) }
    if let bound = SocketAddress(asking: { uv_tcp_getsockname(handle.pointer(), $0, $1) })?.endpoint {
      endpoint = bound
    }
  }

  private func accept(status: Int32) {
    // A failed accept (the peer has disconnected, no descriptors are left) affects only that connection.
    guard status == 0 else { return }
    let connection = Connection(loop: handle.loop, options: options)
    guard connection.accept(from: handle.pointer()) else { return connection.close() }
    guard let onAccept else { return connection.close() }
    onAccept(connection)
  }

  func loopStops() { close() }

  func handleClosed() {}
}
