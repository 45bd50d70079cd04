// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Runs the body of a fallible C function. Returns OK, or the status of the thrown error, which also fills in
/// `error`.
///
/// - Parameters:
///   - first: an argument that must not be NULL, like `second`; checked before anything else.
func withStatus(
  _ error: UnsafeMutablePointer<flx_error_t>?,
  _ first: Needed? = nil,
  _ second: Needed? = nil,
  function: StaticString = #function,
  _ body: () throws -> Void
) -> flx_status_t {
  do {
    try Needed.require(first, function)
    try Needed.require(second, function)
    try ForkGuard.requireNoChild()
    try body()
    return .FLX_STATUS_OK
  } catch let thrown {
    let coreError = CoreError(mapping: thrown)
    error?.pointee.fill(with: coreError)
    return flx_status_t(coreError.status)
  }
}

/// `withStatus` for functions that programs call for each of many objects: it counts no references and tries `quick`
/// first, which returns whether it could do the work. Otherwise `body` does it.
@inline(__always)
func withStatus<Object: ConfinedTarget>(
  _ error: UnsafeMutablePointer<flx_error_t>?,
  often handle: OpaquePointer,
  _: Object.Type,
  _ first: Needed,
  function: StaticString = #function,
  quick: (Object) throws -> Bool,
  otherwise body: (Object) throws -> Void
) -> flx_status_t {
  if ForkGuard.isChild || first.isNull { return withStatus(error, first, function: function) {} }
  return Handle.with(handle, as: Object.self, isInParent: true, function: function) { object in
    guard object.claim.enter() else { return withStatus(error) { throw ThreadClaim.refusal } }
    do {
      if try quick(object) {
        object.claim.leave()
        return .FLX_STATUS_OK
      }
    } catch let thrown {
      object.claim.leave()
      return withStatus(error) { throw thrown }
    }
    defer { object.claim.leave() }
    return withStatus(error) { try body(object) }
  }
}

extension CoreError {
  /// Lends the error to C for the duration of `body`.
  func withCError<Result>(_ body: (UnsafePointer<flx_error_t>) -> Result) -> Result {
    var error = flx_error_t()
    error.fill(with: self)
    return body(&error)
  }

  /// Calls a function of the program that returns a status and fills in an error.
  ///
  /// - Parameter callback: the type of the function.
  /// - Throws: the error, unless the status is OK.
  static func throwing(
    from callback: StaticString,
    _ call: (UnsafeMutablePointer<flx_error_t>) -> flx_status_t
  ) throws {
    var error = flx_error_t()
    let status = call(&error)
    guard status != .FLX_STATUS_OK else { return }
    error.status = status
    let thrown = CoreError(error)
    guard let known = Status(rawValue: status.rawValue) else {
      let message = thrown.message.isEmpty ? "" : " Its message: \(thrown.message)"
      throw CoreError(
        thrown.status,
        "The callback \(callback) returned \(status.rawValue), which is no flx_status_t.\(message)",
        code: thrown.code
      )
    }
    guard thrown.message.isEmpty else { throw thrown }
    throw CoreError(
      known,
      "The callback \(callback) returned \(known.words.name) without a message.",
      code: thrown.code
    )
  }

  /// Creates an error from the one that a completion reports.
  init(_ error: flx_error_t) {
    self.init(Status(error.status), Self.text(error.message), code: error.code)
    serverCode = Self.text(error.server_code)
    serverLogURL = Self.text(error.server_log_url)
  }

  /// The text in a member that is an array of characters, which Swift imports as a tuple.
  private static func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

extension flx_error_t {
  /// Copies an error. A message that does not fit is cut between two characters.
  mutating func fill(with error: CoreError) {
    status = flx_status_t(error.status)
    code = error.code
    reserved = flx_error_t().reserved
    Self.write(error.message, to: &message)
    Self.write(error.serverCode, to: &server_code)
    // A truncated URL is useless.
    let logURL = error.serverLogURL
    Self.write(logURL.utf8.count < Int(FLX_ERROR_URL_CAPACITY) ? logURL : "", to: &server_log_url)
  }

  private static func write<Characters>(_ text: String, to characters: inout Characters) {
    withUnsafeMutableBytes(of: &characters) { buffer in
      let fitting = prefix(of: text, byteCount: buffer.count - 1)
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
