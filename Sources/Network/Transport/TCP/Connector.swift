// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// An operation in progress that can be cancelled. Confined to the loop's thread.
public final class PendingOperation {
  private var onCancel: (() -> Void)?

  init(onCancel: @escaping () -> Void) {
    self.onCancel = onCancel
  }

  /// Ends the operation without calling its completion. Does nothing if it has completed.
  public func cancel() {
    let onCancel = onCancel
    self.onCancel = nil
    onCancel?()
  }
}

/// Opens a connection: resolves the name, tries the addresses in turn, and performs the TLS handshake.
final class Connector {
  private let loop: EventLoop
  private let endpoint: Endpoint
  private let options: ConnectionOptions
  private let tls: TLSContext?
  private var completion: ((Result<Connection, TransportError>) -> Void)?
  private var addresses: ArraySlice<SocketAddress> = []
  private var deadline: UInt64 = 0
  private var timer: TimerHandle?
  private var attempt: Connection?
  private var lastError: TransportError?

  init(
    loop: EventLoop,
    endpoint: Endpoint,
    options: ConnectionOptions,
    tls: TLSContext?,
    completion: @escaping (Result<Connection, TransportError>) -> Void
  ) {
    self.loop = loop
    self.endpoint = endpoint
    self.options = options
    self.tls = tls
    self.completion = completion
  }

  func start(timeoutMilliseconds: UInt64) {
    guard !loop.isStopping else {
      return loop.atEndOfTurn { [self] in finish(.failure(.loopStopped)) }
    }
    deadline = EventLoop.monotonicMilliseconds.saturatingAdd(timeoutMilliseconds)
    rearm(afterMilliseconds: timeoutMilliseconds)
    NameResolution.resolve(endpoint, loop: loop) { [self] result in
      guard completion != nil else { return }
      switch result {
      case .success(let addresses):
        self.addresses = addresses[...]
        tryNext()
      case .failure(let error): finish(.failure(error))
      }
    }
  }

  func cancel() {
    completion = nil
    finish(.failure(.loopStopped))
  }

  private func tryNext() {
    guard !loop.isStopping else { return finish(.failure(.loopStopped)) }
    guard let address = addresses.popFirst() else {
      let error = lastError ?? TransportError(.nameNotFound, "\"\(endpoint.host)\" has no address")
      return finish(.failure(error))
    }
    // An address that does not answer must not use up the time of the ones after it.
    let left = deadline - min(deadline, EventLoop.monotonicMilliseconds)
    rearm(afterMilliseconds: left / UInt64(addresses.count + 1))
    let connection = Connection(loop: loop, options: options)
    attempt = connection
    connection.connect(to: address) { [self] status in
      guard attempt === connection else { return }
      if status == 0 { connected(connection) } else { attemptFailed(status) }
    }
    connection.onClose = { [self] error in
      guard attempt === connection else { return }
      finish(.failure(error ?? TransportError(.connectionLost, "\(endpoint) closed the connection")))
    }
  }

  private func attemptFailed(_ status: Int32) {
    lastError = TransportError(code: status, action: "connect to \(endpoint)")
    abandonAttempt()
    tryNext()
  }

  private func connected(_ connection: Connection) {
    guard let tls else { return succeed(connection) }
    addresses = []
    rearm(afterMilliseconds: deadline - min(deadline, EventLoop.monotonicMilliseconds))
    do {
      connection.secure(with: try TLSSession(context: tls, serverName: endpoint.host))
    } catch {
      return finish(.failure(error))
    }
    connection.onSecured = { [self] in succeed(connection) }
    connection.start()
  }

  private func succeed(_ connection: Connection) {
    attempt = nil
    connection.onClose = nil
    connection.onSecured = nil
    finish(.success(connection))
  }

  private func timedOut() {
    lastError = TransportError(.timedOut, "\(endpoint) did not answer in time")
    abandonAttempt()
    tryNext()
  }

  private func abandonAttempt() {
    let connection = attempt
    attempt = nil
    connection?.onClose = nil
    connection?.close()
  }

  private func rearm(afterMilliseconds milliseconds: UInt64) {
    timer?.cancel()
    timer = loop.schedule(afterMilliseconds: milliseconds) { [self] in timedOut() }
  }

  private func finish(_ result: Result<Connection, TransportError>) {
    timer?.cancel()
    timer = nil
    abandonAttempt()
    let completion = completion
    self.completion = nil
    completion?(result)
  }
}

extension Connection {
  /// Opens a connection. Call it on the loop's thread.
  /// - Parameters:
  ///   - endpoint: The destination. A name is resolved, and its addresses are tried in turn.
  ///   - tls: A client's TLS settings; nil for plain TCP.
  ///   - timeoutMilliseconds: The time limit for the entire operation, including the TLS handshake.
  ///   - completion: Called once on the loop, never during this call. The owner sets the handlers of the connection
  ///     and calls ``start()``.
  /// - Returns: A handle for cancelling the operation.
  @discardableResult
  public static func connect(
    loop: EventLoop,
    to endpoint: Endpoint,
    options: ConnectionOptions = ConnectionOptions(),
    tls: TLSContext? = nil,
    timeoutMilliseconds: UInt64 = 30_000,
    completion: @escaping (Result<Connection, TransportError>) -> Void
  ) -> PendingOperation {
    loop.assertInLoop()
    let connector = Connector(
      loop: loop,
      endpoint: endpoint,
      options: options,
      tls: tls,
      completion: completion
    )
    connector.start(timeoutMilliseconds: timeoutMilliseconds)
    return PendingOperation { connector.cancel() }
  }
}
