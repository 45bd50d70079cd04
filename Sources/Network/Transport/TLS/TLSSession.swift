// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import FlexSyncScheduling

/// The TLS state of one connection, operating on memory buffers. Performs no I/O. Confined to a loop's thread.
final class TLSSession {
  /// The maximum amount of input passed to OpenSSL at once, which keeps its buffers small.
  private static let inputPiece = 16 * 1024
  private static let outputPiece = 64 * 1024
  private static let bioReset: Int32 = 1
  private static let bioInfo: Int32 = 3

  private let raw: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer
  /// The name of the server that a client connects to; nil on a server.
  private let serverName: String?
  /// Whether the handshake has finished.
  private(set) var isSecured = false

  /// - Parameter serverName: The name or address that the server's certificate must be valid for; nil on a server.
  init(context: TLSContext, serverName: String?) throws(TransportError) {
    OpenSSLFailure.clear()
    guard let raw = SSL_new(context.raw) else {
      throw TransportError(.tlsFailed, "cannot set up TLS: \(OpenSSLFailure.takeReason())")
    }
    guard let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
      fatalError("TLSSession: out of memory")
    }
    SSL_set_bio(raw, input, output)
    self.raw = raw
    self.input = input
    self.output = output
    self.serverName = serverName
    if let serverName {
      SSL_set_connect_state(raw)
      try expect(serverName)
    } else {
      SSL_set_accept_state(raw)
    }
  }

  deinit { SSL_free(raw) }

  private func expect(_ serverName: String) throws(TransportError) {
    if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(raw), serverName) == 1 { return }
    let set = serverName.withCString {
      let name = UnsafeMutableRawPointer(mutating: $0)
      return SSL_ctrl(raw, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), name)
    }
    SSL_set_hostflags(raw, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    guard set == 1, SSL_set1_host(raw, serverName) == 1 else {
      throw TransportError(.tlsFailed, "\"\(serverName)\" is not a valid TLS server name")
    }
    OpenSSLFailure.clear()
  }

  /// Takes in a part of the received bytes.
  /// - Returns: The remaining bytes. Pass them again after ``read(into:_:)``.
  func receive(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let count = min(bytes.count, Self.inputPiece)
    BIO_write(input, bytes.baseAddress, Int32(count))
    return UnsafeRawBufferPointer(rebasing: bytes[count...])
  }

  /// Continues the handshake. Once it has finished, ``isSecured`` is true.
  func handshake() throws(TransportError) {
    OpenSSLFailure.clear()
    let code = SSL_do_handshake(raw)
    switch SSL_get_error(raw, code) {
    case SSL_ERROR_NONE: isSecured = true
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: break
    default: throw handshakeFailure()
    }
  }

  private func handshakeFailure() -> TransportError {
    let verification = SSL_get_verify_result(raw)
    let reason = OpenSSLFailure.takeReason()
    let peer = serverName.map { "\"\($0)\"" } ?? "the client"
    guard serverName != nil, verification != Int(X509_V_OK) else {
      return TransportError(.tlsFailed, "TLS with \(peer) failed: \(reason)")
    }
    let text = String(cString: X509_verify_cert_error_string(verification))
    let advice = Self.untrusted.contains(verification) ? "; \(Self.trustAdvice)" : ""
    return TransportError(.certificateRejected, "the certificate of \(peer) was rejected: \(text)\(advice)")
  }

  /// The results with which OpenSSL rejects a certificate because it does not know its authority.
  private static let untrusted = [
    X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
    X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
    X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
  ].map { Int($0) }

  private static let trustAdvice =
    "to trust an authority of your own, name its PEM file in the app's trusted_certificates_file, or in the environment "
    + "variable SSL_CERT_FILE"

  /// Decrypts the received bytes.
  /// - Parameters:
  ///   - buffer: The buffer for one piece of plaintext.
  ///   - body: Receives each piece, and returns whether to continue.
  /// - Returns: Whether the peer has announced that it will send no more data.
  func read(
    into buffer: UnsafeMutableRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) -> Bool
  ) throws(TransportError) -> Bool {
    while true {
      OpenSSLFailure.clear()
      let count = SSL_read(raw, buffer.baseAddress, Int32(buffer.count))
      if count > 0 {
        guard body(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)])) else { return false }
        continue
      }
      switch SSL_get_error(raw, count) {
      case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return false
      case SSL_ERROR_ZERO_RETURN: return true
      default: throw TransportError(.tlsFailed, "TLS failed: \(OpenSSLFailure.takeReason())")
      }
    }
  }

  /// Encrypts `bytes` and passes on the result in pieces.
  func write(_ bytes: UnsafeRawBufferPointer, _ send: (UnsafeRawBufferPointer) -> Void) throws(TransportError)
  {
    var rest = bytes
    while !rest.isEmpty {
      let count = min(rest.count, Self.outputPiece)
      OpenSSLFailure.clear()
      // With a memory buffer as its output, OpenSSL takes everything or fails.
      guard SSL_write(raw, rest.baseAddress, Int32(count)) == Int32(count) else {
        throw TransportError(.tlsFailed, "TLS failed: \(OpenSSLFailure.takeReason())")
      }
      takeOutput(send)
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Passes on the bytes that OpenSSL has produced for sending.
  func takeOutput(_ send: (UnsafeRawBufferPointer) -> Void) {
    var base: UnsafeMutableRawPointer?
    let count = BIO_ctrl(output, Self.bioInfo, 0, &base)
    guard count > 0 else { return }
    send(UnsafeRawBufferPointer(start: base, count: count))
    BIO_ctrl(output, Self.bioReset, 0, nil)
  }

  /// Notifies the peer that no more data will be sent.
  func sayGoodbye() {
    OpenSSLFailure.clear()
    if isSecured { SSL_shutdown(raw) }
    OpenSSLFailure.clear()
  }

  /// Whether an end of the TCP stream at this point would be a truncation, because the peer has not announced the
  /// end.
  var isTruncatedByEnd: Bool { SSL_get_shutdown(raw) & SSL_RECEIVED_SHUTDOWN == 0 }
}
