// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON

/// The content of a token.
public struct TokenClaims: Hashable, Sendable {
  /// The purpose of a token.
  public enum Kind: String, Sendable {
    /// For requests and sync connections.
    case access
    /// For new access tokens and for logging out.
    case refresh
  }

  public var kind: Kind
  public var appID: String
  public var userID: String
  public var deviceID: String
  /// The log-in that the token belongs to. Logging out revokes it.
  public var sessionID: String
  /// Seconds since 1970.
  public var issuedAt: Int64
  /// Seconds since 1970.
  public var expiresAt: Int64
}

/// The reason a token is refused.
public enum TokenError: Error, Hashable, Sendable {
  /// The text is not a token signed by this server.
  case invalid
  case expired
  /// An access token where a refresh token is needed, or vice versa.
  case wrongKind
}

/// Signs and verifies JSON Web Tokens (HS256). Clients read `exp` and `iat` and ignore the rest (RealmClients §1).
public struct TokenSigner: Sendable {
  /// The lifetime of access tokens: half an hour.
  public static let accessLifetime: Int64 = 30 * 60
  /// The lifetime of refresh tokens: sixty days.
  public static let refreshLifetime: Int64 = 60 * 24 * 3600

  private static let header = Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))

  private let key: [UInt8]

  /// - Parameter key: The secret, 32 random bytes.
  public init(key: [UInt8]) {
    self.key = key
  }

  /// Returns the signed text of a token.
  ///
  /// - Parameter userData: The object that clients present as the user's custom data; nil if the app has none.
  public func sign(_ claims: TokenClaims, userData: JSON? = nil) -> String {
    var members = [
      JSON.Member("baas_device_id", .string(claims.deviceID)),
      JSON.Member("baas_domain_id", .string(claims.appID)),
      JSON.Member("exp", .integer(claims.expiresAt)),
      JSON.Member("iat", .integer(claims.issuedAt)),
      JSON.Member("iss", .string(claims.sessionID)),
      JSON.Member("sub", .string(claims.userID)),
      JSON.Member("typ", .string(claims.kind.rawValue)),
    ]
    if let userData { members.append(JSON.Member("user_data", userData)) }
    let payload = JSON.object(members)
    let signed = "\(Self.header).\(Base64URL.encode(Array(payload.serialized.utf8)))"
    return "\(signed).\(Base64URL.encode(signature(of: signed)))"
  }

  /// Verifies that a token is signed by this server, is of the given kind and has not expired, and returns its
  /// claims.
  ///
  /// - Parameter now: Seconds since 1970.
  public func verify(_ token: String, as kind: TokenClaims.Kind, now: Int64) throws(TokenError) -> TokenClaims
  {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == Self.header, let code = Base64URL.decode(String(parts[2])),
      ConstantTime.equal(code, signature(of: "\(parts[0]).\(parts[1])")),
      let payload = Base64URL.decode(String(parts[1])), let claims = Self.claims(payload)
    else { throw .invalid }
    guard claims.kind == kind else { throw .wrongKind }
    guard claims.expiresAt > now else { throw .expired }
    return claims
  }

  private func signature(of text: String) -> [UInt8] {
    MessageAuthentication.hmacSHA256(Array(text.utf8), key: key)
  }

  private static func claims(_ payload: [UInt8]) -> TokenClaims? {
    guard case .success(let json) = Result(catching: { () throws(JSONError) in try JSON.parse(payload) }),
      let kind = json["typ"]?.stringValue.flatMap(TokenClaims.Kind.init),
      let appID = json["baas_domain_id"]?.stringValue, let userID = json["sub"]?.stringValue,
      let deviceID = json["baas_device_id"]?.stringValue, let sessionID = json["iss"]?.stringValue,
      let issuedAt = json["iat"]?.integerValue, let expiresAt = json["exp"]?.integerValue
    else { return nil }
    return TokenClaims(
      kind: kind,
      appID: appID,
      userID: userID,
      deviceID: deviceID,
      sessionID: sessionID,
      issuedAt: issuedAt,
      expiresAt: expiresAt
    )
  }
}
