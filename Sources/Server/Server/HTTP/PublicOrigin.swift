// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerSupport

/// Where clients reach this server, as the location answer tells them.
public struct PublicOrigin: Hashable, Sendable {
  /// Scheme, host and port, such as `https://sync.example.com`; nil to repeat the host that a request named.
  public let publicURL: String?
  /// Whether the server itself speaks TLS.
  public let isTLS: Bool

  /// - Throws: `ServerError` for a URL that is not `http://…` or `https://…`, or has a path.
  public init(publicURL: String?, isTLS: Bool) throws(ServerError) {
    var url = publicURL
    while url?.hasSuffix("/") == true { url?.removeLast() }
    if let url {
      let scheme = ["http://", "https://"].first { url.hasPrefix($0) }
      guard let scheme, url.count > scheme.count,
        !url.dropFirst(scheme.count).contains(where: { "/?#@".contains($0) })
      else {
        throw ServerError("the public URL \"\(url)\" must be http:// or https:// with a host and no path")
      }
    }
    self.publicURL = url
    self.isTLS = isTLS
  }

  func http(host: String) -> String {
    publicURL ?? "\(isTLS ? "https" : "http")://\(host)"
  }

  func webSocket(host: String) -> String {
    // http becomes ws, https becomes wss.
    "ws" + http(host: host).dropFirst("http".count)
  }
}
