// SPDX-License-Identifier: Apache-2.0

import CFlexSync

/// An error as it leaves through the C interface: a status of the public table, a finer code and words for a person.
struct CoreError: Error {
  let status: flx_status_t
  /// SQLite's extended code for files, HTTP's for apps, the sync protocol's for sessions; else 0.
  let code: Int32
  /// What happened, on what, and what to do.
  let message: String

  init(_ status: flx_status_t, _ message: String, code: Int32 = 0) {
    self.status = status
    self.code = code
    self.message = message
  }
}

extension CoreError {
  static func invalidArgument(_ message: String) -> CoreError {
    CoreError(.FLX_STATUS_INVALID_ARGUMENT, message)
  }

  static func unsupported(_ message: String) -> CoreError {
    CoreError(.FLX_STATUS_UNSUPPORTED, message)
  }

  static func indexOutOfBounds(_ index: Int, count: Int) -> CoreError {
    CoreError(
      .FLX_STATUS_INDEX_OUT_OF_BOUNDS,
      "Index \(index) is out of bounds (must be less than \(count))."
    )
  }
}

extension CoreError: CustomStringConvertible {
  var description: String { message }
}
