// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncChangeset
import FlexSyncWire

// Writes that the server has rejected: the file keeps them when they are taken back, and the app is told afterwards
// (protocol §8.1, §8.4).

extension SessionDriver {
  /// Tells the app of what the file has kept.
  ///
  /// - Parameter rejections: with which the file has been changed.
  func tellRejectedWrites(of rejections: [ServerRejection] = []) throws {
    guard reset == nil else { return }
    for rejection in rejections where !rejection.objects.isEmpty {
      reportedRevert = max(reportedRevert, rejection.serverVersion)
    }
    for rejection in try file.access({ try $0.untoldRejections() }) {
      // Before, because the app may close the realm when it is told.
      try file.access { try $0.noteTold(rejection) }
      report(SyncError(rejection))
    }
  }

  /// Keeps what was rejected without being taken back.
  func keep(_ rejection: ServerRejection) throws {
    try syncedFile.access { try $0.keep(rejection) }
    try tellRejectedWrites()
  }
}

extension ServerRejection {
  init(_ info: ErrorInfo, code: ErrorCode) {
    self.init(
      error: RejectionError(code: Int64(code.rawValue), message: info.message, logURL: info.logURL),
      clientVersion: info.rejectedClientVersion ?? 0,
      serverVersion: info.compensatingWriteServerVersion ?? 0,
      objects: info.rejectedUpdates.map {
        Object(ObjectReference(table: $0.className, key: $0.key), reason: $0.text)
      }
    )
  }
}

extension SyncError {
  fileprivate init(_ rejection: UntoldRejection) {
    self.init(
      status: .FLX_STATUS_WRITE_REJECTED,
      protocolCode: Int32(clamping: rejection.error.code),
      isFatal: false,
      message: rejection.error.message,
      serverLogURL: rejection.error.logURL,
      compensatingWrites: rejection.writes.map {
        CompensatingWrite(
          className: $0.object.table,
          primaryKey: $0.object.key,
          reason: $0.reason
        )
      }
    )
  }
}
