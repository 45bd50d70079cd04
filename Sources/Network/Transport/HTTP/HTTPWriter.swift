// SPDX-License-Identifier: Apache-2.0

/// Serialises HTTP/1.1 messages.
enum HTTPWriter {
  /// Returns the bytes of a server's response.
  /// - Parameters:
  ///   - isHead: Whether it answers `HEAD`: the content is described but not sent.
  ///   - closes: Whether the connection ends after it.
  ///   - isVersion11: Whether the request used HTTP/1.1. An HTTP/1.0 client must be informed that the connection
  ///     stays open.
  static func response(_ response: HTTPResponse, isHead: Bool, closes: Bool, isVersion11: Bool) -> [UInt8] {
    var headers = response.headers
    let hasContent = response.status >= 200 && response.status != 204 && response.status != 304
    headers["Content-Length"] = hasContent ? String(response.body.count) : nil
    if closes {
      headers["Connection"] = "close"
    } else if !isVersion11 {
      headers["Connection"] = "keep-alive"
    }
    var bytes = head("HTTP/1.1 \(response.status) \(reason(response.status))", headers)
    if hasContent, !isHead { bytes += response.body }
    return bytes
  }

  /// Returns the first line, the header fields and the empty line.
  static func head(_ line: String, _ headers: HTTPHeaders) -> [UInt8] {
    var text = line + "\r\n"
    for field in headers.fields { text += "\(field.name): \(field.value)\r\n" }
    text += "\r\n"
    return Array(text.utf8)
  }

  /// Returns the usual reason phrase of a status. Clients do not read it.
  private static func reason(_ status: Int) -> String {
    switch status {
    case 101: "Switching Protocols"
    case 200: "OK"
    case 201: "Created"
    case 204: "No Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 304: "Not Modified"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 413: "Content Too Large"
    case 417: "Expectation Failed"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    default: "Status"
    }
  }
}
