// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// A client's request and its response, on a separate connection. Confined to the loop's thread.
final class HTTPExchange {
  enum Outcome {
    case response(HTTPResponse)
    /// The server has switched protocols. Carries its `101` response, the connection without handlers, and the input
    /// received after the response.
    case upgraded(HTTPResponse, Connection, input: [UInt8])
  }

  /// Receives a successful response while it arrives.
  struct Stream {
    let onOpen: () -> Void
    let onData: ([UInt8]) -> Void
  }

  private let loop: EventLoop
  private let url: WebURL
  private let head: [UInt8]
  private let body: [UInt8]
  private let parser: HTTPParser
  private var completion: ((Result<Outcome, TransportError>) -> Void)?
  private var connecting: PendingOperation?
  private var connection: Connection?
  private var timer: TimerHandle?
  private let stream: Stream?
  /// Whether the response is passed to `stream`.
  private var isStreaming = false

  /// Creates an exchange.
  ///
  /// - Parameters:
  ///   - maximumBodyBytes: The maximum size of a response's content.
  ///   - stream: Receives a response whose status is 200.
  ///   - completion: Called once, never during ``begin(timeoutMilliseconds:tls:)``.
  init(
    _ request: HTTPClientRequest,
    _ loop: EventLoop,
    maximumBodyBytes: Int,
    stream: Stream? = nil,
    completion: @escaping (Result<Outcome, TransportError>) -> Void
  ) {
    self.loop = loop
    url = request.url
    body = request.body
    self.stream = stream
    self.completion = completion
    var fields: HTTPHeaders = ["Host": url.authority]
    for field in request.headers.fields { fields.append(field.name, field.value) }
    if !body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) {
      fields["Content-Length"] = String(body.count)
    }
    head = HTTPWriter.head("\(request.method) \(url.target) HTTP/1.1", fields)
    parser = HTTPParser(.response, limits: HTTPParser.Limits(bodyBytes: maximumBodyBytes))
    parser.hasNoBody = request.method == "HEAD"
  }

  /// Starts an exchange with the settings that `tls` returns; an error of it ends the exchange.
  ///
  /// - Returns: A handle for cancelling the exchange.
  func begin(timeoutMilliseconds: UInt64, tls: () throws(TransportError) -> TLSContext?) -> PendingOperation {
    do throws(TransportError) {
      start(tls: try tls(), timeoutMilliseconds: timeoutMilliseconds)
    } catch {
      loop.atEndOfTurn { [self] in finish(.failure(error)) }
    }
    return PendingOperation { [self] in cancel() }
  }

  private func start(tls: TLSContext?, timeoutMilliseconds: UInt64) {
    timer = loop.schedule(afterMilliseconds: timeoutMilliseconds) { [self] in
      finish(.failure(TransportError(.timedOut, "\(url.authority) did not answer in time")))
    }
    // The connector's own limit is slightly longer, so that every timeout has the same message.
    connecting = Connection.connect(
      loop: loop,
      to: url.endpoint,
      options: ConnectionOptions(),
      tls: tls,
      timeoutMilliseconds: timeoutMilliseconds.saturatingAdd(1_000)
    ) { [self] result in
      switch result {
      case .success(let connection): connected(connection)
      case .failure(let error): finish(.failure(error))
      }
    }
  }

  /// Ends the exchange without calling the completion.
  private func cancel() {
    completion = nil
    finish(.failure(.loopStopped))
  }

  private func connected(_ connection: Connection) {
    self.connection = connection
    connecting = nil
    connection.onRead = { [self] in received($0) }
    connection.onClose = { [self] in ended($0) }
    connection.write(head)
    connection.write(body)
    connection.start()
  }

  private func received(_ bytes: UnsafeRawBufferPointer) {
    guard completion != nil else { return }
    do {
      let count = try parser.feed(bytes)
      passOn()
      if completion == nil { return }
      if parser.isComplete { complete(rest: Array(bytes[count...])) }
    } catch {
      finish(.failure(Self.error(error, url)))
    }
  }

  /// Passes on what has arrived of a response that is a stream.
  private func passOn() {
    guard let stream, parser.isHeadComplete, parser.status == 200 else { return }
    if !isStreaming {
      isStreaming = true
      timer?.cancel()
      stream.onOpen()
    }
    let data = parser.takeBody()
    if completion != nil, !data.isEmpty { stream.onData(data) }
  }

  private func ended(_ error: TransportError?) {
    connection = nil
    guard completion != nil else { return }
    if let error { return finish(.failure(error)) }
    do {
      try parser.feedEnd()
      complete(rest: [])
    } catch {
      let text = "\(url.authority) closed the connection before its response was complete"
      finish(.failure(TransportError(.connectionLost, text)))
    }
  }

  private func complete(rest: [UInt8]) {
    let response = HTTPResponse(status: parser.status, headers: parser.headers, body: parser.body)
    guard response.status == 101, let connection else { return finish(.success(.response(response))) }
    self.connection = nil
    connection.onRead = nil
    connection.onClose = nil
    finish(.success(.upgraded(response, connection, input: rest)))
  }

  private func finish(_ result: Result<Outcome, TransportError>) {
    timer?.cancel()
    connecting?.cancel()
    connecting = nil
    connection?.onRead = nil
    connection?.onClose = nil
    connection?.close()
    connection = nil
    let completion = completion
    self.completion = nil
    completion?(result)
  }

  private static func error(_ failure: HTTPParser.Failure, _ url: WebURL) -> TransportError {
    switch failure {
    case .malformed(let reason):
      TransportError(.protocolViolation, "the response from \(url.authority) is not HTTP: \(reason)")
    case .headTooLarge, .bodyTooLarge:
      TransportError(.tooLarge, "the response from \(url.authority) is longer than allowed")
    }
  }
}
