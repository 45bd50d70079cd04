// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// Message digests.
public enum Digest {
  /// SHA-1 (20 bytes). Only for formats that prescribe it, such as the WebSocket handshake (RFC 6455).
  public static func sha1(_ message: [UInt8]) -> [UInt8] { digest(message, EVP_sha1()) }

  /// SHA-256 (32 bytes).
  public static func sha256(_ message: [UInt8]) -> [UInt8] { digest(message, EVP_sha256()) }

  private static func digest(_ message: [UInt8], _ algorithm: OpaquePointer?) -> [UInt8] {
    let capacity = Int(EVP_MAX_MD_SIZE)
    return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
      var length: UInt32 = 0
      guard EVP_Digest(message, message.count, buffer.baseAddress, &length, algorithm, nil) == 1 else {
        fatalError("Digest: this OpenSSL refuses a digest that FlexSync needs (is only a FIPS subset on?)")
      }
      initialized = Int(length)
    }
  }
}

/// Keyed message authentication codes.
public enum MessageAuthentication {
  /// HMAC-SHA256 (32 bytes, RFC 2104), as used by JWT's `HS256`.
  /// - Parameters:
  ///   - message: what is authenticated.
  ///   - key: the shared secret, of any length.
  public static func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    let capacity = Int(EVP_MAX_MD_SIZE)
    // OpenSSL takes a null key for "the key of the last call", so an empty key still needs an address.
    let keyBytes = key.isEmpty ? [0] : key
    return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
      var length: UInt32 = 0
      let code = HMAC(
        EVP_sha256(),
        keyBytes,
        Int32(key.count),
        message,
        message.count,
        buffer.baseAddress,
        &length
      )
      guard code != nil else {
        fatalError("MessageAuthentication: this OpenSSL refuses HMAC-SHA256, which FlexSync needs")
      }
      initialized = Int(length)
    }
  }
}

/// Comparison that does not tell by its duration where two secrets differ.
public enum ConstantTime {
  /// Whether both hold the same bytes. The time depends on the lengths only.
  public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }
}
