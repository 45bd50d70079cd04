// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import FlexSyncTransport
import Testing

/// One scenario on an event loop: tells when it is over and what came of it.
final class Scenario<Outcome> {
  let loop: EventLoop
  fileprivate var outcome: Outcome?
  fileprivate var failure: (any Error)?
  /// Their handlers usually refer to the scenario: a cycle until its end.
  fileprivate var kept: [Any] = []

  fileprivate init() throws {
    loop = try EventLoop()
  }

  /// Ends the scenario. Only the first outcome counts.
  func finish(_ outcome: Outcome) {
    if self.outcome == nil { self.outcome = outcome }
    loop.stop()
  }

  /// Ends the scenario and fails the test.
  func fail(_ error: any Error) {
    if failure == nil { failure = error }
    loop.stop()
  }

  /// Keeps an object alive until the end.
  @discardableResult
  func keep<Object>(_ object: Object) -> Object {
    kept.append(object)
    return object
  }
}

/// Runs a scenario on a loop of its own, on this thread, and returns what it finished with.
func onLoop<Outcome>(
  timeoutMilliseconds: UInt64 = Patience.milliseconds,
  _ body: (Scenario<Outcome>) throws -> Void
) throws -> Outcome {
  let scenario = try Scenario<Outcome>()
  _ = scenario.loop.schedule(afterMilliseconds: timeoutMilliseconds) { scenario.loop.stop() }
  do {
    try body(scenario)
  } catch {
    scenario.fail(error)
  }
  scenario.loop.run()
  scenario.kept = []
  if let failure = scenario.failure { throw failure }
  return try #require(scenario.outcome, "the scenario did not end in time")
}

extension UnsafeRawBufferPointer {
  /// A copy as text.
  var text: String { String(decoding: self, as: UTF8.self) }
}

extension Endpoint {
  /// This machine, with a port of the system's choice.
  static let anyLocal = Endpoint(host: "127.0.0.1", port: 0)
}

/// A client without any protocol: sends pieces, each in a turn of its own, and collects what comes back.
final class RawClient {
  private let loop: EventLoop
  private var connection: Connection?
  private var pieces: ArraySlice<[UInt8]>
  private(set) var received: [UInt8] = []
  private(set) var reads = 0
  /// Called after each read and at the end.
  var onChange: ((RawClient) -> Void)?
  /// Called when the connection is closed, with all that came.
  var onClose: ((String) -> Void)?

  var text: String { String(decoding: received, as: UTF8.self) }

  @discardableResult
  init(_ loop: EventLoop, _ endpoint: Endpoint, pieces: [[UInt8]], tls: TLSContext? = nil) {
    self.loop = loop
    self.pieces = pieces[...]
    Connection.connect(loop: loop, to: endpoint, tls: tls) { [self] result in
      switch result {
      case .success(let connection): connected(connection)
      case .failure(let error):
        received += Array("\(error)".utf8)
        onClose?(text)
      }
    }
  }

  @discardableResult
  convenience init(_ loop: EventLoop, _ endpoint: Endpoint, _ text: String) {
    self.init(loop, endpoint, pieces: [Array(text.utf8)])
  }

  func close() { connection?.close() }

  func send(_ bytes: [UInt8]) { connection?.write(bytes) }

  private func connected(_ connection: Connection) {
    self.connection = connection
    connection.onRead = { [self] bytes in
      received += bytes
      reads += 1
      onChange?(self)
    }
    connection.onClose = { [self] _ in
      onChange?(self)
      onClose?(text)
      onChange = nil
      onClose = nil
    }
    connection.start()
    sendNext()
  }

  private func sendNext() {
    guard let piece = pieces.popFirst() else { return }
    connection?.write(piece)
    _ = loop.schedule(afterMilliseconds: 1) { [self] in sendNext() }
  }
}

extension Scenario where Outcome == String {
  /// Sends messages of these sizes to an echo, and ends when all of them have come back in order.
  func exchange(_ sizes: [Int], at url: WebURL, tls: TLSContext?) {
    WebSocketClient(loop: loop, tls: tls).connect(url) { outcome in
      guard case .connected(let socket) = outcome else { return self.finish("\(outcome)") }
      var remaining = sizes[...]
      socket.onMessage = { bytes in
        #expect(bytes.count == remaining.removeFirst())
        if remaining.isEmpty { socket.drop() }
      }
      socket.onClose = { self.finish("closed \($0.error?.description ?? "well")") }
      for size in sizes { socket.send([UInt8](repeating: 1, count: size)) }
    }
  }
}
