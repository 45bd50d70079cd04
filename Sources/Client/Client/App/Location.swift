// SPDX-License-Identifier: Apache-2.0

import FlexSyncJSON
import FlexSyncScheduling
import FlexSyncTransport

/// The addresses at which an app is served: the answer to `GET …/location` (protocol §1.1).
struct Location: Sendable, Equatable {
  /// The base URL of HTTP requests: "https://host".
  let hostname: String
  /// The address that sync sessions connect to.
  let syncURL: WebURL

  /// Reads the server's answer.
  /// - Throws: `CoreError` BAD_RESPONSE if it is incomplete or names no usable address.
  init(_ answer: JSON, baseURL: String, configuration: AppConfiguration) throws {
    guard let hostname = answer["hostname"]?.stringValue,
      let socketHostname = answer["ws_hostname"]?.stringValue
    else {
      throw CoreError(
        .badResponse,
        "the location response from \(baseURL) lacks 'hostname' or 'ws_hostname'"
      )
    }
    self.hostname = hostname.isEmpty ? baseURL : hostname
    let socketBase = socketHostname.isEmpty ? Self.webSocketAddress(self.hostname) : socketHostname
    syncURL = try Self.syncURL(answer["sync_route"]?.stringValue ?? socketBase + configuration.syncRoute)
  }

  /// Turns `http` into `ws` and `https` into `wss`.
  private static func webSocketAddress(_ address: String) -> String {
    address.hasPrefix("http") ? "ws" + address.dropFirst(4) : address
  }

  private static func syncURL(_ text: String) throws -> WebURL {
    do {
      let url = try WebURL(parsing: text)
      guard url.scheme.isWebSocket, !url.target.contains("?") else {
        throw CoreError(
          .badResponse,
          "the server's sync address '\(text)' must begin with ws:// or wss:// and have no query"
        )
      }
      return url
    } catch let error as TransportError {
      throw CoreError(.badResponse, "the server's sync address cannot be used: \(error)")
    }
  }
}
