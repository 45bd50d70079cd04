// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// OpenSSL's error queue, which each thread has separately.
enum OpenSSLFailure {
  /// Clears the queue. Call it before an operation whose failure reason will be read.
  static func clear() { ERR_clear_error() }

  /// Removes and returns the reason for the last failure.
  static func takeReason() -> String {
    let code = ERR_peek_last_error()
    defer { ERR_clear_error() }
    guard code != 0 else { return "unknown reason" }
    if let reason = ERR_reason_error_string(code) { return String(cString: reason) }
    return "OpenSSL error \(code)"
  }
}
