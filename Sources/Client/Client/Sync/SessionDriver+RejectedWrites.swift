// SPDX-License-Identifier: Apache-2.0

import FlexSyncChangeset
import FlexSyncWire

// Rejected writes: the file keeps them when they are reverted, and they are reported to the app afterwards
// (protocol §8.1, §8.4).

extension SessionDriver {
  /// Reports the rejected writes that the file has kept to the app.
  ///
  /// - Parameter rejections: the rejections that have just been applied to the file.
  func tellRejectedWrites(of rejections: [ServerRejection] = []) throws {
    guard reset == nil else { return }
    for rejection in rejections where !rejection.objects.isEmpty {
      reportedRevert = max(reportedRevert, rejection.serverVersion)
    }
    for rejection in try file.access({ try $0.untoldRejections() }) {
      // Mark them first, because the app may close the realm in the callback.
      try file.access { try $0.noteTold(rejection) }
      report(SyncError(rejection))
    }
  }

  /// Keeps writes that were rejected without being reverted.
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
        Object(object: ObjectReference(table: $0.className, key: $0.key), reason: $0.text)
      }
    )
  }
}

extension SyncError {
  fileprivate init(_ rejection: UntoldRejection) {
    self.init(
      status: .writeRejected,
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
