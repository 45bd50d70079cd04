// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FlexSyncScheduling
@testable import FlexSyncTransport

/// Frames by hand, to send what a well-behaved library would not.
enum Frame {
  static func client(
    opcode: UInt8,
    _ payload: [UInt8],
    isFinal: Bool = true,
    reserved: UInt8 = 0,
    isMasked: Bool = true
  ) -> [UInt8] {
    let mask: [UInt8] = [1, 2, 3, 4]
    var frame = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
    let maskBit: UInt8 = isMasked ? 0x80 : 0
    switch payload.count {
    case ..<126: frame.append(maskBit | UInt8(payload.count))
    case ..<65_536: frame += [maskBit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    default:
      frame.append(maskBit | 127)
      frame += (0..<8).map { UInt8(truncatingIfNeeded: UInt64(payload.count) >> UInt64(56 - 8 * $0)) }
    }
    if isMasked { frame += mask }
    return frame + payload.enumerated().map { $1 ^ (isMasked ? mask[$0 % 4] : 0) }
  }

  static func binary(_ text: String) -> [UInt8] { client(opcode: 2, Array(text.utf8)) }
}

@Suite("WebSocket server")
struct WebSocketServerTests {
  private static let handshake = Array(
    ("GET /sync HTTP/1.1\r\nHost: h\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
      + "Sec-WebSocket-Protocol: x#2, x#1\r\n\r\n").utf8
  )

  /// What a server saw of a client and sent to it.
  struct Transcript {
    var messages: [String] = []
    var closure: ChannelClosure?
    /// All bytes behind the head of the response.
    var sent: [UInt8] = []
    var head = ""

    /// The short frames among what was sent.
    var frames: [[UInt8]] {
      var frames: [[UInt8]] = []
      var rest = sent[...]
      while rest.count >= 2 {
        let length = 2 + Int(rest[rest.startIndex + 1])
        frames.append(Array(rest.prefix(length)))
        rest = rest.dropFirst(length)
      }
      return frames
    }
  }

  /// Sends bytes to a server that echoes messages as `<message>`, until it closes or `expected` bytes have come.
  private func transcript(
    _ pieces: [[UInt8]],
    expecting expected: Int = .max,
    options: WebSocketOptions = WebSocketOptions(),
    onAccept: @escaping (WebSocket) -> Void = { _ in }
  ) throws -> Transcript {
    try onLoop { scenario in
      var transcript = Transcript()
      var client: RawClient?
      func finishWhenComplete() {
        guard let client, let range = client.text.firstRange(of: "\r\n\r\n") else { return }
        transcript.head = String(client.text[..<range.lowerBound])
        transcript.sent = Array(client.received[(transcript.head.utf8.count + 4)...])
        if transcript.sent.count >= expected || transcript.closure != nil { scenario.finish(transcript) }
      }
      let server = scenario.keep(
        HTTPServer(
          loop: scenario.loop,
          upgradeHandler: { upgrade in
            let accepted = upgrade.accept(
              subprotocol: upgrade.offeredProtocols.first,
              headers: ["X-Request-Id": "7"],
              options: options
            )
            guard let socket = accepted else { return }
            socket.onMessage = { bytes in
              transcript.messages.append(bytes.text)
              socket.send(Array("<\(bytes.text)>".utf8))
            }
            socket.onClose = { closure in
              transcript.closure = closure
              finishWhenComplete()
            }
            onAccept(socket)
          },
          handler: { _, responder in responder.respond(HTTPResponse(status: 404)) }
        )
      )
      client = RawClient(scenario.loop, try server.listen(on: .anyLocal), pieces: pieces)
      client?.onChange = { _ in finishWhenComplete() }
    }
  }

  @Test("The handshake is the one of RFC 6455, and carries the chosen sub-protocol and further fields")
  func handshake() throws {
    let transcript = try transcript([Self.handshake], expecting: 0)
    let lines = transcript.head.split(separator: "\r\n").map(String.init)
    #expect(
      lines == [
        "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "Sec-WebSocket-Protocol: x#2",
        "X-Request-Id: 7",
      ]
    )
  }

  @Test("Messages arrive however the network cuts handshake and frames")
  func cuts() throws {
    let bytes =
      Self.handshake + Frame.binary("one") + Frame.client(opcode: 2, Array("tw".utf8), isFinal: false)
      + Frame.client(opcode: 9, [1]) + Frame.client(opcode: 0, Array("o".utf8))
    let reply: [UInt8] = [0x82, 5] + Array("<one>".utf8)
    for cut in stride(from: 1, to: bytes.count, by: 1) {
      let transcript = try transcript([Array(bytes[..<cut]), Array(bytes[cut...])], expecting: 17)
      #expect(transcript.messages == ["one", "two"], "cut at \(cut)")
      #expect(Set(transcript.frames) == [reply, [0x8a, 1, 1], [0x82, 5] + Array("<two>".utf8)])
    }
    let bytewise = try transcript(bytes.map { [$0] }, expecting: 17)
    #expect(bytewise.messages == ["one", "two"])
  }

  @Test("A ping gets its pong, text is ignored, and no ping is ever sent")
  func control() throws {
    let transcript = try transcript(
      [
        Self.handshake + Frame.client(opcode: 9, Array("hi".utf8))
          + Frame.client(opcode: 1, Array("text".utf8))
          + Frame.client(opcode: 10, []) + Frame.binary("x")
      ],
      expecting: 9
    )
    #expect(transcript.messages == ["x"])
    #expect(Set(transcript.frames) == [[0x8a, 2] + Array("hi".utf8), [0x82, 3] + Array("<x>".utf8)])
  }

  @Test(
    "A violation of the protocol ends the connection with 1002",
    arguments: [
      Frame.client(opcode: 2, [1], isMasked: false), Frame.client(opcode: 2, [1], reserved: 4),
      Frame.client(opcode: 2, [1], reserved: 1), Frame.client(opcode: 3, [1]), Frame.client(opcode: 0, [1]),
      Frame.client(opcode: 9, [UInt8](repeating: 0, count: 126)), Frame.client(opcode: 9, [], isFinal: false),
      Frame.client(opcode: 2, [1], isFinal: false) + Frame.client(opcode: 2, [1]),

      Frame.client(opcode: 8, [0, 1]), [0x82, 0xfe, 0, 1, 1, 2, 3, 4, 5],
      [0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4],
    ]
  )
  func violations(frame: [UInt8]) throws {
    let transcript = try transcript([Self.handshake + Frame.binary("ok") + frame + Frame.binary("after")])
    #expect(transcript.messages == ["ok"])
    #expect(transcript.closure?.error?.kind == .protocolViolation)
    #expect(transcript.closure?.code == nil)
    #expect(transcript.sent.suffix(4) == [0x88, 2, 0x03, 0xea])
  }

  @Test("Malformed text ends the connection with 1007")
  func malformedText() throws {
    let transcript = try transcript([Self.handshake + Frame.client(opcode: 1, [0xff])])
    #expect(transcript.sent == [0x88, 2, 0x03, 0xef])
  }

  @Test(
    "A message that is too long is never delivered: the connection is dropped, or 1009 sent if so configured"
  )
  func oversize() throws {
    var options = WebSocketOptions()
    options.maximumMessageBytes = 100
    let long = [UInt8](repeating: 1, count: 101)
    let half = [UInt8](repeating: 1, count: 60)
    let announced: [UInt8] = [0x82, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 1, 2, 3, 4, 5]
    let cases = [
      Frame.client(opcode: 2, long),
      Frame.client(opcode: 2, half, isFinal: false) + Frame.client(opcode: 0, half),
      announced, Frame.client(opcode: 1, long),
    ]
    for reports in [false, true] {
      options.reportsOversizedMessages = reports
      for frame in cases {
        let transcript = try transcript([Self.handshake + frame], options: options)
        #expect(transcript.messages.isEmpty)
        #expect(transcript.closure?.error?.kind == .tooLarge)
        #expect(transcript.sent == (reports ? [0x88, 2, 0x03, 0xf1] : []))
      }
    }
    let exact = try transcript(
      [Self.handshake + Frame.client(opcode: 2, long.dropLast())],
      expecting: 100,
      options: options
    )
    #expect(exact.messages == [String(decoding: long.dropLast(), as: UTF8.self)])
  }

  @Test("A close frame is answered, and its code and reason are reported")
  func peerCloses() throws {
    let close = Frame.client(opcode: 8, [0x0f, 0xa1] + Array("bye".utf8))
    let transcript = try transcript([Self.handshake + close + Frame.binary("after")])
    #expect(transcript.messages.isEmpty)
    #expect(transcript.closure == ChannelClosure(code: 4001, reason: "bye", error: nil))
    #expect(transcript.sent == [0x88, 5, 0x0f, 0xa1] + Array("bye".utf8))
    #expect(try self.transcript([Self.handshake + Frame.client(opcode: 8, [])]).closure?.code == 1005)
  }

  @Test("To close sends the code and then ends the stream")
  func serverCloses() throws {
    let transcript = try transcript([Self.handshake]) { socket in
      socket.send([1])
      socket.close(code: 4003, reason: "moved")
      socket.send([2])
      #expect(!socket.isOpen)
    }
    #expect(transcript.sent == [0x82, 1, 1, 0x88, 7, 0x0f, 0xa3] + Array("moved".utf8))
    let dropped = try self.transcript([Self.handshake]) { socket in
      socket.send([1])
      socket.drop()
    }
    #expect(dropped.sent == [0x82, 1, 1])
    #expect(dropped.closure == ChannelClosure(code: nil, reason: "", error: nil))
  }

  @Test("A web socket whose client does not read says so, and can be terminated")
  func slowClient() throws {
    let result: String = try onLoop { scenario in
      let server = scenario.keep(
        HTTPServer(
          loop: scenario.loop,
          upgradeHandler: { upgrade in
            guard let socket = upgrade.accept(subprotocol: nil) else { return }
            var sent = 0
            let timer = scenario.loop.scheduleRepeatedly(everyMilliseconds: 1) {
              if socket.isWritable { sent += 1 }
              if socket.isWritable { return socket.send([UInt8](repeating: 0, count: 100_000)) }
              socket.terminate()
            }
            socket.onClose = { closure in
              timer.cancel()
              scenario.finish("\(sent > 2) \(closure.code == nil) \(closure.error == nil)")
            }
          },
          handler: { _, _ in }
        )
      )
      Connection.connect(loop: scenario.loop, to: try server.listen(on: .anyLocal)) { result in
        guard case .success(let connection) = result else { return }
        connection.start()
        connection.pauseReading()
        connection.write(Self.handshake)
      }
    }
    #expect(result == "true true true")
  }

  @Test("A long reason is cut at a character")
  func longReason() throws {
    let transcript = try transcript([Self.handshake]) {
      $0.close(code: 1000, reason: String(repeating: "ö", count: 100))
    }
    #expect(transcript.sent.count == 2 + 2 + 122)
  }

  @Test("Messages of one turn leave together")
  func coalescing() throws {
    let reads: Int = try onLoop { scenario in
      let server = scenario.keep(
        HTTPServer(
          loop: scenario.loop,
          upgradeHandler: { upgrade in
            let socket = upgrade.accept(subprotocol: nil)
            _ = scenario.loop.schedule(afterMilliseconds: 20) {
              for _ in 0..<100 { socket?.send([1, 2, 3]) }
            }
          },
          handler: { _, _ in }
        )
      )
      let client = RawClient(scenario.loop, try server.listen(on: .anyLocal), pieces: [Self.handshake])
      var before = 0
      client.onChange = { client in
        if client.received.count < 500 {
          before = client.reads
        } else {
          scenario.finish(client.reads - before)
        }
      }
    }
    #expect(reads == 1)
  }

  @Test("Wrong handshakes are refused before the handler is asked")
  func refusedHandshakes() throws {
    let valid = String(decoding: Self.handshake, as: UTF8.self)
    let cases = [
      (valid.replacing("GET", with: "PUT"), 400),
      (valid.replacing("keep-alive, Upgrade", with: "close"), 400),
      (valid.replacing("Version: 13", with: "Version: 8"), 426), (valid.replacing("dGhl", with: ""), 400),
      (valid.replacing("Sec-WebSocket-Key", with: "X"), 400),
    ]
    for (text, status) in cases {
      let answer: String = try onLoop { scenario in
        let server = scenario.keep(
          HTTPServer(
            loop: scenario.loop,
            upgradeHandler: { _ in Issue.record("asked") },
            handler: { _, _ in }
          )
        )
        let closing = text.replacing("Host: h", with: "Host: h\r\nConnection: close")
        RawClient(scenario.loop, try server.listen(on: .anyLocal), closing).onClose = { scenario.finish($0) }
      }
      #expect(answer.hasPrefix("HTTP/1.1 \(status)"))
    }
  }
}

@Suite("WebSocket client")
struct WebSocketClientTests {
  private func connect(
    _ scenario: Scenario<String>,
    to url: WebURL,
    protocols: [String] = [],
    timeoutMilliseconds: UInt64 = 5_000,
    _ onConnected: @escaping (WebSocket) -> Void = { _ in }
  ) {
    WebSocketClient(loop: scenario.loop).connect(
      url,
      protocols: protocols,
      timeoutMilliseconds: timeoutMilliseconds
    ) {
      switch $0 {
      case .connected(let socket): onConnected(socket)
      case .refused(let response):
        scenario.finish("refused \(response.status) \(String(decoding: response.body, as: UTF8.self))")
      case .failed(let error): scenario.finish("failed \(error.kind)")
      }
    }
  }

  /// The outcome of connecting to a server that answers with these bytes.
  private func outcome(_ answer: @escaping (_ accept: String) -> String) throws -> String {
    try onLoop { scenario in
      let listener = try Listener(loop: scenario.loop, endpoint: .anyLocal) { connection in
        connection.onRead = { bytes in
          let key = bytes.text.split(separator: "Sec-WebSocket-Key: ")[1].prefix { $0 != "\r\n" }
          connection.write(Array(answer(WebSocketHandshake.accept(key: String(key))).utf8))
          connection.closeAfterFlushing()
        }
        connection.start()
      }
      connect(scenario, to: try WebURL(parsing: "ws://\(listener.endpoint)/"), protocols: ["a"]) { socket in
        socket.onClose = {
          scenario.finish("closed \($0.code.map(String.init) ?? "-") \($0.error.map { "\($0.kind)" } ?? "-")")
        }
      }
    }
  }

  @Test("Messages of all sizes go there and back, in order, in fragments of the network's choice")
  func echo() throws {
    let sizes = [0, 1, 125, 126, 65_535, 65_536, 3_000_000, 16 * 1024 * 1024]
    let result: String = try onLoop { scenario in
      let server = scenario.keep(
        HTTPServer(
          loop: scenario.loop,
          upgradeHandler: { upgrade in
            let socket = upgrade.accept(subprotocol: upgrade.offeredProtocols.last)
            socket?.onMessage = { socket?.send($0) }
          },
          handler: { _, _ in }
        )
      )
      let url = try WebURL(parsing: "ws://\(try server.listen(on: .anyLocal))/x?y")
      connect(scenario, to: url, protocols: ["a", "b"]) { socket in
        #expect(socket.subprotocol == "b")
        var remaining = sizes[...]
        socket.onMessage = { bytes in
          let size = remaining.removeFirst()
          #expect(bytes.count == size)
          #expect(bytes.last == bytes.first)
          if remaining.isEmpty { socket.close(code: 1000) }
        }
        socket.onClose = { scenario.finish("closed \($0.code.map(String.init) ?? "-")") }
        for size in sizes { socket.send([UInt8](repeating: UInt8(size % 251), count: size)) }
      }
    }
    #expect(result == "closed 1000" || result == "closed -")
  }

  @Test("A refusal is reported with status and content")
  func refusal() throws {
    let result: String = try onLoop { scenario in
      let server = scenario.keep(
        HTTPServer(
          loop: scenario.loop,
          upgradeHandler: { upgrade in
            #expect(upgrade.request.queryValue("baas_at") == "token")
            _ = scenario.loop.schedule(afterMilliseconds: 5) {
              upgrade.refuse(HTTPResponse(status: 401, text: "who are you?"))
            }
          },
          handler: { _, _ in }
        )
      )
      connect(scenario, to: try WebURL(parsing: "ws://\(try server.listen(on: .anyLocal))/?baas_at=token"))
    }
    #expect(result == "refused 401 who are you?")
  }

  @Test("Answers that do not fit the handshake are violations")
  func wrongAnswers() throws {
    let good = "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
    #expect(try outcome { "\(good)\($0)\r\nSec-WebSocket-Protocol: a\r\n\r\n" } == "closed - -")
    #expect(try outcome { "\(good)\($0)x\r\n\r\n" } == "failed protocolViolation")
    #expect(try outcome { "\(good)\($0)\r\nSec-WebSocket-Protocol: z\r\n\r\n" } == "failed protocolViolation")
    #expect(
      try outcome { "\(good)\($0)\r\nSec-WebSocket-Extensions: z\r\n\r\n" } == "failed protocolViolation"
    )
    #expect(
      try outcome { "HTTP/1.1 101 S\r\nSec-WebSocket-Accept: \($0)\r\n\r\n" } == "failed protocolViolation"
    )
    #expect(try outcome { _ in "HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno" } == "refused 503 no")
    #expect(try outcome { _ in "" } == "failed connectionLost")
    #expect(try outcome { _ in "nonsense" } == "failed protocolViolation")
  }

  @Test("Frames right behind the answer are delivered; masked ones are a violation")
  func framesBehindAnswer() throws {
    let good = "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
    #expect(try outcome { "\(good)\($0)\r\n\r\n\u{8}\u{0}" } == "closed - protocolViolation")
    let messages: String = try onLoop { scenario in
      let server = scenario.keep(
        HTTPServer(
          loop: scenario.loop,
          upgradeHandler: { upgrade in
            let socket = upgrade.accept(subprotocol: nil)
            socket?.send(Array("first".utf8))
            socket?.drop()
          },
          handler: { _, _ in }
        )
      )
      connect(scenario, to: try WebURL(parsing: "ws://\(try server.listen(on: .anyLocal))")) { socket in
        var text = ""
        socket.onMessage = { text += $0.text }
        socket.onClose = { scenario.finish("\(text) \($0.code == nil) \($0.error == nil)") }
      }
    }
    #expect(messages == "first true true")
  }

  @Test("No answer is a timeout, no server a refused connection, another scheme an error")
  func failures() throws {
    let silent: String = try onLoop { scenario in
      let listener = try Listener(loop: scenario.loop, endpoint: .anyLocal) { $0.start() }
      connect(scenario, to: try WebURL(parsing: "ws://\(listener.endpoint)"), timeoutMilliseconds: 40)
    }
    #expect(silent == "failed timedOut")
    let refused: String = try onLoop { scenario in
      let listener = try Listener(loop: scenario.loop, endpoint: .anyLocal) { _ in }
      listener.close()
      _ = scenario.loop.schedule(afterMilliseconds: 5) {
        guard let url = try? WebURL(parsing: "ws://\(listener.endpoint)") else { return }
        connect(scenario, to: url)
      }
    }
    #expect(refused == "failed connectionRefused")
    let scheme: String = try onLoop { connect($0, to: try WebURL(parsing: "http://localhost/")) }
    #expect(scheme == "failed invalidAddress")
  }
}
