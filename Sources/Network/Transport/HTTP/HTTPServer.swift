// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// Limits and times of an HTTP server.
public struct HTTPServerConfiguration: Sendable {
  /// Settings for `https` and `wss`; nil for plain TCP.
  public var tls: TLSContext?
  /// The longest request line and header fields, in bytes. More gets status 431.
  public var maximumHeadBytes = 16 * 1024
  /// The longest content of a request, in bytes. More gets status 413.
  public var maximumBodyBytes = 16 * 1024 * 1024
  /// The most connections at a time, web sockets not counted; further ones are closed at once.
  public var maximumConnections = 10_000
  /// The most connections from one address at a time, web sockets too; 0 for any number. Further ones are closed at
  /// once.
  public var maximumConnectionsPerAddress = 0
  /// Whether that goes for connections from this machine as well, where a proxy may bring everybody's.
  public var limitsLoopback = false
  /// The time from the first byte of a request to the end of its head. Slower gets status 408.
  public var headTimeoutMilliseconds: UInt64 = 10_000
  /// The time in which some part of a request's content must arrive.
  public var bodyTimeoutMilliseconds: UInt64 = 30_000
  /// The time from the end of a request's head to the end of its content.
  public var requestTimeoutMilliseconds: UInt64 = 300_000
  /// How long a connection may be without a request.
  public var idleTimeoutMilliseconds: UInt64 = 75_000
  /// How many file descriptors are kept for files: connections are closed at once that leave fewer.
  public var reservedDescriptors = 32
  /// For all connections, web sockets too.
  public var connection = ConnectionOptions()

  /// The defaults, which acknowledge quickly: that is what core's sync clients need (RealmClients §5).
  public init() {
    connection.acknowledgesQuickly = true
    // A message of the longest kind, and what was queued before it.
    connection.maximumQueuedBytes = 64 * 1024 * 1024
  }
}

/// An HTTP/1.1 and WebSocket server on one event loop. Confined to the loop's thread.
///
/// Requests of one connection are handled one after the other, in order; the next one is not read before the
/// response to the last one is given, so a client that pipelines slows down only itself.
public final class HTTPServer {
  /// Gets a request and answers, now or later, through the responder.
  public typealias Handler = (HTTPRequest, HTTPResponder) -> Void
  /// Gets a request to open a web socket and accepts or refuses it, now or later.
  public typealias UpgradeHandler = (WebSocketUpgrade) -> Void

  /// Called when a connection breaks, for logs: the client's address and why (a failed TLS handshake, a reset).
  /// Not for web sockets, whose owners are told themselves.
  public var onConnectionError: ((Endpoint?, TransportError) -> Void)?
  /// Called with an address that has too many connections, for logs, when it tries to open one more.
  public var onCrowdedAddress: ((String) -> Void)?

  /// Called when a connection is closed because the process has almost no file descriptors left, for logs. libuv says
  /// nothing when it closes connections for that reason.
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
  /// Responses are the last ones on their connections.
  private(set) var isClosing = false

  /// A server that does not listen yet.
  /// - Parameters:
  ///   - upgradeHandler: for requests with a valid WebSocket handshake; without one they are refused with 501.
  ///   - handler: for all other requests.
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

  /// Listens on an address; may be called for several.
  /// - Returns: the address, with the port that the system chose for port 0.
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

  /// The number of connections that are open for HTTP.
  public var connectionCount: Int { connections.count }

  /// Stops listening, closes idle connections, and lets the requests under way finish. Web sockets belong to
  /// whoever accepted them and are not touched.
  /// - Parameters:
  ///   - graceMilliseconds: after which connections are closed in any case.
  ///   - completion: runs on the loop when no connection is left.
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
    // The system gives the lowest number that is free.
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
