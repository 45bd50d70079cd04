// SPDX-License-Identifier: Apache-2.0

import CLibuv
import FlexSyncScheduling

extension TransportError {
  /// Creates the error for a negative libuv result.
  /// - Parameters:
  ///   - code: The result returned by libuv.
  ///   - action: The attempted action, as in "cannot *listen on 127.0.0.1:80*".
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
    case .connectionRefused: "nothing is listening there (connection refused)"
    case .nameNotFound: "the name does not resolve"
    case .timedOut: "it took too long"
    default: nil
    }
  }
}
