// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// Why an operation of the core failed: what `flx_error_t` says, as a Swift error.
package struct CoreError: Error, Equatable, CustomStringConvertible {
  /// The status code that programs tell apart.
  package let status: flx_status_t
  /// A finer code if there is one: of SQLite for files, HTTP for apps, the sync protocol for sessions; else 0.
  let code: Int32
  /// What happened, on what, and what to do.
  package let message: String
  /// The server's name of the error, such as "AuthProviderNotFound"; or empty.
  var serverCode = ""
  /// Where the server keeps its log of the failed request; or empty.
  var serverLogURL = ""

  package init(_ status: flx_status_t, _ message: String, code: Int32 = 0) {
    self.status = status
    self.code = code
    self.message = message
  }

  package var description: String { message }
}
