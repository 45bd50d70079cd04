// SPDX-License-Identifier: Apache-2.0

import FlexSyncTransport
import Testing

@Suite("Smoke")
struct SmokeTests {
  @Test("A request gets its response")
  func http() throws {
    let response: HTTPResponse = try onLoop { loop, done in
      let server = HTTPServer(loop: loop) { request, responder in
        responder.respond(
          HTTPResponse(
            status: 200,
            contentType: "application/json",
            body: request.body + Array(request.target.utf8)
          )
        )
      }
      let endpoint = try server.listen(on: Endpoint(parsing: "127.0.0.1:0"))
      let client = HTTPClient(loop: loop)
      let url = try WebURL(parsing: "http://\(endpoint)/a?b=c")
      client.send(HTTPClientRequest(method: "POST", url: url, body: Array("hello ".utf8))) { result in
        withExtendedLifetime((server, client)) {}
        switch result {
        case .success(let response): done(response)
        case .failure(let error): Issue.record(error); loop.stop()
        }
      }
    }
    #expect(response.status == 200)
    #expect(response.headers["content-type"] == "application/json")
    #expect(String(decoding: response.body, as: UTF8.self) == "hello /a?b=c")
  }

  @Test("A web socket echoes")
  func webSocket() throws {
    let echoed: [Int] = try onLoop { loop, done in
      let server = HTTPServer(
        loop: loop,
        upgradeHandler: { upgrade in
          let socket = upgrade.accept(subprotocol: upgrade.offeredProtocols.first)
          socket?.onMessage = { socket?.send($0) }
        }
      ) { _, responder in responder.respond(HTTPResponse(status: 404)) }
      let endpoint = try server.listen(on: Endpoint(parsing: "127.0.0.1:0"))
      let client = WebSocketClient(loop: loop)
      var got: [Int] = []
      client.connect(try WebURL(parsing: "ws://\(endpoint)/x"), protocols: ["a", "b"]) { outcome in
        withExtendedLifetime((server, client)) {}
        guard case .connected(let socket) = outcome else { Issue.record("\(outcome)"); return loop.stop() }
        #expect(socket.subprotocol == "a")
        for size in [0, 1, 125, 126, 65535, 65536, 3_000_000] {
          socket.send([UInt8](repeating: 7, count: size))
        }
        socket.onMessage = {
          got.append($0.count); if got.count == 7 { done(got) }
        }
      }
    }
    #expect(echoed == [0, 1, 125, 126, 65535, 65536, 3_000_000])
  }
}
