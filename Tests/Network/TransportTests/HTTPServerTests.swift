// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncTestSupport
import FlexSyncTransport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("HTTP server")
struct HTTPServerTests {
  /// A server that tells what it was asked.
  private func echoServer(
    _ loop: EventLoop,
    _ configure: (inout HTTPServerConfiguration) -> Void = { _ in }
  ) throws -> Endpoint {
    var configuration = HTTPServerConfiguration()
    configure(&configuration)
    let server = HTTPServer(loop: loop, configuration: configuration) { request, responder in
      let body = String(decoding: request.body, as: UTF8.self)
      responder.respond(HTTPResponse(status: 200, text: "\(request.method) \(request.target) [\(body)]"))
    }
    let endpoint = try server.listen(on: .anyLocal)
    // The handler of the listener holds the server only weakly.
    _ = loop.schedule(afterMilliseconds: 60_000) { withExtendedLifetime(server) {} }
    return endpoint
  }

  /// What comes back for these bytes, each piece sent in a turn of its own, until the server closes.
  private func answer(
    _ pieces: [String],
    _ configure: @escaping (inout HTTPServerConfiguration) -> Void = { _ in }
  ) throws -> String {
    try onLoop { scenario in
      let endpoint = try echoServer(scenario.loop, configure)
      let client = RawClient(scenario.loop, endpoint, pieces: pieces.map { Array($0.utf8) })
      client.onClose = { scenario.finish($0) }
    }
  }

  @Test("A request is answered however the network cuts it")
  func cuts() throws {
    let request = Array(
      "POST /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc".utf8
    )
    let answers: [String] = try onLoop { scenario in
      let endpoint = try echoServer(scenario.loop)
      var answers: [String] = []
      for cut in 1..<request.count {
        let client = RawClient(
          scenario.loop,
          endpoint,
          pieces: [Array(request[..<cut]), Array(request[cut...])]
        )
        client.onClose = { text in
          answers.append(text)
          if answers.count == request.count - 1 { scenario.finish(answers) }
        }
      }
    }
    #expect(Set(answers).count == 1)
    #expect(answers[0].hasSuffix("POST /a [abc]"))
    let bytewise = try answer(request.map { String(decoding: [$0], as: UTF8.self) })
    #expect(bytewise == answers[0])
  }

  @Test(
    "A request that has arrived is answered, though its connection's time is over since the loop was busy",
    arguments: [true, false]
  )
  func busyLoop(isFirst: Bool) throws {
    let text: String = try onLoop { scenario in
      let endpoint = try echoServer(scenario.loop) {
        $0.headTimeoutMilliseconds = 200
        $0.idleTimeoutMilliseconds = 200
      }
      let client = try SystemSocket(endpoint)
      if !isFirst { client.write("GET /early HTTP/1.1\r\nHost: h\r\n\r\n") }
      _ = scenario.loop.schedule(afterMilliseconds: 100) {
        client.write("GET /late HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        usleep(300_000)
      }
      _ = scenario.loop.scheduleRepeatedly(everyMilliseconds: 5) {
        if client.readAll() { scenario.finish(client.text) }
      }
    }
    #expect(text.hasSuffix("GET /late []"), "\(text)")
    #expect(text.contains("GET /early") == !isFirst)
  }

  @Test("A client that goes while its request is being handled is noticed")
  func clientGoes() throws {
    let wasCancelled: Bool = try onLoop { scenario in
      var client: RawClient?
      let server = scenario.keep(
        HTTPServer(loop: scenario.loop) { _, responder in
          responder.onCancel = { scenario.finish(responder.isCancelled) }
          client?.close()
        }
      )
      client = RawClient(scenario.loop, try server.listen(on: .anyLocal), "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
    }
    #expect(wasCancelled)
  }

  @Test("Connections that would take the last file descriptors are closed, and the server is told")
  func descriptors() throws {
    let isReported: Bool = try onLoop { scenario in
      var configuration = HTTPServerConfiguration()
      configuration.reservedDescriptors = .max / 2
      let server = scenario.keep(
        HTTPServer(loop: scenario.loop, configuration: configuration) { _, responder in
          responder.respond(HTTPResponse(status: 200, text: "no"))
        }
      )
      var isReported = false
      server.onDescriptorShortage = { isReported = true }
      let client = RawClient(
        scenario.loop,
        try server.listen(on: .anyLocal),
        "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
      )
      client.onClose = { scenario.finish($0.isEmpty && isReported) }
    }
    #expect(isReported)
    DescriptorLimit.raise()
    #expect(DescriptorLimit.current > 0)
  }

  @Test("Pipelined requests are answered in order, also when the answers come late")
  func pipelining() throws {
    let text: String = try onLoop { scenario in
      let server = scenario.keep(
        HTTPServer(loop: scenario.loop) { request, responder in
          let delay: UInt64 = request.path == "/0" ? 30 : request.path == "/1" ? 5 : 0
          let response = HTTPResponse(status: 200, text: "<\(request.path)>")
          if delay == 0 { return responder.respond(response) }
          _ = scenario.loop.schedule(afterMilliseconds: delay) { responder.respond(response) }
        }
      )
      let requests = (0..<6).map {
        "GET /\($0) HTTP/1.1\r\nHost: h\r\n\($0 == 5 ? "Connection: close\r\n" : "")\r\n"
      }
      let client = RawClient(scenario.loop, try server.listen(on: .anyLocal), requests.joined())
      client.onClose = { scenario.finish($0) }
    }
    #expect(
      text.split(separator: "<").dropFirst().map { $0.prefix { $0 != ">" } } == [
        "/0", "/1", "/2", "/3", "/4", "/5",
      ]
    )
  }

  @Test("A thousand pipelined requests do not pile up on the stack")
  func deepPipelining() throws {
    let requests = String(repeating: "GET / HTTP/1.1\r\nHost: h\r\n\r\n", count: 1_000)
    let text = try answer([requests + "GET /end HTTP/1.0\r\n\r\n"])
    #expect(text.hasSuffix("GET /end []"))
    #expect(text.split(separator: "HTTP/1.1 200").count == 1_001)
  }

  @Test("Chunked content arrives joined, and a client that asks first is told to go on")
  func chunkedAndExpect() throws {
    let chunked = try answer([
      "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r",
      "\n1\r\nc\r\n0\r\n\r\n",
    ])
    #expect(chunked.hasSuffix("POST / [abc]"))
    let asked: String = try onLoop { scenario in
      let head =
        "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"
      let client = RawClient(scenario.loop, try echoServer(scenario.loop), head)
      client.onChange = { if $0.text.hasSuffix("100 Continue\r\n\r\n") { $0.send(Array("x".utf8)) } }
      client.onClose = { scenario.finish($0) }
    }
    #expect(asked.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200"))
    #expect(
      try answer(["PUT / HTTP/1.1\r\nHost: h\r\nExpect: tea\r\nContent-Length: 1\r\n\r\n"]).hasPrefix(
        "HTTP/1.1 417"
      )
    )
  }

  @Test("HEAD gets no content, HTTP/1.0 closes unless it asks to stay")
  func variants() throws {
    let head = try answer(["HEAD / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"])
    #expect(head.contains("Content-Length: 9\r\n"))
    #expect(head.hasSuffix("\r\n\r\n"))
    #expect(try answer(["GET / HTTP/1.0\r\n\r\n"]).contains("Connection: close\r\n"))
    let kept = try answer([
      "GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET /2 HTTP/1.0\r\n\r\n",
    ])
    #expect(kept.contains("Connection: keep-alive\r\n"))
    #expect(kept.hasSuffix("GET /2 []"))
  }

  @Test("Bad requests get their status and end their connection")
  func refusals() throws {
    #expect(try answer(["nonsense\r\n\r\n"]).hasPrefix("HTTP/1.1 400"))
    #expect(try answer(["GET / HTTP/1.1\r\n\r\n"]).hasPrefix("HTTP/1.1 400"))
    #expect(try answer(["GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"]).hasPrefix("HTTP/1.1 400"))
    let long = String(repeating: "x", count: 20_000)
    #expect(try answer(["GET /\(long) HTTP/1.1\r\nHost: h\r\n\r\n"]).hasPrefix("HTTP/1.1 431"))
    let large = try answer(["POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n"]) {
      $0.maximumBodyBytes = 10
    }
    #expect(large.hasPrefix("HTTP/1.1 413"))
    #expect(try answer(["GET / HTTP/1.1\r\nHost: h\r\n\r\n\u{0}"]).contains("HTTP/1.1 400"))
  }

  @Test("Malformed input of one client does not touch another")
  func isolation() throws {
    let text: String = try onLoop { scenario in
      let endpoint = try echoServer(scenario.loop)
      let good = RawClient(
        scenario.loop,
        endpoint,
        pieces: [
          "GET /1 HTTP/1.1\r\nHost: h\r\n\r\n", "", "",
          "GET /2 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
        ]
        .map { Array($0.utf8) }
      )
      good.onClose = { scenario.finish($0) }
      for seed in 0..<50 {
        var random = SeededGenerator(seed: UInt64(seed))
        RawClient(
          scenario.loop,
          endpoint,
          pieces: [(0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }]
        )
      }
    }
    #expect(text.contains("GET /1 []"))
    #expect(text.hasSuffix("GET /2 []"))
  }

  @Test("Slow heads and bodies and idle connections are ended")
  func timeouts() throws {
    #expect(
      try answer(["GET / HTTP/1.1\r\nHo"]) { $0.headTimeoutMilliseconds = 200 }.hasPrefix("HTTP/1.1 408")
    )
    let body = try answer(["POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\na"]) {
      $0.bodyTimeoutMilliseconds = 200
    }
    #expect(body.hasPrefix("HTTP/1.1 408"))
    #expect(try answer([]) { $0.headTimeoutMilliseconds = 200 }.isEmpty)
    let idle = try answer(["GET / HTTP/1.1\r\nHost: h\r\n\r\n"]) { $0.idleTimeoutMilliseconds = 200 }
    #expect(idle.hasSuffix("GET / []"))
    // One byte at a time must not win more time.
    let drip = try answer("GET /\(String(repeating: "x", count: 600))".map(String.init)) {
      $0.headTimeoutMilliseconds = 200
    }
    #expect(drip.hasPrefix("HTTP/1.1 408"))
    let head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 600\r\n\r\n"
    let slowBody = try answer([head] + String(repeating: "x", count: 600).map(String.init)) {
      $0.bodyTimeoutMilliseconds = 5_000
      $0.requestTimeoutMilliseconds = 200
    }
    #expect(slowBody.hasPrefix("HTTP/1.1 408"))
  }

  @Test("A handler that drops its responder answers 500")
  func droppedResponder() throws {
    let text: String = try onLoop { scenario in
      let server = scenario.keep(HTTPServer(loop: scenario.loop) { _, _ in })
      let client = RawClient(
        scenario.loop,
        try server.listen(on: .anyLocal),
        "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
      )
      client.onClose = { scenario.finish($0) }
    }
    #expect(text.hasPrefix("HTTP/1.1 500"))
  }

  @Test("Header fields are sent exactly as given")
  func exactHeaders() throws {
    let text: String = try onLoop { scenario in
      let server = scenario.keep(
        HTTPServer(loop: scenario.loop) { _, responder in
          var response = HTTPResponse(status: 401, contentType: "application/json", body: Array("{}".utf8))
          response.headers.append("X-One", "1")
          responder.respond(response)
        }
      )
      let client = RawClient(
        scenario.loop,
        try server.listen(on: .anyLocal),
        "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
      )
      client.onClose = { scenario.finish($0) }
    }
    #expect(
      text == """
        HTTP/1.1 401 Unauthorized\r
        Content-Type: application/json\r
        X-One: 1\r
        Content-Length: 2\r
        Connection: close\r
        \r
        {}
        """
    )
  }

  @Test("Beyond the limit of connections, further ones are closed")
  func connectionLimit() throws {
    let text: String = try onLoop { scenario in
      let endpoint = try echoServer(scenario.loop) { $0.maximumConnections = 1 }
      let first = RawClient(scenario.loop, endpoint, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
      first.onChange = { first in
        first.onChange = nil
        RawClient(scenario.loop, endpoint, "GET / HTTP/1.1\r\nHost: h\r\n\r\n").onClose = {
          scenario.finish($0)
        }
      }
    }
    #expect(text.isEmpty)
  }

  @Test("A server that closes finishes the requests under way")
  func gracefulClose() throws {
    let result: [String] = try onLoop { scenario in
      var result: [String] = []
      var server: HTTPServer?
      server = HTTPServer(loop: scenario.loop) { _, responder in
        _ = scenario.loop.schedule(afterMilliseconds: 20) {
          responder.respond(HTTPResponse(status: 200, text: "late"))
        }
        server?.close(graceMilliseconds: 5_000) {
          result.append("drained \(server?.connectionCount ?? -1)")
          scenario.finish(result)
          server = nil
        }
      }
      let endpoint = try server?.listen(on: .anyLocal) ?? .anyLocal
      RawClient(scenario.loop, endpoint, pieces: []).onClose = { result.append("idle: \($0)") }
      _ = scenario.loop.schedule(afterMilliseconds: 20) {
        RawClient(scenario.loop, endpoint, "GET / HTTP/1.1\r\nHost: h\r\n\r\n").onClose = {
          result.append("busy: \($0.suffix(4)), \($0.contains("Connection: close"))")
        }
      }
    }
    #expect(result == ["idle: ", "busy: late, true", "drained 0"])
  }
}

@Suite("HTTP client")
struct HTTPClientTests {
  private func response(
    timeoutMilliseconds: UInt64 = 5_000,
    limit: Int = 1_000,
    to answer: @escaping (Connection) -> Void
  ) throws -> Result<HTTPResponse, TransportError> {
    try onLoop { scenario in
      let listener = try Listener(loop: scenario.loop, endpoint: .anyLocal) { connection in
        connection.onRead = { _ in answer(connection) }
        connection.start()
      }
      let client = HTTPClient(loop: scenario.loop)
      let url = try WebURL(parsing: "http://\(listener.endpoint)/")
      client.send(
        HTTPClientRequest(method: "GET", url: url),
        timeoutMilliseconds: timeoutMilliseconds,
        maximumResponseBytes: limit
      ) { scenario.finish($0) }
    }
  }

  private func reply(_ text: String) -> (Connection) -> Void {
    { connection in
      connection.write(Array(text.utf8))
      connection.closeAfterFlushing()
    }
  }

  @Test("A request carries method, target, header fields and content")
  func request() throws {
    let text: String = try onLoop { scenario in
      let listener = try Listener(loop: scenario.loop, endpoint: .anyLocal) { connection in
        connection.onRead = { scenario.finish($0.text) }
        connection.start()
      }
      let url = try WebURL(parsing: "http://localhost:\(listener.endpoint.port)/a?b")
      HTTPClient(loop: scenario.loop).send(
        HTTPClientRequest(method: "POST", url: url, headers: ["Accept": "x"], body: Array("{}".utf8))
      ) { _ in }
    }
    let port = text.split(separator: ":")[2].prefix { $0.isNumber }
    #expect(
      text
        == "POST /a?b HTTP/1.1\r\nHost: localhost:\(port)\r\nAccept: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
    )
  }

  @Test("Responses end by length, by chunks, or with the connection; redirects are not followed")
  func responses() throws {
    let cases = [
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 301 Moved\r\nLocation: /x\r\n\r\nok",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n",
    ]
    for text in cases {
      let response = try response(to: reply(text)).get()
      #expect(response.body == Array("ok".utf8))
      #expect(response.status == (text.contains("301") ? 301 : 200))
    }
  }

  @Test("Broken, endless and silent servers are errors that name the server")
  func failures() throws {
    func kind(_ result: Result<HTTPResponse, TransportError>) -> TransportError.Kind? {
      guard case .failure(let error) = result else { return nil }
      #expect(error.description.contains("127.0.0.1:"))
      return error.kind
    }
    #expect(kind(try response(to: reply("SSH-2.0\r\n"))) == .protocolViolation)
    #expect(
      kind(try response(to: reply("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok"))) == .connectionLost
    )
    let long = "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 1_001)
    #expect(kind(try response(to: reply(long))) == .tooLarge)
    #expect(kind(try response(timeoutMilliseconds: 40, to: { _ in })) == .timedOut)
  }

  @Test("Requests that cannot be sent fail without a connection")
  func unsendable() throws {
    let kinds: [TransportError.Kind] = try onLoop { scenario in
      var kinds: [TransportError.Kind] = []
      let client = HTTPClient(loop: scenario.loop)
      for (method, text) in [("GET", "ws://localhost/"), ("GET / HTTP/1.1\r\nX:", "http://localhost/")] {
        client.send(HTTPClientRequest(method: method, url: try WebURL(parsing: text))) { result in
          if case .failure(let error) = result { kinds.append(error.kind) }
          if kinds.count == 2 { scenario.finish(kinds) }
        }
      }
      #expect(kinds.isEmpty)
    }
    #expect(kinds == [.invalidAddress, .invalidAddress])
  }
}
