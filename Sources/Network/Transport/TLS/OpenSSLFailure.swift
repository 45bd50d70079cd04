// SPDX-License-Identifier: Apache-2.0

import COpenSSL

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

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

  /// Removes all failures and returns the reason of the first one that has a meaning for people: the functions that
  /// pass a failure on only add that one of their parts failed.
  static func takeCause() -> String {
    var causes: [String] = []
    while case let code = ERR_get_error(), code != 0 {
      if let cause = text(code), !cause.hasSuffix(" lib") { causes.append(cause) }
    }
    return causes.first ?? "unknown reason"
  }

  /// The flag of errors that the operating system reported. It is a macro that Swift cannot import.
  private static let systemFlag: UInt = 0x8000_0000

  private static func text(_ code: UInt) -> String? {
    if code & systemFlag != 0 {
      return String(cString: strerror(Int32(truncatingIfNeeded: code & ~systemFlag)))
    }
    return ERR_reason_error_string(code).map { String(cString: $0) }
  }
}
