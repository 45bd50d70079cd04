// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Runs the body of a fallible C function: its status is OK, or that of the thrown error, which also fills `error`.
func withStatus(_ error: UnsafeMutablePointer<flx_error_t>?, _ body: () throws -> Void) -> flx_status_t {
  do {
    try body()
    return .FLX_STATUS_OK
  } catch let thrown {
    let coreError = CoreError(mapping: thrown)
    error?.pointee.fill(with: coreError)
    return coreError.status
  }
}

extension CoreError {
  /// Lends the error to C, for the duration of `body`.
  func withCError<Result>(_ body: (UnsafePointer<flx_error_t>) -> Result) -> Result {
    var error = flx_error_t()
    error.fill(with: self)
    return body(&error)
  }

  /// The error that a completion reports.
  init(_ error: flx_error_t) {
    let message = withUnsafeBytes(of: error.message) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    self.init(error.status, message, code: error.code)
  }
}

extension flx_error_t {
  /// Takes over an error. The message is cut between two characters if it does not fit.
  mutating func fill(with error: CoreError) {
    status = error.status
    code = error.code
    withUnsafeMutableBytes(of: &message) { buffer in
      let fitting = Self.prefix(of: error.message, byteCount: buffer.count - 1)
      buffer.copyBytes(from: fitting)
      buffer[fitting.count] = 0
    }
  }

  private static func prefix(of text: String, byteCount: Int) -> Substring.UTF8View {
    guard text.utf8.count > byteCount else { return text[...].utf8 }
    var end = text.utf8.index(text.startIndex, offsetBy: byteCount)
    while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
    return text[..<end].utf8
  }
}
