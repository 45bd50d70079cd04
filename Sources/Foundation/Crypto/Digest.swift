// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// Message digests.
public enum Digest {
  /// Returns the SHA-1 digest (20 bytes). Only for formats that prescribe it, such as the WebSocket handshake (RFC
  /// 6455).
  public static func sha1(_ message: [UInt8]) -> [UInt8] { digest(message, EVP_sha1()) }

  /// Returns the SHA-256 digest (32 bytes).
  public static func sha256(_ message: [UInt8]) -> [UInt8] { digest(message, EVP_sha256()) }

  private static func digest(_ message: [UInt8], _ algorithm: OpaquePointer?) -> [UInt8] {
    let capacity = Int(EVP_MAX_MD_SIZE)
    return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
      var length: UInt32 = 0
      guard EVP_Digest(message, message.count, buffer.baseAddress, &length, algorithm, nil) == 1 else {
        fatalError("Digest: OpenSSL does not provide a digest that FlexSync needs (is it limited to FIPS?)")
      }
      initialized = Int(length)
    }
  }
}

/// The SHA-256 digest of a message that arrives piece by piece.
public final class RunningSHA256 {
  private let context: OpaquePointer

  /// Begins with an empty message.
  public init() {
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1 else {
      fatalError("RunningSHA256: OpenSSL does not provide SHA-256, which FlexSync needs")
    }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Appends a piece to the message.
  public func append(_ piece: some Collection<UInt8>) {
    let result = piece.withContiguousStorageIfAvailable {
      EVP_DigestUpdate(context, $0.baseAddress, $0.count)
    }
    if result == nil { append(Array(piece)) }
  }

  /// Returns the digest (32 bytes). The message cannot grow afterwards.
  public func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, initialized in
      var length: UInt32 = 0
      EVP_DigestFinal_ex(context, buffer.baseAddress, &length)
      initialized = Int(length)
    }
  }
}

/// Keyed message authentication codes.
public enum MessageAuthentication {
  /// Returns the HMAC-SHA256 (32 bytes, RFC 2104), as used by JWT's `HS256`.
  /// - Parameters:
  ///   - message: The message to authenticate.
  ///   - key: The shared secret, of any length.
  public static func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    let capacity = Int(EVP_MAX_MD_SIZE)
    // OpenSSL interprets a null key as "the key of the last call", so an empty key still needs an address.
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
        fatalError("MessageAuthentication: OpenSSL does not provide HMAC-SHA256, which FlexSync needs")
      }
      initialized = Int(length)
    }
  }
}

/// Compares secrets without revealing through its duration where they differ.
public enum ConstantTime {
  /// Whether both arrays hold the same bytes. The time depends only on their lengths.
  public static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
  }
}
