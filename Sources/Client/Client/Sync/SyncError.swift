// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel

/// One write that the server reverted.
package struct CompensatingWrite: Sendable, Equatable {
  package let className: String
  package let primaryKey: PrimaryKey
  /// The server's reason.
  package let reason: String
}

/// An error of a sync session, as passed to the app's error handler.
package struct SyncError: Sendable, Equatable {
  package let status: Status
  /// The code of the sync protocol, or 0.
  package var protocolCode: Int32 = 0
  /// Whether the session has ended and does not resume by itself.
  package let isFatal: Bool
  package var message: String
  /// The address of the server's log; may be empty.
  var serverLogURL = ""
  package var compensatingWrites: [CompensatingWrite] = []
  /// For a client reset that is left to the app: the path to which the file is backed up before it is deleted. For a
  /// login that the server has refused: the path of the file, which stays. Otherwise empty.
  package var recoveryPath = ""

  /// Whether the error is about a client reset that is left to the app.
  var isClientReset: Bool { status == .clientReset || status == .clientResetFailed }

  /// Says where the file is, if the error ends the login whose file it is.
  ///
  /// - Parameter canLogInAgain: whether the same user can continue with it.
  func naming(_ file: String, canLogInAgain: Bool) -> SyncError {
    guard status == .invalidSession else { return self }
    let path = "'\(file)'"
    let advice =
      canLogInAgain
      ? "What this device has not uploaded stays in \(path) until the user has logged in again."
      : "An anonymous user cannot do that; what this device has not uploaded stays in \(path), which can be opened "
        + "without a user for reading."
    var error = self
    error.message = "\(message.clause). \(advice)"
    error.recoveryPath = file
    return error
  }
}
