// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import Foundation

/// An error as the C interface reports it, before it becomes one of the public error types.
struct StatusError {
  let status: flx_status_t
  let code: Int32
  let message: String
  let serverCode: String
  let serverLogURL: String

  init(_ error: flx_error_t) {
    status = error.status
    code = error.code
    message = Self.text(error.message)
    serverCode = Self.text(error.server_code)
    serverLogURL = Self.text(error.server_log_url)
  }

  /// Copies the status and the message for C.
  func write(to error: inout flx_error_t) {
    error.status = status
    withUnsafeMutableBytes(of: &error.message) { buffer in
      let fitting = message.utf8.prefix(buffer.count - 1)
      buffer.copyBytes(from: fitting)
      buffer[fitting.count] = 0
    }
  }

  /// The text in an array of characters, which Swift imports as a tuple.
  private static func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// The error as one of the public error types, for the opening of a realm, which fails because its session does.
  var openingError: any Error {
    switch status {
    case .FLX_STATUS_CONNECTION_FAILED, .FLX_STATUS_TLS_FAILED: SyncError(self) ?? publicError
    default: publicError
    }
  }

  /// The error as one of the public error types.
  var publicError: any Error {
    switch status {
    case .FLX_STATUS_TIMED_OUT: posixError(ETIMEDOUT, message)
    case .FLX_STATUS_CANCELED: posixError(ECANCELED, message)
    default: AppError(self) ?? SyncError(self) ?? Realm.Error(self) as any Error
    }
  }
}

/// An error of the POSIX domain.
func posixError(_ code: Int32, _ message: String) -> NSError {
  NSError(domain: NSPOSIXErrorDomain, code: Int(code), userInfo: [NSLocalizedDescriptionKey: message])
}

/// Calls a fallible C function and throws its error.
func check(_ call: (UnsafeMutablePointer<flx_error_t>) -> flx_status_t) throws {
  if let failure = failure(of: call) { throw failure.publicError }
}

/// Calls a fallible C function and returns its error, if any.
func failure(of call: (UnsafeMutablePointer<flx_error_t>) -> flx_status_t) -> StatusError? {
  // Not initialized, because clearing 1 KiB costs more than most calls.
  withUnsafeTemporaryAllocation(of: flx_error_t.self, capacity: 1) { error in
    guard let error = error.baseAddress else {
      fatalError("allocating an error returned no address")
    }
    return call(error) == .FLX_STATUS_OK ? nil : StatusError(error.pointee)
  }
}

/// Calls a C function that reads nothing from the file, and fails only if this layer passes it invalid arguments.
func mustSucceed(_ call: (UnsafeMutablePointer<flx_error_t>) -> flx_status_t) {
  if let failure = failure(of: call) { fatalError(failure.message) }
}

/// Calls a C function for an API that cannot throw, because it does not in the Realm Swift SDK. It fails if the program
/// makes a mistake, such as using the wrong thread, or if the file cannot be read.
func trapOnFailure(_ call: (UnsafeMutablePointer<flx_error_t>) -> flx_status_t) {
  guard let failure = failure(of: call) else { return }
  Misuse.stop(
    failure.exception()
      ?? "\(failure.message) (This ends the process, because the API that was used cannot throw an error.)"
  )
}

/// A C function that writes a handle, which the caller releases, to its first argument.
typealias HandleMaker = (inout OpaquePointer?, UnsafeMutablePointer<flx_error_t>) -> flx_status_t

/// Calls a C function that makes an object, and throws its error.
func makeHandle(_ make: HandleMaker) throws -> OpaquePointer {
  var pointer: OpaquePointer?
  try check { make(&pointer, $0) }
  return present(pointer)
}

/// Calls a C function that makes an object, for an API that cannot throw. See `trapOnFailure`.
func makeHandleOrTrap(_ make: HandleMaker) -> OpaquePointer {
  var pointer: OpaquePointer?
  trapOnFailure { make(&pointer, $0) }
  return present(pointer)
}

private func present(_ pointer: OpaquePointer?) -> OpaquePointer {
  guard let pointer else { fatalError("a C function succeeded, but returned no handle") }
  return pointer
}
