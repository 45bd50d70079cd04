// SPDX-License-Identifier: Apache-2.0

import CLibuv

/// Why an operation of the network failed, with a text for people.
public struct TransportError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What a program may want to tell apart.
  public enum Kind: Equatable, Sendable {
    /// The address to listen on is taken by another program.
    case addressInUse
    /// The address is malformed, or none of this machine's.
    case invalidAddress
    /// The operating system forbids it, for example a port below 1024.
    case permissionDenied
    /// Nothing listens at the address.
    case connectionRefused
    /// There is no way to the host.
    case unreachable
    /// The host's name does not resolve.
    case nameNotFound
    /// The TLS certificate of the peer is not trusted or not for its name.
    case certificateRejected
    /// TLS failed for another reason, or its configuration is unusable.
    case tlsFailed
    /// The operation took longer than allowed.
    case timedOut
    /// An established connection broke.
    case connectionLost
    /// The peer sent something that the protocol forbids.
    case protocolViolation
    /// The peer sent, or does not take, more than the limit.
    case tooLarge
    /// The operation was cancelled, or its event loop stopped.
    case cancelled
    /// The operating system has no descriptors, threads or memory left.
    case noResources
    /// Any other failure of the operating system.
    case system
  }

  /// The kind of failure.
  public let kind: Kind
  /// What happened, to what, and where possible what to do.
  public let description: String

  /// Creates an error.
  /// - Parameters:
  ///   - kind: the kind of failure.
  ///   - description: what happened, to what, and what to do.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// The error for a negative result of libuv.
  /// - Parameters:
  ///   - code: what libuv returned.
  ///   - action: what was tried, as in "cannot *listen on 127.0.0.1:80*".
  init(code: Int32, action: String) {
    let kind = Self.kind(ofCode: code)
    let reason = Self.reason(code) ?? Self.reason(kind) ?? String(cString: uv_strerror(code))
    self.init(kind, "cannot \(action): \(reason)")
  }

  static let loopStopped = TransportError(.cancelled, "the event loop has stopped")

  private static func kind(ofCode code: Int32) -> Kind {
    switch uv_errno_t(rawValue: code) {
    case UV_EADDRINUSE: .addressInUse
    case UV_EADDRNOTAVAIL, UV_EINVAL, UV_EAFNOSUPPORT: .invalidAddress
    case UV_EACCES, UV_EPERM: .permissionDenied
    case UV_ECONNREFUSED: .connectionRefused
    case UV_ENETUNREACH, UV_EHOSTUNREACH, UV_ENETDOWN: .unreachable
    case UV_EAI_NONAME, UV_EAI_NODATA, UV_EAI_AGAIN, UV_EAI_FAIL, UV_ENOENT: .nameNotFound
    case UV_ETIMEDOUT: .timedOut
    case UV_ECONNRESET, UV_EPIPE, UV_ECONNABORTED, UV_EOF, UV_ENOTCONN: .connectionLost
    case UV_ECANCELED: .cancelled
    case UV_EMFILE, UV_ENFILE, UV_ENOMEM, UV_ENOBUFS, UV_EAGAIN: .noResources
    default: .system
    }
  }

  private static func reason(_ code: Int32) -> String? {
    switch uv_errno_t(rawValue: code) {
    case UV_EMFILE:
      "the process has no file descriptors left; close some, or raise its limit (ulimit -n)"
    case UV_ENFILE: "the system has no file descriptors left"
    default: nil
    }
  }

  private static func reason(_ kind: Kind) -> String? {
    switch kind {
    case .addressInUse: "the address is in use by another program"
    case .permissionDenied: "the operating system does not permit it"
    case .connectionRefused: "nothing listens there (connection refused)"
    case .nameNotFound: "the name does not resolve"
    case .timedOut: "it took too long"
    default: nil
    }
  }
}
