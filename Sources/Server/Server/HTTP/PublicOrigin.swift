// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerSupport
import FlexSyncTransport

/// The address at which clients reach this server, as sent in the location response.
public struct PublicOrigin: Hashable, Sendable {
  /// Scheme, host and port, such as `https://sync.example.com`; nil to echo the host named in the request.
  public let publicURL: String?
  /// Whether the server itself uses TLS.
  public let isTLS: Bool

  /// - Throws: `ServerError` for a URL that is not `http://…` or `https://…`, or that has a path.
  public init(publicURL: String?, isTLS: Bool) throws(ServerError) {
    var url = publicURL
    while url?.hasSuffix("/") == true { url?.removeLast() }
    if let url {
      let scheme = ["http://", "https://"].first { url.hasPrefix($0) }
      guard let scheme, PublicOrigin.isAuthority(url.dropFirst(scheme.count)) else {
        throw ServerError(
          "the public URL \"\(url)\" must be http:// or https:// with a host, a port from 1 to 65535 if it is not that of "
            + "the scheme, and no path"
        )
      }
    }
    self.publicURL = url
    self.isTLS = isTLS
  }

  /// Whether a text is a host, an IPv6 address in brackets among others, with or without a port.
  private static func isAuthority(_ text: Substring) -> Bool {
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"/?#@\\\"<>".utf8.contains($0) }) else {
      return false
    }
    return ["\(text)", "\(text):1"].contains { address in
      guard let endpoint = try? Endpoint(parsing: address) else { return false }
      return !endpoint.host.isEmpty && endpoint.port > 0
    }
  }

  func http(host: String) -> String {
    publicURL ?? "\(isTLS ? "https" : "http")://\(host)"
  }

  func webSocket(host: String) -> String {
    // http becomes ws, and https becomes wss.
    "ws" + http(host: host).dropFirst("http".count)
  }
}
