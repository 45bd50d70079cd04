// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import FlexSyncScheduling

/// The TLS settings of a client or server: TLS 1.2 or newer, with verified certificates.
///
/// Immutable after creation and safe from any thread. Creating one reads files, so create it once and share it.
public final class TLSContext: @unchecked Sendable {
  /// The certificate authorities that a client trusts.
  public enum Trust: Sendable {
    /// The certificate authorities of the operating system.
    case system
    /// Only the authorities in this file (PEM).
    case authorities(file: String)
  }

  enum Role {
    case client
    case server
  }

  let raw: OpaquePointer
  let role: Role

  private init(role: Role, method: OpaquePointer?) throws(TransportError) {
    OpenSSLFailure.clear()
    guard let raw = SSL_CTX_new(method) else {
      throw TransportError(.tlsFailed, "cannot set up TLS: \(OpenSSLFailure.takeReason())")
    }
    self.raw = raw
    self.role = role
    // These are macros in C, which Swift cannot import.
    SSL_CTX_ctrl(raw, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
    SSL_CTX_ctrl(raw, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
    let noRenegotiation: UInt64 = 1 << 30
    SSL_CTX_set_options(raw, noRenegotiation)
  }

  deinit { SSL_CTX_free(raw) }

  /// Creates the settings of a client. It verifies the server's certificate and that the certificate is valid for the
  /// name connected to.
  /// - Throws: ``TransportError`` (`tlsFailed`) if the authorities cannot be read.
  public static func client(trust: Trust = .system) throws(TransportError) -> TLSContext {
    let context = try TLSContext(role: .client, method: TLS_client_method())
    SSL_CTX_set_verify(context.raw, SSL_VERIFY_PEER, nil)
    switch trust {
    case .system:
      guard SSL_CTX_set_default_verify_paths(context.raw) == 1 else {
        throw context.failure("read the system's certificate authorities")
      }
    case .authorities(let file):
      guard SSL_CTX_load_verify_file(context.raw, file) == 1 else {
        throw context.failure("read certificate authorities from \"\(file)\" (PEM)")
      }
    }
    let protocols = Array("\u{8}http/1.1".utf8)
    SSL_CTX_set_alpn_protos(context.raw, protocols, UInt32(protocols.count))
    return context
  }

  /// Creates the settings of a server.
  /// - Parameters:
  ///   - certificateFile: The server's certificate, followed by the intermediate ones (PEM).
  ///   - keyFile: The private key of the first certificate (PEM).
  /// - Throws: ``TransportError`` (`tlsFailed`) if a file cannot be read, the key is encrypted, or it does not match the
  ///   certificate.
  public static func server(certificateFile: String, keyFile: String) throws(TransportError) -> TLSContext {
    let context = try TLSContext(role: .server, method: TLS_server_method())
    guard SSL_CTX_use_certificate_chain_file(context.raw, certificateFile) == 1 else {
      throw context.failure("read a certificate from \"\(certificateFile)\" (PEM)")
    }
    // Without a callback, OpenSSL would ask for the password on the terminal.
    var isEncrypted = false
    let isUsable = withUnsafeMutablePointer(to: &isEncrypted) { isEncrypted in
      SSL_CTX_set_default_passwd_cb(context.raw) { _, _, _, isEncrypted in
        isEncrypted?.assumingMemoryBound(to: Bool.self).pointee = true
        return -1
      }
      SSL_CTX_set_default_passwd_cb_userdata(context.raw, isEncrypted)
      defer { SSL_CTX_set_default_passwd_cb_userdata(context.raw, nil) }
      return SSL_CTX_use_PrivateKey_file(context.raw, keyFile, SSL_FILETYPE_PEM) == 1
    }
    guard !isEncrypted else {
      OpenSSLFailure.clear()
      throw TransportError(
        .tlsFailed,
        "cannot use the private key in \"\(keyFile)\": it is encrypted with a password, for which nobody can be asked. "
          + "Decrypt it into a file that only the server can read: openssl pkey -in \(keyFile) -out FILE"
      )
    }
    guard isUsable else {
      throw context.failure("use the private key in \"\(keyFile)\" (PEM) with \"\(certificateFile)\"")
    }
    return context
  }

  private func failure(_ action: String) -> TransportError {
    TransportError(.tlsFailed, "cannot \(action): \(OpenSSLFailure.takeCause())")
  }

  /// The time during which the certificate of a server is valid, in seconds from now; nil for a client.
  public var certificateValidity: ClosedRange<Int>? {
    guard let certificate = SSL_CTX_get0_certificate(raw) else { return nil }
    func secondsUntil(_ time: UnsafePointer<ASN1_TIME>?) -> Int? {
      var (days, seconds): (Int32, Int32) = (0, 0)
      guard ASN1_TIME_diff(&days, &seconds, nil, time) == 1 else { return nil }
      return Int(days) * 86_400 + Int(seconds)
    }
    guard let start = secondsUntil(X509_get0_notBefore(certificate)),
      let end = secondsUntil(X509_get0_notAfter(certificate))
    else { return nil }
    return min(start, end)...end
  }
}
