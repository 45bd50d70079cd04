// SPDX-License-Identifier: Apache-2.0

import CHTTPParser

/// Parses HTTP/1.1 messages one by one, however the network splits them. Performs no I/O. Confined to one thread.
final class HTTPParser {
  enum Kind {
    case request
    case response
  }

  /// The reason a message is rejected.
  enum Failure: Error, Equatable {
    case malformed(String)
    case headTooLarge
    case bodyTooLarge
  }

  struct Limits {
    /// The limit for the request or status line and the header fields.
    var headBytes = 16 * 1024
    var bodyBytes: Int
  }

  private let kind: Kind
  private let limits: Limits
  private let raw = UnsafeMutablePointer<http_parser>.allocate(capacity: 1)
  private var failure: Failure?
  private var url: [UInt8] = []
  private var field: [UInt8] = []
  private var value: [UInt8] = []
  /// Whether a value, possibly empty, has begun. The next name then belongs to a new field.
  private var hasValue = false
  private var headBytes = 0
  private var lines = HTTPLineCheck()
  /// Whether this is a response to `HEAD`, whose `Content-Length` describes a body that is not sent.
  var hasNoBody = false

  private(set) var headers = HTTPHeaders()
  private(set) var body: [UInt8] = []
  private(set) var isHeadComplete = false
  private(set) var isComplete = false

  init(_ kind: Kind, limits: Limits) {
    self.kind = kind
    self.limits = limits
    reset()
  }

  deinit { raw.deallocate() }

  /// Prepares for the next message.
  func reset() {
    http_parser_init(raw, kind == .request ? HTTP_REQUEST : HTTP_RESPONSE)
    raw.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    failure = nil
    url = []
    field = []
    value = []
    hasValue = false
    headBytes = 0
    lines = HTTPLineCheck()
    headers = HTTPHeaders()
    body = []
    isHeadComplete = false
    isComplete = false
  }

  var method: String { String(cString: http_method_str(http_method(raw.pointee.method))) }
  var target: String { String(decoding: url, as: UTF8.self) }
  var status: Int { Int(raw.pointee.status_code) }
  /// Whether the message is HTTP/1.1 or newer.
  var isVersion11: Bool { raw.pointee.http_minor >= 1 }
  /// Whether the connection can carry another message after this one.
  var keepsAlive: Bool { http_should_keep_alive(raw) != 0 }
  /// Whether the announced body exceeds the limit.
  private var announcesTooMuch: Bool {
    raw.pointee.content_length != UInt64.max && raw.pointee.content_length > UInt64(limits.bodyBytes)
  }

  /// Whether any byte of a message has been seen.
  var hasBegun: Bool { headBytes > 0 }

  /// Consumes bytes up to the end of the message.
  /// - Returns: The number of bytes that belong to this message.
  func feed(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> Int {
    guard kind == .request, !isComplete else { return try execute(bytes) }
    var count = 0
    if !lines.isHeadComplete {
      count = try lines.checkHead(bytes)
      let executed = try execute(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      guard lines.isHeadComplete, !isComplete else { return executed }
      guard isHeadComplete else { throw .malformed("its head does not end") }
    }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
    guard !rest.isEmpty else { return count }
    if headers.contains("Transfer-Encoding", token: "chunked") { try lines.checkChunks(rest) }
    return count + (try execute(rest))
  }

  private func execute(_ bytes: UnsafeRawBufferPointer) throws(Failure) -> Int {
    guard !isComplete else { return 0 }
    let count = http_parser_execute(
      raw,
      Self.settings,
      bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
      bytes.count
    )
    if let failure { throw failure }
    let code = http_errno(raw.pointee.http_errno)
    guard code == HPE_OK || code == HPE_PAUSED else {
      throw .malformed(String(cString: http_errno_description(code)))
    }
    return count
  }

  /// Removes and returns the part of the body that has arrived, for a body without end.
  func takeBody() -> [UInt8] {
    defer { body = [] }
    return body
  }

  /// Reports that the connection has ended, which is how some responses end.
  func feedEnd() throws(Failure) {
    guard !isComplete else { return }
    _ = http_parser_execute(raw, Self.settings, nil, 0)
    guard isComplete else { throw .malformed("the connection ended in the middle of a message") }
  }

  // MARK: Callbacks

  private static func parser(_ raw: UnsafeMutablePointer<http_parser>?) -> HTTPParser {
    Unmanaged<HTTPParser>.fromOpaque((raw?.pointee.data).unsafelyUnwrapped).takeUnretainedValue()
  }

  private static func bytes(_ base: UnsafePointer<CChar>?, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base, count: count)
  }

  /// Written once, then only read by C code.
  nonisolated(unsafe) private static let settings: UnsafeMutablePointer<http_parser_settings> = {
    let settings = UnsafeMutablePointer<http_parser_settings>.allocate(capacity: 1)
    http_parser_settings_init(settings)
    settings.pointee.on_url = { raw, base, count in
      let parser = HTTPParser.parser(raw)
      parser.url += HTTPParser.bytes(base, count)
      return parser.countHead(count)
    }
    settings.pointee.on_header_field = { raw, base, count in
      let parser = HTTPParser.parser(raw)
      if parser.hasValue { parser.finishField() }
      // Counts two delimiters per field, no matter how many pieces its name arrives in.
      let delimiters = parser.field.isEmpty ? 4 : 0
      parser.field += HTTPParser.bytes(base, count)
      return parser.countHead(count + delimiters)
    }
    settings.pointee.on_header_value = { raw, base, count in
      let parser = HTTPParser.parser(raw)
      parser.value += HTTPParser.bytes(base, count)
      parser.hasValue = true
      return parser.countHead(count)
    }
    settings.pointee.on_headers_complete = { HTTPParser.parser($0).finishHead() }
    settings.pointee.on_body = { HTTPParser.parser($0).appendBody(HTTPParser.bytes($1, $2)) }
    settings.pointee.on_message_complete = { HTTPParser.parser($0).finishMessage() }
    return settings
  }()

  private func countHead(_ count: Int) -> Int32 {
    headBytes += count
    if headBytes > limits.headBytes { failure = .headTooLarge }
    return failure == nil ? 0 : 1
  }

  private func finishField() {
    // Fields after the body (trailers) may only extend the header, and nothing here needs them.
    if !field.isEmpty, !isHeadComplete {
      // Builds of http_parser differ in how strictly they check names and values.
      if field.allSatisfy(Self.isTokenCharacter), value.allSatisfy(Self.isValueCharacter) {
        while value.last == 0x20 || value.last == 0x09 { value.removeLast() }
        headers.append(String(decoding: field, as: UTF8.self), String(decoding: value, as: UTF8.self))
      } else {
        failure = .malformed("a header field has a character that is not allowed")
      }
    }
    field.removeAll(keepingCapacity: true)
    value.removeAll(keepingCapacity: true)
    hasValue = false
  }

  /// RFC 9110 §5.6.2: visible ASCII except delimiters.
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7f && !#""(),/:;<=>?@[\]{}"#.utf8.contains(byte)
  }

  /// RFC 9110 §5.5: anything but control characters.
  private static func isValueCharacter(_ byte: UInt8) -> Bool {
    (byte >= 0x20 && byte != 0x7f) || byte == 0x09
  }

  private func finishHead() -> Int32 {
    finishField()
    isHeadComplete = true
    if raw.pointee.http_major != 1 { failure = .malformed("its version is not HTTP/1.x") }
    if failure != nil { return -1 }
    if announcesTooMuch, !hasNoBody {
      failure = .bodyTooLarge
      return -1
    }
    if kind == .request {
      // WebSocket is the only protocol to switch to. Offers of other protocols are ignored (RFC 9110 §7.8).
      if !headers.contains("Upgrade", token: "websocket") { raw.pointee.upgrade = 0 }
      return 0
    }
    return hasNoBody ? 1 : 0
  }

  private func appendBody(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    guard body.count + bytes.count <= limits.bodyBytes else {
      failure = .bodyTooLarge
      return 1
    }
    body += bytes
    return 0
  }

  private func finishMessage() -> Int32 {
    if kind == .response, (100..<200).contains(status), status != 101 {
      // This was an interim response; the final one follows (RFC 9110 §15.2).
      headers = HTTPHeaders()
      isHeadComplete = false
      headBytes = 0
      return 0
    }
    isComplete = true
    http_parser_pause(raw, 1)
    return 0
  }
}
