// SPDX-License-Identifier: Apache-2.0

import FlexSyncScheduling

/// The address of an HTTP or WebSocket resource.
public struct WebURL: Equatable, Sendable, CustomStringConvertible {
  /// The supported protocols.
  public enum Scheme: String, Sendable {
    /// HTTP over plain TCP.
    case http
    /// HTTP over TLS.
    case https
    /// WebSocket over plain TCP.
    case ws
    /// WebSocket over TLS.
    case wss

    /// Whether the scheme uses TLS.
    public var isSecure: Bool { self == .https || self == .wss }
    /// Whether the scheme is a WebSocket scheme.
    public var isWebSocket: Bool { self == .ws || self == .wss }
    /// The port used if a URL does not specify one.
    public var defaultPort: UInt16 { isSecure ? 443 : 80 }
  }

  /// The protocol.
  public var scheme: Scheme
  /// The name or address of the host. An IPv6 address has no brackets.
  public var host: String
  /// The port, even if the URL does not specify it.
  public var port: UInt16
  /// The percent-encoded path and query. Begins with `/`.
  public var target: String

  /// Parses a URL such as `https://host:8080/path?query`. A fragment is dropped.
  /// - Throws: ``TransportError`` (`invalidAddress`) with a description of the problem.
  public init(parsing text: String) throws(TransportError) {
    guard let separator = text.firstRange(of: "://"),
      let scheme = Scheme(rawValue: text[..<separator.lowerBound].lowercased())
    else {
      throw Self.malformed(text, "it does not begin with http://, https://, ws:// or wss://")
    }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw Self.malformed(text, "spaces and non-ASCII characters must be percent-encoded")
    }
    let rest = text[separator.upperBound...].prefix { $0 != "#" }
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    let authority = rest[..<end]
    guard !authority.contains("@") else {
      throw Self.malformed(text, "user names and passwords are not supported")
    }
    self.scheme = scheme
    (host, port) = try Self.hostAndPort(authority, scheme, text)
    target = rest[end...].hasPrefix("/") ? String(rest[end...]) : "/" + rest[end...]
  }

  private static func hostAndPort(
    _ authority: Substring,
    _ scheme: Scheme,
    _ text: String
  ) throws(TransportError) -> (String, UInt16) {
    var host = authority
    var port: UInt16? = scheme.defaultPort
    if let bracket = authority.lastIndex(of: "]") {
      let rest = authority[authority.index(after: bracket)...]
      host = authority[..<bracket].dropFirst()
      if !rest.isEmpty { port = rest.hasPrefix(":") ? Endpoint.port(rest.dropFirst()) : nil }
      guard authority.hasPrefix("["), host.utf8.allSatisfy({ isVersion6Character($0) }) else {
        throw malformed(text, "its IPv6 address is malformed")
      }
    } else if let colon = authority.firstIndex(of: ":") {
      host = authority[..<colon]
      port = Endpoint.port(authority[authority.index(after: colon)...])
    }
    guard let port, port != 0 else { throw malformed(text, "its port is not a number from 1 to 65535") }
    guard !host.isEmpty else { throw malformed(text, "it has no host") }
    return (host.lowercased(), port)
  }

  /// Whether a text is a host with an optional port, as in a `Host` header, which may be empty (RFC 9112 §3.2).
  static func isAuthority(_ text: String) -> Bool {
    guard !text.isEmpty else { return true }
    guard !text.hasPrefix("[") else {
      guard let bracket = text.firstIndex(of: "]"),
        text[text.index(after: text.startIndex)..<bracket].utf8.allSatisfy(isVersion6Character)
      else { return false }
      return isPortSuffix(text[text.index(after: bracket)...])
    }
    let host = text.prefix { $0 != ":" }
    return !host.isEmpty && host.utf8.allSatisfy(isNameCharacter) && isPortSuffix(text[host.endIndex...])
  }

  private static func isPortSuffix(_ text: Substring) -> Bool {
    text.isEmpty || text == ":" || text.hasPrefix(":") && Endpoint.port(text.dropFirst()) != nil
  }

  /// Whether the character is a letter, a digit, `-`, `.` or `_`. Names in actual use consist of these.
  private static func isNameCharacter(_ character: UInt8) -> Bool {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func isVersion6Character(_ character: UInt8) -> Bool {
    "0123456789abcdefABCDEF:.".utf8.contains(character)
  }

  private static func malformed(_ text: String, _ reason: String) -> TransportError {
    TransportError(.invalidAddress, "\"\(text)\" is not a usable URL: \(reason)")
  }

  /// The endpoint to connect to.
  public var endpoint: Endpoint { Endpoint(host: host, port: port) }

  /// The host and port as in the `Host` header, which omits the scheme's default port.
  public var authority: String {
    let bracketed = host.contains(":") ? "[\(host)]" : host
    return port == scheme.defaultPort ? bracketed : "\(bracketed):\(port)"
  }

  /// The URL in normal form.
  public var description: String { "\(scheme.rawValue)://\(authority)\(target)" }
}
