// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncScheduling

/// The opening handshake (RFC 6455 §4).
enum WebSocketHandshake {
  /// The response that refuses an invalid request with `Upgrade: websocket` before any handler is called.
  struct Refusal: Error {
    let response: HTTPResponse
  }

  /// Returns the value of `Sec-WebSocket-Accept` for a key.
  static func accept(key: String) -> String {
    Base64.encode(Digest.sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
  }

  /// Returns a new `Sec-WebSocket-Key`.
  static func makeKey() -> String { Base64.encode(RandomBytes.generate(count: 16)) }

  /// Checks a request on the server's side. Returns the value of `Sec-WebSocket-Accept`, or the refusal.
  static func check(_ request: HTTPRequest) -> Result<String, Refusal> {
    guard request.method == "GET", request.headers.contains("Connection", token: "upgrade") else {
      return refuse(400, "A WebSocket must be opened with GET and \"Connection: Upgrade\".\n")
    }
    guard request.headers["Sec-WebSocket-Version"] == "13" else {
      var response = HTTPResponse(status: 426, text: "Only WebSocket version 13 is supported.\n")
      response.headers["Sec-WebSocket-Version"] = "13"
      return .failure(Refusal(response: response))
    }
    let keys = request.headers.values("Sec-WebSocket-Key")
    guard keys.count == 1, Base64.decode(keys[0])?.count == 16 else {
      return refuse(400, "Sec-WebSocket-Key must be 16 bytes in Base64.\n")
    }
    return .success(accept(key: keys[0]))
  }

  private static func refuse(_ status: Int, _ text: String) -> Result<String, Refusal> {
    .failure(Refusal(response: HTTPResponse(status: status, text: text)))
  }

  /// Checks on the client's side whether a `101` response matches the request.
  /// - Returns: The sub-protocol chosen by the server.
  static func check(
    _ headers: HTTPHeaders,
    key: String,
    offered: [String]
  ) throws(TransportError) -> String? {
    guard headers["Sec-WebSocket-Accept"] == accept(key: key) else {
      throw violation("its Sec-WebSocket-Accept does not match the key")
    }
    guard headers.contains("Upgrade", token: "websocket"), headers.contains("Connection", token: "upgrade")
    else {
      throw violation("it does not upgrade to websocket")
    }
    guard headers["Sec-WebSocket-Extensions"] == nil else {
      throw violation("it uses an extension that was not offered")
    }
    let chosen = headers["Sec-WebSocket-Protocol"]
    if let chosen, !offered.contains(chosen) {
      throw violation("it chose the sub-protocol \"\(chosen)\", which was not offered")
    }
    return chosen
  }

  private static func violation(_ reason: String) -> TransportError {
    TransportError(
      .protocolViolation,
      "the server's response to the WebSocket handshake is invalid: \(reason)"
    )
  }
}
