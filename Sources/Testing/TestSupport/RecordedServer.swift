// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling
import FlexSyncTransport
import Synchronization

/// An HTTP server that gives recorded answers and records the requests, on a thread of its own. It serves every app, lets
/// everybody log in, and can keep a response open as a stream.
package final class RecordedServer: @unchecked Sendable {
  package struct Request: Sendable {
    package let method: String
    /// The path and the query.
    package let target: String
    /// The names are in lower case.
    package let headers: [String: String]
    package let body: String

    package var path: String { String(target.prefix { $0 != "?" }) }
  }

  package enum Answer: Sendable {
    case json(Int, String)
    /// A stream of events, which `send` continues and `endStreams` ends.
    case stream
    case silence
  }

  package private(set) var url = ""
  private let loop: EventLoop
  private let answer: @Sendable (Request) -> Answer
  private let recorded = Mutex<[Request]>([])
  /// Confined to the loop.
  private var streams: [Connection] = []

  /// - Parameter answer: returns the answer to a request that is not part of a log-in. Called on the server's thread.
  package init(_ answer: @escaping @Sendable (Request) -> Answer = { _ in .json(404, "{}") }) throws {
    self.answer = answer
    loop = try EventLoop()
    let listener = try Listener(loop: loop, endpoint: Endpoint(host: "127.0.0.1", port: 0)) {
      [weak self] connection in self?.accept(connection)
    }
    url = "http://\(listener.endpoint)"
    try loop.start()
  }

  deinit { loop.stop() }

  package var requests: [Request] { recorded.withLock { $0 } }

  /// The requests whose method and path are these.
  package func requests(_ method: String, _ suffix: String) -> [Request] {
    requests.filter { $0.method == method && $0.path.hasSuffix(suffix) }
  }

  /// Sends a part of all streams that are open.
  package func send(_ text: String) {
    loop.execute { [self] in
      let chunk = "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n"
      for stream in streams { stream.write(Array(chunk.utf8)) }
    }
  }

  package func endStreams() {
    loop.execute { [self] in
      for stream in streams {
        stream.write(Array("0\r\n\r\n".utf8))
        stream.closeAfterFlushing()
      }
      streams = []
    }
  }

  // MARK: - Connections

  private func accept(_ connection: Connection) {
    var input: [UInt8] = []
    connection.onRead = { [weak self, unowned connection] bytes in
      input += bytes
      guard let request = Request(input) else { return }
      input = []
      self?.handle(request, connection)
    }
    connection.start()
  }

  private func handle(_ request: Request, _ connection: Connection) {
    recorded.withLock { $0.append(request) }
    switch Self.logInAnswer(request) ?? answer(request) {
    case .json(let status, let body):
      let head =
        "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
      connection.write(Array("\(head)Connection: close\r\n\r\n\(body)".utf8))
      connection.closeAfterFlushing()
    case .stream:
      let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
      connection.write(Array(head.utf8))
      streams.append(connection)
    case .silence: streams.append(connection)
    }
  }

  /// Valid until the year 2100.
  package static let accessToken = "e30.eyJleHAiOjQxMDI0NDQ4MDAsImlhdCI6MX0.x"

  private static func logInAnswer(_ request: Request) -> Answer? {
    if request.path.hasSuffix("/location") { return .json(200, #"{"hostname":"","ws_hostname":""}"#) }
    if request.path.hasSuffix("/login") {
      return .json(
        200,
        #"{"user_id":"u","access_token":"\#(accessToken)","refresh_token":"e30.e30.x","device_id":""}"#
      )
    }
    if request.path.hasSuffix("/auth/session") { return .json(201, #"{"access_token":"\#(accessToken)"}"#) }
    return request.path.hasSuffix("/auth/profile") ? .json(200, #"{"identities":[],"data":{}}"#) : nil
  }
}

extension RecordedServer.Request {
  /// Reads a request; nil until it is complete.
  fileprivate init?(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
    let lines = text[..<end.lowerBound].split(separator: "\r\n")
    let words = lines[0].split(separator: " ")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
    }
    let body = String(text[end.upperBound...])
    guard body.utf8.count >= Int(headers["content-length"] ?? "0") ?? 0 else { return nil }
    (method, target) = (String(words[0]), String(words[1]))
    (self.headers, self.body) = (headers, body)
  }
}
