// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncModel

/// One write that the server reverted.
struct CompensatingWrite: Sendable, Equatable {
  let className: String
  let primaryKey: PrimaryKey
  /// The server's words.
  let reason: String
}

/// An error of a sync session, as the app's error handler gets it.
struct SyncError: Sendable, Equatable {
  let status: flx_status_t
  /// The code of the sync protocol, or 0.
  var protocolCode: Int32 = 0
  /// The session ended and does not come back by itself.
  let isFatal: Bool
  let message: String
  /// Where the server keeps its log, or empty.
  var serverLogURL = ""
  var compensatingWrites: [CompensatingWrite] = []
}
