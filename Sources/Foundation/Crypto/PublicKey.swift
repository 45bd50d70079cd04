// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// The reason a public key cannot be used.
public struct PublicKeyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A description of the problem and of what would be correct.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// A public key that verifies signatures of one algorithm: RSA with at least 2048 bits, or the curve P-256. Safe from
/// any thread.
public final class PublicKey: @unchecked Sendable {
  /// The algorithms, by their names in JSON Web Signatures (RFC 7518 §3.1).
  public enum Algorithm: String, Sendable, CaseIterable {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
  }

  /// The only algorithm whose signatures the key verifies.
  public let algorithm: Algorithm
  /// Never modified after `init`.
  private let key: OpaquePointer

  private static let minimumRSABits: Int32 = 2048
  private static let coordinateByteCount = 32

  /// Reads a key from PEM text (`-----BEGIN PUBLIC KEY-----`).
  ///
  /// - Throws: ``PublicKeyError`` if the text contains no key, or a key that does not fit `algorithm`.
  public convenience init(pem: String, for algorithm: Algorithm) throws(PublicKeyError) {
    let bytes = Array(pem.utf8)
    // OpenSSL receives a copy: a BIO_new_mem_buf would read memory that Swift may already have freed.
    guard let source = BIO_new(BIO_s_mem()) else {
      throw PublicKeyError("there is not enough memory for a key")
    }
    defer {
      BIO_free(source)
      ERR_clear_error()
    }
    guard BIO_write(source, bytes, Int32(clamping: bytes.count)) == bytes.count || bytes.isEmpty else {
      throw PublicKeyError("there is not enough memory for a key")
    }
    guard let key = PEM_read_bio_PUBKEY(source, nil, nil, nil) else {
      throw PublicKeyError("this is not a public key in PEM form (-----BEGIN PUBLIC KEY-----)")
    }
    try self.init(key, algorithm)
  }

  /// Creates an RSA key from its numbers, most significant byte first, as in JSON Web Keys (RFC 7518 §6.3.1).
  ///
  /// - Throws: ``PublicKeyError`` for numbers that do not form a key, or are too short.
  public convenience init(rsaModulus: [UInt8], exponent: [UInt8]) throws(PublicKeyError) {
    let rsaEncryption: [UInt8] = [
      0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]
    let numbers = DER.sequence(DER.integer(rsaModulus), DER.integer(exponent))
    try self.init(der: DER.sequence(DER.sequence(rsaEncryption), DER.bitString(numbers)), .rs256)
  }

  /// Creates a key on the curve P-256 from its coordinates, 32 bytes each (RFC 7518 §6.2.1).
  ///
  /// - Throws: ``PublicKeyError`` for a point that is not on the curve.
  public convenience init(p256X x: [UInt8], y: [UInt8]) throws(PublicKeyError) {
    guard x.count == Self.coordinateByteCount, y.count == Self.coordinateByteCount else {
      throw PublicKeyError("the coordinates of a P-256 key must have \(Self.coordinateByteCount) bytes each")
    }
    let ecPublicKeyOnP256: [UInt8] = [
      0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03,
      0x01, 0x07,
    ]
    let point: [UInt8] = [0x04] + x + y
    try self.init(der: DER.sequence(DER.sequence(ecPublicKeyOnP256), DER.bitString(point)), .es256)
  }

  private convenience init(der: [UInt8], _ algorithm: Algorithm) throws(PublicKeyError) {
    let key: OpaquePointer? = der.withUnsafeBufferPointer { bytes in
      var next = bytes.baseAddress
      return d2i_PUBKEY(nil, &next, bytes.count)
    }
    ERR_clear_error()
    guard let key else { throw PublicKeyError("these numbers do not form an \(algorithm.rawValue) key") }
    try self.init(key, algorithm)
  }

  /// Takes ownership of an OpenSSL key.
  private init(_ key: OpaquePointer, _ algorithm: Algorithm) throws(PublicKeyError) {
    if let problem = Self.problem(key, algorithm) {
      EVP_PKEY_free(key)
      throw PublicKeyError(problem)
    }
    self.key = key
    self.algorithm = algorithm
  }

  deinit { EVP_PKEY_free(key) }

  private static func problem(_ key: OpaquePointer, _ algorithm: Algorithm) -> String? {
    let kind = EVP_PKEY_get_base_id(key)
    let bitCount = EVP_PKEY_get_bits(key)
    switch algorithm {
    case .rs256:
      guard kind == EVP_PKEY_RSA else { return "RS256 needs an RSA key" }
      guard bitCount >= minimumRSABits else {
        return "an RSA key needs at least \(minimumRSABits) bits; this one has \(bitCount)"
      }
    case .es256:
      guard kind == EVP_PKEY_EC, curve(key) == "prime256v1" else {
        return "ES256 needs a key on the curve P-256"
      }
    }
    return nil
  }

  private static func curve(_ key: OpaquePointer) -> String {
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return "" }
    return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether `signature`, in the form of JSON Web Signatures, was created for `message` with the matching private
  /// key.
  public func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard let signature = native(signature), let context = EVP_MD_CTX_new() else { return false }
    defer {
      EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
    return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  /// Returns the form that OpenSSL reads: for ECDSA, a sequence of both numbers instead of 64 bytes (RFC 7518 §3.4).
  private func native(_ signature: [UInt8]) -> [UInt8]? {
    guard algorithm == .es256 else { return signature }
    let count = Self.coordinateByteCount
    guard signature.count == 2 * count else { return nil }
    return DER.sequence(
      DER.integer(Array(signature[..<count])),
      DER.integer(Array(signature[count...]))
    )
  }
}
