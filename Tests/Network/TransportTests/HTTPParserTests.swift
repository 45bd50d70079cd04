// SPDX-License-Identifier: Apache-2.0

import FlexSyncTestSupport
import Testing

@testable import FlexSyncScheduling
@testable import FlexSyncTransport

@Suite("HTTP parser")
struct HTTPParserTests {
  private let limits = HTTPParser.Limits(headBytes: 1_000, bodyBytes: 100)

  /// Feeds `text` in pieces of `size` bytes and returns the parser when the first message is complete.
  private func parse(
    _ text: String,
    _ kind: HTTPParser.Kind = .request,
    size: Int = .max
  ) throws -> (parser: HTTPParser, consumed: Int) {
    let parser = HTTPParser(kind, limits: limits)
    let bytes = Array(text.utf8)
    var consumed = 0
    while consumed < bytes.count, !parser.isComplete {
      let end = min(bytes.count, size == .max ? bytes.count : consumed + size)
      consumed += try bytes[consumed..<end].withUnsafeBytes { try parser.feed($0) }
    }
    return (parser, consumed)
  }

  @Test("A request comes out the same however it is cut", arguments: [1, 2, 3, 5, 7, 11, 1_000])
  func cuts(size: Int) throws {
    let text =
      "POST /a/b?c=d HTTP/1.1\r\nHost: h\r\nX-Empty:\r\nX-Two: 1\r\nx-two:   2  \r\n"
      + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;ext=1\r\ndefg\r\n0\r\nTrailer: no\r\n\r\n"
    let (parser, consumed) = try parse(text + "GET", size: size)
    #expect(parser.isComplete)
    #expect(consumed == text.utf8.count)
    #expect(parser.method == "POST")
    #expect(parser.target == "/a/b?c=d")
    #expect(parser.headers.fields.map(\.name) == ["Host", "X-Empty", "X-Two", "x-two", "Transfer-Encoding"])
    #expect(parser.headers.values("X-TWO") == ["1", "2"])
    #expect(parser.headers["x-empty"]?.isEmpty == true)
    #expect(String(decoding: parser.body, as: UTF8.self) == "abcdefg")
    #expect(parser.keepsAlive)
  }

  @Test(
    "What is not HTTP, or would be read differently by a proxy, is refused",
    arguments: [
      "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", "GET / HTTP/1.1\nHost : h\n\n", "BREW / HTTP/1.1\r\n\r\n",
      "GET /\r\n\r\n ",
      "GET / HTTP/2.0\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\nabc",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "GET / HTTP/1.1\r\nA: \u{0}\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
      // Lines that do not end with CR LF, in all places where there are lines.
      "GET / HTTP/1.1\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n\n",
      "GET / HTTP/1.1\r\nHost: h\rX: y\r\n\r\n", "\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;a\nb\r\nabc\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;a\rb\r\nabc\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\n",
      // Header fields that go on in the next line.
      "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n\tc\r\n\r\n",
      "GET / HTTP/1.1\r\n Host: h\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n c\r\n\r\n",
    ]
  )
  func malformed(text: String) throws {
    for size in [1, 1_000] {
      #expect(throws: HTTPParser.Failure.self) { try parse(text, size: size) }
    }
  }

  @Test("Head and body have limits, also in chunks and trailers")
  func limitsHold() throws {
    let long = String(repeating: "x", count: 1_000)
    #expect(throws: HTTPParser.Failure.headTooLarge) { try parse("GET /\(long) HTTP/1.1\r\n\r\n") }
    #expect(throws: HTTPParser.Failure.headTooLarge) {
      try parse("GET / HTTP/1.1\r\nA: \(long)\r\n\r\n", size: 10)
    }
    let name = String(repeating: "A", count: 900)
    #expect(try parse("GET / HTTP/1.1\r\n\(name): b\r\n\r\n", size: 1).parser.isComplete)
    let many = String(repeating: "A: b\r\n", count: 300)
    #expect(throws: HTTPParser.Failure.headTooLarge) { try parse("GET / HTTP/1.1\r\n\(many)\r\n") }
    let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(throws: HTTPParser.Failure.headTooLarge) { try parse("\(chunked)0\r\n\(many)\r\n") }
    #expect(throws: HTTPParser.Failure.bodyTooLarge) { try parse("\(chunked)65\r\n\(long)") }
    #expect(throws: HTTPParser.Failure.bodyTooLarge) {
      try parse("POST / HTTP/1.1\r\nContent-Length: 101\r\n\r\n")
    }
    #expect(
      try parse("POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n\(long.prefix(100))").parser.body.count == 100
    )
  }

  @Test("A response ends with its length, its chunks, or the connection; interim ones are skipped")
  func responses() throws {
    let interim = "HTTP/1.1 100 Continue\r\nX: y\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"
    for size in [1, 1_000] {
      let (parser, _) = try parse(
        "\(interim)HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        .response,
        size: size
      )
      #expect(parser.isComplete)
      #expect(parser.status == 200)
      #expect(parser.headers.fields.map(\.name) == ["Content-Length"])
      #expect(parser.body == Array("ok".utf8))
    }
    let (open, _) = try parse("HTTP/1.1 404 No\r\n\r\nrest", .response)
    #expect(!open.isComplete)
    try open.feedEnd()
    #expect(open.isComplete)
    #expect(open.body == Array("rest".utf8))
    let (cut, _) = try parse("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nrest", .response)
    #expect(throws: HTTPParser.Failure.self) { try cut.feedEnd() }
  }

  @Test("Random bytes never do more than fail")
  func randomBytes() throws {
    var generator = SystemRandomNumberGenerator()
    let seed = generator.next()
    var random = SeededGenerator(seed: seed)
    let valid = Array(
      "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".utf8
    )
    for _ in 0..<2_000 {
      var bytes = valid
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      let parser = HTTPParser(.request, limits: limits)
      do {
        let consumed = try bytes.withUnsafeBytes { try parser.feed($0) }
        #expect(consumed <= bytes.count, "seed \(seed)")
      } catch {}
    }
  }
}

@Suite("URLs and headers")
struct URLTests {
  @Test("URLs are taken apart")
  func valid() throws {
    let url = try WebURL(parsing: "HTTPS://Example.com:8443/a/b?c=d#fragment")
    #expect(url.scheme == .https)
    #expect(url.host == "example.com")
    #expect(url.port == 8443)
    #expect(url.target == "/a/b?c=d")
    #expect(url.authority == "example.com:8443")
    #expect("\(url)" == "https://example.com:8443/a/b?c=d")
    #expect("\(try WebURL(parsing: "ws://h"))" == "ws://h/")
    #expect(try WebURL(parsing: "wss://h").port == 443)
    #expect(try WebURL(parsing: "http://h?x=1").target == "/?x=1")
    let version6 = try WebURL(parsing: "http://[::1]:81/")
    #expect(version6.host == "::1")
    #expect(version6.authority == "[::1]:81")
  }

  @Test(
    "What is no URL is refused",
    arguments: [
      "", "http", "http:/h", "://h", "ftp://h", "http://", "http:///x", "http://h:0", "http://h:65536",
      "http://h:x",
      "http://h:+1", "http://u@h", "http://[::1", "http://[x]", "http://[::1]x", "http://a]b[", "http://h/ö",
      "http://h/a b", "http://h/\r\nX: y",
    ]
  )
  func invalid(text: String) {
    #expect(throws: TransportError.self) { try WebURL(parsing: text) }
  }

  @Test("Percent-encoding is undone where it is right")
  func percentEncoding() {
    #expect(PercentEncoding.encode("a b/ö~") == "a%20b%2F%C3%B6~")
    #expect(PercentEncoding.decode("a%20b%2f%C3%B6~+") == "a b/ö~+")
    #expect(PercentEncoding.decodeForm("a+b") == "a b")
    for text in ["%", "%1", "%zz", "%ff"] { #expect(PercentEncoding.decode(text) == nil) }
  }

  @Test("A request knows its path and query")
  func request() {
    func request(_ target: String) -> HTTPRequest {
      HTTPRequest(method: "GET", target: target, headers: [:], body: [], client: nil)
    }
    #expect(request("/a%20b/c?x=1&y=%C3%B6+z&x=2&flag").pathComponents == ["a b", "c"])
    #expect(request("/a?x=1&y=%C3%B6+z&x=2&flag").queryValue("y") == "ö z")
    #expect(request("/a?x=1&y=%C3%B6+z&x=2&flag").queryValue("x") == "1")
    #expect(request("/a?x=1&flag").queryValue("flag")?.isEmpty == true)
    #expect(request("/a?x=%zz").queryValue("x") == nil)
    #expect(request("/a").query == nil)
    #expect(request("http://h/p?q").path == "/p")
    #expect(request("http://h").path == "/")
    #expect(request("*").path == "*")
  }

  @Test("A header field cannot smuggle in another one")
  func headerInjection() {
    let headers: HTTPHeaders = ["A": "b\r\nC: d"]
    #expect(headers["A"] == "b  C: d")
  }
}
