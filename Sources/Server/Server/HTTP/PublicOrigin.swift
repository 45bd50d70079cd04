// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerSupport

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
    // http becomes ws, and https becomes wss.
    "ws" + http(host: host).dropFirst("http".count)
  }
}
