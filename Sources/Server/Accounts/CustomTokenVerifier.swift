// SPDX-License-Identifier: Apache-2.0

import FlexSyncConfiguration
import FlexSyncCrypto
import FlexSyncJSON
import FlexSyncServerSupport

/// Verifies JSON Web Tokens from another system that an app trusts (RFC 7519, following the advice in RFC 8725).
public struct CustomTokenVerifier: Sendable {
  /// The user that a token identifies.
  struct Identity: Hashable, Sendable {
    /// The token's `sub`.
    var subject: String
    /// The values of its metadata fields, a JSON object.
    var data: JSON
  }

  /// Longer tokens are refused without being parsed.
  static let maximumByteCount = 16 * 1024
  package static let maximumSubjectByteCount = 512
  /// The tolerance for the other system's clock being ahead.
  static let clockSkewSeconds = 60.0

  private let keys: [TokenKey]
  private let audiences: [String]
  private let acceptsAnyAudience: Bool
  private let issuer: String?
  private let fields: [MetadataPath]

  /// - Throws: `ServerError` naming the part of the provider's configuration that cannot be used.
  public init(_ provider: CustomTokenProvider, appID: String) throws(ServerError) {
    keys = try provider.keys()
    audiences = provider.audiences.isEmpty ? [appID] : provider.audiences
    acceptsAnyAudience = provider.acceptsAnyAudience
    issuer = provider.issuer
    fields = provider.metadataFields.map(MetadataPath.init)
  }

  /// Verifies a token and returns the user it identifies.
  ///
  /// - Parameter now: Seconds since 1970.
  /// - Throws: `AccountError` that says what is wrong with the token.
  func verify(_ token: String, now: Int64) throws(AccountError) -> Identity {
    guard token.utf8.count <= CustomTokenVerifier.maximumByteCount else {
      throw .badToken(reason: "it is too long")
    }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3, let header = object(parts[0]), let signature = Base64URL.decode(parts[2]) else {
      throw .badToken(reason: "it is not of the form header.payload.signature")
    }
    try checkSignature(signature, of: "\(parts[0]).\(parts[1])", header)
    // The content is read only after the signature has been verified.
    guard let claims = object(parts[1]) else { throw .badToken(reason: "its payload is not a JSON object") }
    try checkTimes(claims, now: Double(now))
    try checkAudience(claims)
    if let issuer, claims["iss"]?.stringValue != issuer {
      throw .badToken(reason: "its issuer (iss) is not the one configured for this app")
    }
    guard let subject = claims["sub"]?.stringValue, !subject.isEmpty,
      subject.utf8.count <= CustomTokenVerifier.maximumSubjectByteCount
    else { throw .badToken(reason: "it does not identify a user (sub)") }
    return Identity(subject: subject, data: try metadata(claims))
  }

  private func object(_ part: String) -> JSON? {
    guard let bytes = Base64URL.decode(part), let json = try? JSON.parse(bytes), json.objectValue != nil
    else {
      return nil
    }
    return json
  }

  private func checkSignature(_ signature: [UInt8], of signed: String, _ header: JSON) throws(AccountError) {
    if let type = header["typ"], type.stringValue?.uppercased() != "JWT" {
      throw .badToken(reason: "its type (typ) is not JWT")
    }
    // A critical extension (RFC 7515 §4.1.11), none of which is supported.
    guard header["crit"] == nil else {
      throw .badToken(reason: "it requires extensions (crit) that this server does not support")
    }
    let id = header["kid"]?.stringValue
    let fitting = keys.filter { header["alg"]?.stringValue == $0.algorithm }
    guard !fitting.isEmpty else {
      throw .badToken(reason: "its algorithm (alg) is not that of any of the app's keys")
    }
    let candidates = fitting.filter { $0.id == nil || $0.id == id }
    guard !candidates.isEmpty else {
      throw .badToken(
        reason: id == nil
          ? "it does not say which of the app's keys it is signed with (kid)"
          : "the key that it names (kid) is not one of the app's keys for its algorithm (alg)"
      )
    }
    let message = Array(signed.utf8)
    guard candidates.contains(where: { $0.verifies(signature, of: message) }) else {
      throw .badToken(reason: "its signature does not match any of the app's keys")
    }
  }

  private func checkTimes(_ claims: JSON, now: Double) throws(AccountError) {
    guard let expiration = claims["exp"] else {
      throw .badToken(reason: "it has no expiration time (exp)")
    }
    guard let expires = expiration.doubleValue else {
      throw .badToken(reason: "its expiration time (exp) is not a number")
    }
    guard expires > now else { throw .badToken(reason: "it has expired") }
    for name in ["nbf", "iat"] {
      guard let value = claims[name] else { continue }
      guard let time = value.doubleValue else {
        throw .badToken(reason: "its time (\(name)) is not a number")
      }
      guard time <= now + CustomTokenVerifier.clockSkewSeconds else {
        throw .badToken(reason: "it is not valid yet (\(name))")
      }
    }
  }

  private func checkAudience(_ claims: JSON) throws(AccountError) {
    let named: [String] =
      switch claims["aud"] {
      case .string(let audience): [audience]
      case .array(let values): values.compactMap(\.stringValue)
      default: []
      }
    let isMeant =
      acceptsAnyAudience
      ? audiences.contains(where: named.contains) : audiences.allSatisfy(named.contains)
    guard isMeant else { throw .badToken(reason: "it is intended for another audience (aud)") }
  }

  private func metadata(_ claims: JSON) throws(AccountError) -> JSON {
    var members: [JSON.Member] = []
    for field in fields {
      if let value = field.value(in: claims), value != .null {
        members.removeAll { $0.name == field.name }
        members.append(JSON.Member(field.name, value))
      } else if field.isRequired {
        throw .badToken(reason: "the required field \"\(field.path)\" is missing")
      }
    }
    return .object(members)
  }
}

/// The location of a metadata field in a token, and its name in the user's data.
struct MetadataPath: Sendable {
  let path: String
  let name: String
  let isRequired: Bool
  private let components: [String]

  init(_ field: MetadataField) {
    components = MetadataPath.components(field.path)
    path = field.path
    name = field.fieldName ?? components.last ?? field.path
    isRequired = field.isRequired
  }

  /// Splits a path at its dots; a backslash escapes a dot.
  private static func components(_ path: String) -> [String] {
    var components = [""]
    var isEscaped = false
    for character in path {
      switch (character, isEscaped) {
      case ("\\", false):
        isEscaped = true
        continue
      case (".", false): components.append("")
      default: components[components.count - 1].append(character)
      }
      isEscaped = false
    }
    return components
  }

  func value(in claims: JSON) -> JSON? {
    var value: JSON? = claims
    for component in components { value = value?[component] }
    return value
  }
}
