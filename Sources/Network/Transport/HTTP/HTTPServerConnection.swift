// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// A connection of an HTTP server. It reads a request, waits for its response, and continues with the next request.
/// Confined to the loop's thread. The server retains it until it is closed or has become a web socket.
final class HTTPServerConnection: HandshakeConnection {
  private enum State {
    case reading
    /// The handler is processing the request.
    case handling
    /// The connection belongs to a web socket.
    case upgraded
    case closing
  }

  /// The extra time for reading input that has already arrived.
  private static let overdueMilliseconds: UInt64 = 1_000

  private let connection: Connection
  private let server: HTTPServer
  private let parser: HTTPParser
  private var state = State.reading
  /// The input received after the request being handled.
  private var waiting: [UInt8] = []
  private var isProcessing = false
  private var keepsAlive = false
  private var isHeadRequest = false
  private var timer: TimerHandle?
  /// Whether the time limit has passed while unread input was waiting, which is now being read.
  private var isOverdue = false
  /// Called if the client disconnects while its request is being handled.
  var onGone: (() -> Void)?
  /// The time by which the entire content of the request must have arrived.
  private var deadline: UInt64 = 0

  init(_ connection: Connection, server: HTTPServer) {
    self.connection = connection
    self.server = server
    let configuration = server.configuration
    parser = HTTPParser(
      .request,
      limits: HTTPParser.Limits(
        headBytes: configuration.maximumHeadBytes,
        bodyBytes: configuration.maximumBodyBytes
      )
    )
  }

  var isOpen: Bool { connection.isOpen && state != .closing }

  func start() {
    connection.onRead = { [self] in received($0) }
    connection.onClose = { [self] error in closed(error) }
    // The time limit of the first request covers its TLS handshake and its head.
    expect(withinMilliseconds: server.configuration.headTimeoutMilliseconds)
    connection.start()
  }

  func closeIfIdle() {
    if state == .reading, !parser.hasBegun, waiting.isEmpty { finish() }
  }

  func drop() { connection.close() }

  private func closed(_ error: TransportError?) {
    if let error { server.onConnectionError?(connection.peer, error) }
    state = .closing
    timer?.cancel()
    waiting = []
    server.forget(self)
    let onGone = onGone
    self.onGone = nil
    onGone?()
  }

  /// Closes the connection after the output has been sent.
  private func finish() {
    state = .closing
    timer?.cancel()
    waiting = []
    connection.closeAfterFlushing()
  }

  // MARK: Time

  private func expect(withinMilliseconds milliseconds: UInt64) {
    if timer == nil {
      timer = TimerHandle(loop: server.loop, isReusable: true) { [weak self] in self?.timedOut() }
    }
    isOverdue = false
    timer?.reschedule(afterMilliseconds: milliseconds)
  }

  private func timedOut() {
    // Timers run before input. After a long turn, a request may have arrived in time without having been read yet.
    guard isOverdue || !connection.hasUnreadInput else {
      isOverdue = true
      timer?.reschedule(afterMilliseconds: HTTPServerConnection.overdueMilliseconds)
      return
    }
    guard state == .reading, parser.hasBegun else { return finish() }
    refuse(HTTPResponse(status: 408, text: "The request did not arrive in time.\n"))
  }

  // MARK: Requests

  private func received(_ bytes: UnsafeRawBufferPointer) {
    switch state {
    case .reading:
      process(bytes)
      processWaiting()
    case .handling:
      waiting += bytes
      pauseIfCrowded()
    case .upgraded, .closing: break
    }
  }

  /// Processes requests that have already arrived, until one is not answered immediately.
  private func processWaiting() {
    guard !isProcessing else { return }
    while state == .reading, !waiting.isEmpty {
      let bytes = waiting
      waiting = []
      bytes.withUnsafeBytes { process($0) }
    }
    pauseIfCrowded()
  }

  /// Pauses reading if too much input is waiting. The connection is read even while a request is being handled,
  /// because nothing else reveals that the client has disconnected; the input is kept, but only up to a limit.
  private func pauseIfCrowded() {
    guard state == .handling, waiting.count >= server.configuration.maximumHeadBytes else { return }
    connection.pauseReading()
  }

  private func process(_ bytes: UnsafeRawBufferPointer) {
    isProcessing = true
    defer { isProcessing = false }
    let hadBegun = parser.hasBegun
    let hadHead = parser.isHeadComplete
    let count: Int
    do {
      count = try parser.feed(bytes)
    } catch {
      return refuse(error)
    }
    if count < bytes.count { waiting += bytes[count...] }
    if parser.isComplete {
      timer?.suspend()
      handle()
    } else if parser.isHeadComplete {
      if !hadHead { beginBody() }
      expectBody()
    } else if !hadBegun, parser.hasBegun {
      expect(withinMilliseconds: server.configuration.headTimeoutMilliseconds)
    }
  }

  private func beginBody() {
    deadline = server.loop.monotonicMilliseconds + server.configuration.requestTimeoutMilliseconds
    continueIfAsked()
  }

  /// Extends the time limit with each part of the body, but not beyond the deadline.
  private func expectBody() {
    guard state == .reading else { return }
    let now = server.loop.monotonicMilliseconds
    let rest = deadline > now ? deadline - now : 0
    expect(withinMilliseconds: min(server.configuration.bodyTimeoutMilliseconds, rest))
  }

  private func continueIfAsked() {
    guard parser.isVersion11, let expectation = parser.headers["Expect"] else { return }
    if HTTPHeaders.same(expectation, "100-continue") {
      connection.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    } else {
      refuse(HTTPResponse(status: 417, text: "The expectation \"\(expectation)\" is not supported.\n"))
    }
  }

  private func handle() {
    let request = HTTPRequest(
      method: parser.method,
      target: parser.target,
      headers: parser.headers,
      body: parser.body,
      client: connection.peer
    )
    guard !parser.isVersion11 || request.headers.values("Host").count == 1 else {
      return refuse(HTTPResponse(status: 400, text: "The request must have exactly one Host header.\n"))
    }
    guard request.headers.values("Host").allSatisfy(WebURL.isAuthority) else {
      return refuse(HTTPResponse(status: 400, text: "The Host header is not a host and a port.\n"))
    }
    state = .handling
    keepsAlive = parser.keepsAlive
    isHeadRequest = request.method == "HEAD"
    if request.headers.contains("Upgrade", token: "websocket") {
      upgrade(request)
    } else {
      server.handler(request, HTTPResponder(self, loop: server.loop))
    }
  }

  private func upgrade(_ request: HTTPRequest) {
    switch WebSocketHandshake.check(request) {
    case .failure(let refusal): respond(refusal.response)
    case .success(let accept):
      guard let upgradeHandler = server.upgradeHandler else {
        return respond(HTTPResponse(status: 501, text: "This server does not support WebSockets.\n"))
      }
      upgradeHandler(WebSocketUpgrade(request: request, accept: accept, connection: self, loop: server.loop))
    }
  }

  // MARK: Responses

  private func refuse(_ failure: HTTPParser.Failure) {
    switch failure {
    case .malformed(let reason):
      refuse(HTTPResponse(status: 400, text: "Malformed request: \(reason).\n"))
    case .headTooLarge:
      let limit = server.configuration.maximumHeadBytes
      refuse(HTTPResponse(status: 431, text: "The request's header fields exceed \(limit) bytes.\n"))
    case .bodyTooLarge:
      let limit = server.configuration.maximumBodyBytes
      refuse(HTTPResponse(status: 413, text: "The request's content exceeds \(limit) bytes.\n"))
    }
  }

  /// Answers a request without calling a handler, and ends the connection, because the start of its next request
  /// cannot be determined.
  private func refuse(_ response: HTTPResponse) {
    keepsAlive = false
    isHeadRequest = false
    state = .handling
    respond(response)
  }

  func respond(_ response: HTTPResponse) {
    guard state == .handling else { return }
    onGone = nil
    let isLast = !keepsAlive || server.isClosing
    connection.write(
      HTTPWriter.response(response, isHead: isHeadRequest, closes: isLast, isVersion11: parser.isVersion11)
    )
    if isLast { return finish() }
    state = .reading
    parser.reset()
    expect(withinMilliseconds: server.configuration.idleTimeoutMilliseconds)
    connection.resumeReading()
    processWaiting()
  }

  func switchProtocols(_ head: [UInt8]) -> (connection: Connection, input: [UInt8])? {
    guard state == .handling, connection.isOpen else { return nil }
    connection.write(head)
    return (connection, giveAway())
  }

  func leaveLoop() -> (connection: DetachedConnection, input: [UInt8])? {
    guard state == .handling, let detached = connection.detach() else { return nil }
    return (detached, giveAway())
  }

  /// - Returns: The input received after the request.
  private func giveAway() -> [UInt8] {
    state = .upgraded
    timer?.cancel()
    connection.onRead = nil
    connection.onClose = nil
    let input = waiting
    waiting = []
    server.forget(self)
    return input
  }
}
