// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// OpenSSL's queue of errors, which belongs to the thread.
enum OpenSSLFailure {
  /// To be called before an operation whose failure will be asked for.
  static func clear() { ERR_clear_error() }

  /// The reason of the last failure.
  static func takeReason() -> String {
    let code = ERR_peek_last_error()
    defer { ERR_clear_error() }
    guard code != 0 else { return "unknown reason" }
    if let reason = ERR_reason_error_string(code) { return String(cString: reason) }
    return "OpenSSL error \(code)"
  }
}
