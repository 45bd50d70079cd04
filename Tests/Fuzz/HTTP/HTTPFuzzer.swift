// SPDX-License-Identifier: Apache-2.0

@testable import FlexSyncTransport

/// Parses any bytes as HTTP messages. Built by Scripts/fuzz with libFuzzer.
///
/// The first byte chooses between requests and responses, and the pieces in which the rest arrives. How the network cuts a
/// message must not change what it says; a request that is understood must be taken apart and answered without harm.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = UnsafeRawBufferPointer(start: bytes, count: count)
  guard let mode = input.first else { return 0 }
  let kind: HTTPParser.Kind = mode & 0x80 == 0 ? .request : .response
  let wire = UnsafeRawBufferPointer(rebasing: input.dropFirst())
  let whole = messages(wire, kind, pieceLength: max(wire.count, 1))
  let pieces = messages(wire, kind, pieceLength: Int(mode & 0x3f) + 1)
  precondition(whole == pieces, "\(whole) when whole, \(pieces) in pieces")
  if kind == .request { for message in whole { take(message) } }
  return 0
}

private struct Message: Equatable {
  var method: String
  var target: String
  var status: Int
  var headers: [HTTPHeaders.Field]
  var body: [UInt8]
}

private let limits = HTTPParser.Limits(headBytes: 1_024, bodyBytes: 1_024)

/// The messages up to the first that is not complete or not HTTP.
private func messages(_ wire: UnsafeRawBufferPointer, _ kind: HTTPParser.Kind, pieceLength: Int) -> [Message]
{
  let parser = HTTPParser(kind, limits: limits)
  var messages: [Message] = []
  var position = 0
  while position < wire.count {
    let piece = UnsafeRawBufferPointer(rebasing: wire[position..<min(position + pieceLength, wire.count)])
    guard let consumed = try? parser.feed(piece) else { return messages }
    precondition((0...piece.count).contains(consumed))
    position += consumed
    guard parser.isComplete else { continue }
    messages.append(message(of: parser, kind))
    precondition(messages.last.map { $0.body.count <= limits.bodyBytes } == true)
    guard kind == .request, !parser.headers.contains("Upgrade", token: "websocket") else { return messages }
    parser.reset()
  }
  if kind == .response, (try? parser.feedEnd()) != nil, parser.isComplete {
    messages.append(message(of: parser, kind))
  }
  return messages
}

private func message(of parser: HTTPParser, _ kind: HTTPParser.Kind) -> Message {
  Message(
    method: kind == .request ? parser.method : "",
    target: parser.target,
    status: parser.status,
    headers: parser.headers.fields,
    body: parser.body
  )
}

private func take(_ message: Message) {
  var headers = HTTPHeaders()
  for field in message.headers { headers.append(field.name, field.value) }
  let request = HTTPRequest(
    method: message.method,
    target: message.target,
    headers: headers,
    body: message.body,
    client: nil
  )
  for component in request.pathComponents {
    precondition(PercentEncoding.decode(PercentEncoding.encode(component)) == component)
  }
  _ = request.queryValue("baas_at")
  _ = WebSocketHandshake.check(request)
  if let url = try? WebURL(parsing: message.target) {
    precondition((try? WebURL(parsing: url.description)) == url, "\(url) is another URL")
  }
  echo(message)
}

/// What a client sends must not become a header field or a body of its own in an answer.
private func echo(_ message: Message) {
  let text = message.headers.last?.value ?? message.target
  var response = HTTPResponse(status: 200, text: text)
  response.headers.append("X-Echo", text)
  let bytes = HTTPWriter.response(
    response,
    isHead: false,
    closes: true,
    isVersion11: true
  )
  let parser = HTTPParser(.response, limits: HTTPParser.Limits(headBytes: 8_192, bodyBytes: 8_192))
  let consumed = bytes.withUnsafeBytes { try? parser.feed($0) }
  precondition(consumed == bytes.count && parser.isComplete, "the answer is not one HTTP message")
  precondition(
    parser.headers.fields.map(\.name) == ["Content-Type", "X-Echo", "Content-Length", "Connection"]
  )
  precondition(parser.body == Array(text.utf8))
}
