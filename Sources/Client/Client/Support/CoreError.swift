// SPDX-License-Identifier: Apache-2.0

/// The failure of an operation of the core: the Swift form of `flx_error_t`.
package struct CoreError: Error, Equatable, CustomStringConvertible {
  /// The status code by which programs distinguish errors.
  package let status: Status
  /// A more specific code if there is one: SQLite's for files, HTTP for apps, the sync protocol's for sessions;
  /// otherwise 0.
  let code: Int32
  /// The problem, its subject, and the remedy.
  package let message: String
  /// The server's name for the error, such as "AuthProviderNotFound"; may be empty.
  var serverCode = ""
  /// The address of the server's log of the failed request; may be empty.
  var serverLogURL = ""

  package init(_ status: Status, _ message: String, code: Int32 = 0) {
    self.status = status
    self.code = code
    self.message = message
  }

  package var description: String { message }
}
