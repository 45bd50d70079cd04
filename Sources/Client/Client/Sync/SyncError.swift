// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel

/// One write that the server reverted.
package struct CompensatingWrite: Sendable, Equatable {
  package let className: String
  package let primaryKey: PrimaryKey
  /// The server's words.
  package let reason: String
}

/// An error of a sync session, as the app's error handler gets it.
package struct SyncError: Sendable, Equatable {
  package let status: flx_status_t
  /// The code of the sync protocol, or 0.
  package var protocolCode: Int32 = 0
  /// The session ended and does not come back by itself.
  package let isFatal: Bool
  package let message: String
  /// Where the server keeps its log, or empty.
  var serverLogURL = ""
  package var compensatingWrites: [CompensatingWrite] = []
  /// Where the file is backed up before it is deleted, for a client reset that is left to the app; or empty.
  package var recoveryPath = ""

  /// Whether it is about a client reset that is left to the app.
  var isClientReset: Bool { status == .FLX_STATUS_CLIENT_RESET || status == .FLX_STATUS_CLIENT_RESET_FAILED }
}
