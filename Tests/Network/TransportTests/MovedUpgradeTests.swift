// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Testing

@testable import FlexSyncTransport

@Suite("Web sockets that live on another loop than their server")
struct MovedUpgradeTests {
  /// A server on the scenario's loop that leaves web sockets to another one.
  private func server<Outcome>(
    _ scenario: Scenario<Outcome>,
    _ other: EventLoop,
    tls: TLSContext? = nil,
    _ answer: @escaping @Sendable (WebSocketUpgrade) -> Void
  ) throws -> Endpoint {
    var configuration = HTTPServerConfiguration()
    configuration.tls = tls
    configuration.maximumConnectionsPerAddress = 3
    configuration.limitsLoopback = true
    let server = HTTPServer(
      loop: scenario.loop,
      configuration: configuration,
      upgradeHandler: { $0.move(to: other, answer) },
      handler: { $1.respond(HTTPResponse(status: 200, text: "here")) }
    )
    return try scenario.keep(server).listen(on: .anyLocal)
  }

  /// Runs `body` while another loop is running.
  private func withOtherLoop<Result>(_ body: (EventLoop) throws -> Result) throws -> Result {
    let other = try EventLoop()
    try other.start()
    defer {
      other.stop()
      other.join()
    }
    return try body(other)
  }

  /// Answers each message on the loop that it has to be on.
  private static func echo(on loop: EventLoop) -> @Sendable (WebSocketUpgrade) -> Void {
    { upgrade in
      let socket = upgrade.accept(subprotocol: nil)
      socket?.onMessage = { bytes in
        #expect(loop.isInLoop)
        socket?.send(bytes)
      }
    }
  }

  @Test("Messages of all sizes pass, in order, with and without TLS", arguments: [false, true])
  func messages(isSecure: Bool) throws {
    let authority = try #require(Authority.shared, "the openssl command is needed for these tests")
    let sizes = [1, 100, 16_385, 65_536, 3_000_000, 0, 7]
    let result: String = try withOtherLoop { other in
      try onLoop { scenario in
        let tls = isSecure ? try authority.server() : nil
        let endpoint = try server(scenario, other, tls: tls, Self.echo(on: other))
        let url = try WebURL(parsing: "\(isSecure ? "wss" : "ws")://localhost:\(endpoint.port)/")
        scenario.exchange(sizes, at: url, tls: try authority.client())
      }
    }
    #expect(result == "closed well")
  }

  @Test(
    "Messages that came in the same packet as the handshake are not lost, with and without TLS",
    arguments: [false, true]
  )
  func early(isSecure: Bool) throws {
    let authority = try #require(Authority.shared, "the openssl command is needed for these tests")
    let handshake =
      "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    let numbers = (100..<400).map { "\($0)" }
    let text: String = try withOtherLoop { other in
      try onLoop { scenario in
        let tls = isSecure ? try authority.server() : nil
        let endpoint = try server(scenario, other, tls: tls, Self.echo(on: other))
        // The last one comes when the connection has moved.
        let client = RawClient(
          scenario.loop,
          Endpoint(host: "localhost", port: endpoint.port),
          pieces: [Array(handshake.utf8) + numbers.dropLast().flatMap(Frame.binary), Frame.binary("399")],
          tls: isSecure ? try authority.client() : nil
        )
        client.onChange = { if $0.text.hasSuffix("399") { scenario.finish($0.text) } }
      }
    }
    let frames = text.split(separator: "\r\n\r\n", maxSplits: 1).last ?? ""
    #expect(frames.filter(\.isNumber) == numbers.joined())
  }

  @Test("A request that is refused on the other loop ends its connection")
  func refused() throws {
    let status: Int = try withOtherLoop { other in
      try onLoop { scenario in
        let endpoint = try server(scenario, other) { upgrade in
          upgrade.refuse(HTTPResponse(status: 401, text: "no"))
        }
        WebSocketClient(loop: scenario.loop).connect(try WebURL(parsing: "ws://\(endpoint)/")) { outcome in
          guard case .refused(let response) = outcome else { return scenario.finish(0) }
          #expect(response.headers["Connection"] == "close")
          scenario.finish(response.status)
        }
      }
    }
    #expect(status == 401)
  }

  @Test("While the other loop is busy, the server answers; what waited is done then")
  func busy() throws {
    let order: [String] = try withOtherLoop { other in
      let gate = DispatchSemaphore(value: 0)
      defer { gate.signal() }
      other.execute { gate.wait() }
      return try onLoop { scenario in
        var order: [String] = []
        let endpoint = try server(scenario, other, Self.echo(on: other))
        WebSocketClient(loop: scenario.loop).connect(try WebURL(parsing: "ws://\(endpoint)/")) { outcome in
          guard case .connected(let socket) = outcome else { return scenario.finish([]) }
          order.append("web socket")
          socket.onMessage = { _ in scenario.finish(order + ["message"]) }
          socket.send(Array("x".utf8))
        }
        HTTPClient(loop: scenario.loop).send(
          HTTPClientRequest(method: "GET", url: try WebURL(parsing: "http://\(endpoint)/"))
        ) { _ in
          order.append("request")
          gate.signal()
        }
      }
    }
    #expect(order == ["request", "web socket", "message"])
  }

  @Test("The web sockets of other loops count for their address until they end")
  func counted() throws {
    let outcome: [Bool] = try withOtherLoop { other in
      try onLoop { scenario in
        let endpoint = try server(scenario, other, Self.echo(on: other))
        let url = try WebURL(parsing: "ws://\(endpoint)/")
        var outcome: [Bool] = []
        /// Opens one after the other; when one is refused, ends one and tries until there is room.
        func open(_ sockets: [WebSocket]) {
          WebSocketClient(loop: scenario.loop).connect(url) { result in
            guard case .connected(let socket) = result else {
              if outcome.last != false { outcome.append(false) }
              sockets.first?.terminate()
              return open(sockets)
            }
            outcome.append(true)
            scenario.keep(socket)
            if outcome.count == 5 { return scenario.finish(outcome) }
            open(sockets + [socket])
          }
        }
        open([])
      }
    }
    #expect(outcome == [true, true, true, false, true])
  }

  @Test("A loop that has stopped takes no connection: it is closed")
  func stopped() throws {
    let other = try EventLoop()
    other.stop()
    other.run()
    let text: String = try onLoop { scenario in
      let endpoint = try server(scenario, other, Self.echo(on: other))
      WebSocketClient(loop: scenario.loop).connect(try WebURL(parsing: "ws://\(endpoint)/")) { outcome in
        guard case .failed(let error) = outcome else { return scenario.finish("\(outcome)") }
        scenario.finish("\(error.kind)")
      }
    }
    #expect(text == "connectionLost")
  }
}
