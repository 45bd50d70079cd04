// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// The limits and timeouts of an HTTP server.
public struct HTTPServerConfiguration: Sendable {
  /// The settings for `https` and `wss`; nil for plain TCP.
  public var tls: TLSContext?
  /// The maximum size of the request line and header fields in bytes. Longer ones are answered with status 431.
  public var maximumHeadBytes = 16 * 1024
  /// The maximum size of a request's content in bytes. Longer content is answered with status 413.
  public var maximumBodyBytes = 16 * 1024 * 1024
  /// The maximum number of simultaneous connections, excluding web sockets. Further ones are closed immediately.
  public var maximumConnections = 10_000
  /// The maximum number of simultaneous connections per address, including web sockets; 0 for no limit. Further ones
  /// are closed immediately.
  public var maximumConnectionsPerAddress = 0
  /// Whether the limit per address also applies to this machine's own addresses, from which a proxy may forward all
  /// clients.
  public var limitsLoopback = false
  /// The time from the first byte of a request to the end of its head. Slower requests are answered with status 408.
  public var headTimeoutMilliseconds: UInt64 = 10_000
  /// The maximum time between two parts of a request's content.
  public var bodyTimeoutMilliseconds: UInt64 = 30_000
  /// The time from the end of a request's head to the end of its content.
  public var requestTimeoutMilliseconds: UInt64 = 300_000
  /// The maximum time a connection may be idle between requests.
  public var idleTimeoutMilliseconds: UInt64 = 75_000
  /// The number of file descriptors reserved for files. Connections that would leave fewer are closed immediately.
  public var reservedDescriptors = 32
  /// The options of all connections, including web sockets.
  public var connection = ConnectionOptions()

  /// Creates the default configuration, which acknowledges quickly, as core's sync clients require (RealmClients §5).
  public init() {
    connection.acknowledgesQuickly = true
    // Room for a message of maximum length and what was queued before it.
    connection.maximumQueuedBytes = 64 * 1024 * 1024
  }
}

/// An HTTP/1.1 and WebSocket server on one event loop. Confined to the loop's thread.
///
/// Requests on one connection are handled one by one, in order. The next one is not read before the previous one has
/// been answered, so a client that pipelines requests only slows down itself.
public final class HTTPServer {
  /// Receives a request and answers it through the responder, immediately or later.
  public typealias Handler = (HTTPRequest, HTTPResponder) -> Void
  /// Receives a request to open a web socket and accepts or refuses it, immediately or later.
  public typealias UpgradeHandler = (WebSocketUpgrade) -> Void

  /// Called when a connection breaks, for logging: the client's address and the reason (a failed TLS handshake, a
  /// reset). Not called for web sockets, which notify their owners themselves.
  public var onConnectionError: ((Endpoint?, TransportError) -> Void)?
  /// Called for logging when an address with too many connections tries to open another one.
  public var onCrowdedAddress: ((String) -> Void)?

  /// Called for logging when a connection is closed because the process has almost run out of file descriptors. libuv
  /// does not report connections that it closes for this reason.
  public var onDescriptorShortage: (() -> Void)?

  let loop: EventLoop
  let configuration: HTTPServerConfiguration
  let handler: Handler
  let upgradeHandler: UpgradeHandler?
  private var listeners: [Listener] = []
  private var connections: [ObjectIdentifier: HTTPServerConnection] = [:]
  private var onDrained: (() -> Void)?
  private var graceTimer: TimerHandle?
  private let addresses: AddressCounts?
  /// Whether the server is closing, so that each response is the last one on its connection.
  private(set) var isClosing = false

  /// Creates a server, which does not listen yet.
  /// - Parameters:
  ///   - upgradeHandler: Receives requests with a valid WebSocket handshake. Without it they are refused with 501.
  ///   - handler: Receives all other requests.
  public init(
    loop: EventLoop,
    configuration: HTTPServerConfiguration = HTTPServerConfiguration(),
    upgradeHandler: UpgradeHandler? = nil,
    handler: @escaping Handler
  ) {
    loop.assertInLoop()
    self.loop = loop
    self.configuration = configuration
    self.upgradeHandler = upgradeHandler
    self.handler = handler
    let limit = configuration.maximumConnectionsPerAddress
    addresses = limit > 0 ? AddressCounts(limit: limit, countsLoopback: configuration.limitsLoopback) : nil
  }

  /// Listens on an address. May be called for several addresses.
  /// - Returns: The address, with the port chosen by the system for port 0.
  /// - Throws: ``TransportError``, for example `addressInUse`.
  @discardableResult
  public func listen(on endpoint: Endpoint) throws(TransportError) -> Endpoint {
    let listener = try Listener(loop: loop, endpoint: endpoint, options: configuration.connection) {
      [weak self] connection in
      guard let self else { return connection.close() }
      accept(connection)
    }
    listeners.append(listener)
    return listener.endpoint
  }

  /// The number of open HTTP connections.
  public var connectionCount: Int { connections.count }

  /// Stops listening, closes idle connections, and waits for active requests to finish. Web sockets belong to their
  /// owners and are left open.
  /// - Parameters:
  ///   - graceMilliseconds: The time after which remaining connections are closed.
  ///   - completion: Called on the loop when no connection is left.
  public func close(graceMilliseconds: UInt64, completion: @escaping () -> Void) {
    loop.assertInLoop()
    for listener in listeners { listener.close() }
    listeners = []
    isClosing = true
    onDrained = completion
    for connection in Array(connections.values) { connection.closeIfIdle() }
    graceTimer = loop.schedule(afterMilliseconds: graceMilliseconds) { [weak self] in
      guard let self else { return }
      for connection in Array(connections.values) { connection.drop() }
    }
    loop.atEndOfTurn { self.reportDrained() }
  }

  private func accept(_ connection: Connection) {
    // The system assigns the lowest free number.
    guard connection.fileDescriptor < DescriptorLimit.current - configuration.reservedDescriptors else {
      onDescriptorShortage?()
      return connection.close()
    }
    guard connections.count < configuration.maximumConnections, hasRoom(for: connection) else {
      return connection.close()
    }
    if let tls = configuration.tls {
      do {
        connection.secure(with: try TLSSession(context: tls, serverName: nil))
      } catch {
        return connection.close(with: error)
      }
    }
    let served = HTTPServerConnection(connection, server: self)
    connections[ObjectIdentifier(served)] = served
    served.start()
  }

  private func hasRoom(for connection: Connection) -> Bool {
    guard let addresses, let host = connection.remoteHost else { return true }
    connection.share = addresses.enter(host)
    if connection.share == nil { onCrowdedAddress?(host) }
    return connection.share != nil
  }

  func forget(_ connection: HTTPServerConnection) {
    connections[ObjectIdentifier(connection)] = nil
    reportDrained()
  }

  private func reportDrained() {
    guard isClosing, connections.isEmpty else { return }
    graceTimer?.cancel()
    let onDrained = onDrained
    self.onDrained = nil
    onDrained?()
  }
}
