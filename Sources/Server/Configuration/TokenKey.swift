// SPDX-License-Identifier: Apache-2.0

import FlexSyncCrypto
import FlexSyncJSON
import FlexSyncServerSupport

/// A key that verifies tokens of another system, bound to a single algorithm: the algorithm named in a token selects
/// among the keys but never determines how a key is used.
package struct TokenKey: Sendable {
  enum Material: Sendable {
    case secret([UInt8])
    case publicKey(PublicKey)
  }

  /// The identifier by which tokens select the key.
  package let id: String?
  let material: Material

  /// The minimum length of a secret for HS256: that of its digest (RFC 7518 §3.2).
  private static let minimumSecretByteCount = 32

  package var algorithm: String {
    switch material {
    case .secret: "HS256"
    case .publicKey(let key): key.algorithm.rawValue
    }
  }

  package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    switch material {
    case .secret(let secret):
      ConstantTime.equal(signature, MessageAuthentication.hmacSHA256(message, key: secret))
    case .publicKey(let key): key.verifies(signature, of: message)
    }
  }

  /// Creates a key from the configuration.
  ///
  /// - Parameters:
  ///   - text: The secret for HS256; otherwise a public key in PEM form.
  ///   - algorithm: `HS256`, `RS256` or `ES256`.
  /// - Throws: `ServerError`, which describes the problem without revealing the key.
  init(_ text: String, algorithm: String) throws(ServerError) {
    id = nil
    if algorithm == "HS256" {
      material = .secret(try TokenKey.secret(Array(text.utf8)))
      return
    }
    guard let algorithm = PublicKey.Algorithm(rawValue: algorithm) else {
      throw ServerError("the signing algorithm \"\(algorithm)\" is not one of HS256, RS256, ES256")
    }
    do {
      material = .publicKey(try PublicKey(pem: text, for: algorithm))
    } catch {
      throw ServerError(error.description)
    }
  }

  private init(id: String?, _ material: Material) {
    self.id = id
    self.material = material
  }

  private static func secret(_ bytes: [UInt8]) throws(ServerError) -> [UInt8] {
    guard bytes.count >= minimumSecretByteCount else {
      throw ServerError(
        "a key for HS256 needs at least \(minimumSecretByteCount) bytes; this one has \(bytes.count)"
      )
    }
    return bytes
  }

  // MARK: JSON Web Keys

  /// Returns the keys of a JSON Web Key Set or of a single JSON Web Key (RFC 7517), omitting those not meant for
  /// signatures.
  ///
  /// - Throws: `ServerError` if the text is not a key set or a key is unusable.
  static func keys(ofSet text: String) throws(ServerError) -> [TokenKey] {
    let json: JSON
    do {
      json = try JSON.parse(text)
    } catch {
      throw ServerError("the key set is \(error)")
    }
    let members = json["keys"]?.arrayValue ?? (json["kty"] == nil ? [] : [json])
    let signing = members.filter { $0["use"].map { $0 == "sig" } ?? true }
    let keys = try signing.map { member throws(ServerError) in try key(member) }
    guard !keys.isEmpty else { throw ServerError("the key set has no keys for signatures (\"keys\")") }
    return keys
  }

  private static func key(_ json: JSON) throws(ServerError) -> TokenKey {
    let id = json["kid"]?.stringValue
    let name = id.map { "the key \"\($0)\"" } ?? "a key without kid"
    do {
      let key = TokenKey(id: id, try material(json))
      if let algorithm = json["alg"]?.stringValue, algorithm != key.algorithm {
        throw ServerError("it is for \(algorithm); only RS256, ES256 and HS256 are supported")
      }
      return key
    } catch let error as PublicKeyError {
      throw ServerError("\(name) of the key set cannot be used: \(error)")
    } catch let error as ServerError {
      throw ServerError("\(name) of the key set cannot be used: \(error)")
    } catch {
      throw ServerError("\(name) of the key set cannot be used")
    }
  }

  private static func material(_ json: JSON) throws -> Material {
    switch json["kty"]?.stringValue {
    case "RSA":
      return .publicKey(
        try PublicKey(rsaModulus: try bytes("n", of: json), exponent: try bytes("e", of: json))
      )
    case "EC":
      guard json["crv"] == "P-256" else { throw ServerError("its curve is not P-256") }
      return .publicKey(try PublicKey(p256X: try bytes("x", of: json), y: try bytes("y", of: json)))
    case "oct": return .secret(try secret(try bytes("k", of: json)))
    default: throw ServerError("its type (kty) is not one of RSA, EC, oct")
    }
  }

  private static func bytes(_ name: String, of json: JSON) throws -> [UInt8] {
    guard let bytes = json[name]?.stringValue.flatMap(Base64URL.decode), !bytes.isEmpty else {
      throw ServerError("\"\(name)\" is missing or is not URL-safe Base64")
    }
    return bytes
  }
}

extension CustomTokenProvider {
  /// Returns the keys that may have signed a token.
  ///
  /// - Throws: `ServerError` that names the unusable part of the provider's configuration.
  package func keys() throws(ServerError) -> [TokenKey] {
    var keys: [TokenKey] = []
    for text in signingKeys { keys.append(try TokenKey(text, algorithm: algorithm)) }
    if let keySet { keys += try TokenKey.keys(ofSet: keySet) }
    return keys
  }
}
