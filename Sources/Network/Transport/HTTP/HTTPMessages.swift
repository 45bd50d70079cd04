// SPDX-License-Identifier: Apache-2.0

/// A request as received by a server.
public struct HTTPRequest: Sendable {
  /// `GET`, `POST`, …
  public let method: String
  /// The request target as sent: path and query.
  public let target: String
  /// The path of the target, still percent-encoded. Begins with `/`.
  public let path: String
  /// The text after the `?`, still encoded.
  public let query: String?
  /// The header fields.
  public let headers: HTTPHeaders
  /// The content, with any transfer coding removed.
  public let body: [UInt8]
  /// The address of the client.
  public let client: Endpoint?

  init(method: String, target: String, headers: HTTPHeaders, body: [UInt8], client: Endpoint?) {
    self.method = method
    self.target = target
    let relative = Self.originForm(target)
    let parts = relative.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts.first ?? "/")
    query = parts.count > 1 ? String(parts[1]) : nil
    self.headers = headers
    self.body = body
    self.client = client
  }

  /// The components of the path, percent-decoded. A component that is not valid UTF-8 is left encoded.
  public var pathComponents: [String] {
    path.split(separator: "/").map { PercentEncoding.decode($0) ?? String($0) }
  }

  /// Returns the first value of a query parameter, decoded (`+` is a space), or nil if there is none or it is
  /// malformed.
  public func queryValue(_ name: String) -> String? {
    for parameter in (query ?? "").split(separator: "&") {
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard PercentEncoding.decodeForm(parts[0]) == name else { continue }
      return parts.count > 1 ? PercentEncoding.decodeForm(parts[1]) : ""
    }
    return nil
  }

  /// Extracts the path and query. A client that treats the server as a proxy sends an absolute URL (RFC 9112 §3.2.2).
  private static func originForm(_ target: String) -> Substring {
    guard !target.hasPrefix("/"), let authority = target.firstRange(of: "://")?.upperBound else {
      return target[...]
    }
    let rest = target[authority...]
    guard let slash = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
    return rest[slash...]
  }
}

/// A response, as sent by a server or received by a client.
public struct HTTPResponse: Sendable {
  /// The status code, 100 to 999.
  public var status: Int
  /// The header fields. A server adds `Content-Length` and `Connection` itself.
  public var headers: HTTPHeaders
  /// The content.
  public var body: [UInt8]

  /// Creates a response without content.
  public init(status: Int, headers: HTTPHeaders = HTTPHeaders()) {
    self.init(status: status, headers: headers, body: [])
  }

  /// Creates a response.
  public init(status: Int, headers: HTTPHeaders, body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Creates a response with content of one type. The type is sent exactly as given (core parses an error only if it
  /// is exactly `application/json`, RealmClients §1).
  public init(status: Int, contentType: String, body: [UInt8]) {
    self.init(status: status, headers: ["Content-Type": contentType], body: body)
  }

  /// Creates a plain-text response.
  public init(status: Int, text: String) {
    self.init(status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
  }
}
