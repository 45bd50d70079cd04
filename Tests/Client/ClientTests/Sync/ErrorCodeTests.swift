// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire
import Testing

@testable import FlexSyncCore

/// What an app is told of each error of the protocol (protocol §3.5).
@Suite struct ErrorCodeTests {
  private func error(_ code: Int, _ action: ErrorAction, isFatal: Bool) -> SyncError {
    let info = ErrorInfo(message: "text", action: action, tryAgain: !isFatal)
    let report = SyncErrorReport(
      origin: .server,
      code: ErrorCode(rawValue: code),
      message: info.message,
      isFatal: isFatal,
      info: info
    )
    return SyncError(report, connectFailure: nil)
  }

  /// The codes with the actions that servers send them with.
  @Test(
    arguments: [
      (100...101, .transient, .sessionFailed),
      (102...112, .protocolViolation, .protocolError),
      (113...114, .applicationBug, .sessionFailed),
      (201...201, .applicationBug, .sessionFailed),
      (201...201, .warning, .serverWarning),
      (202...207, .applicationBug, .sessionFailed),
      (208...211, .clientReset, .clientReset),
      (208...211, .clientResetNoRecovery, .clientReset),
      (212...216, .applicationBug, .sessionFailed),
      (217...217, .clientReset, .clientReset),
      (218...221, .applicationBug, .sessionFailed),
      (222...223, .clientReset, .clientReset),
      (223...223, .logOutUser, .invalidSession),
      (224...227, .applicationBug, .sessionFailed),
      (228...228, .clientReset, .clientReset),
      (229...229, .transient, .sessionFailed), (230...231, .warning, .writeRejected),
      (232...232, .migrateToFlexibleSync, .sessionFailed),
      (233...233, .protocolViolation, .protocolError),
      (234...234, .revertToPartitionSync, .sessionFailed),
      (235...235, .applicationBug, .sessionFailed),
      (236...236, .migrateSchema, .sessionFailed),
    ] as [(ClosedRange<Int>, ErrorAction, Status)]
  )
  func everyCodeHasAStatusAndKeepsItsNumber(
    codes: ClosedRange<Int>,
    action: ErrorAction,
    status: Status
  ) {
    for code in codes {
      let error = error(code, action, isFatal: true)
      #expect(error.status == status, "\(code)")
      #expect(error.protocolCode == code)
      #expect(error.message == "text")
    }
  }

  @Test func whatDoesNotEndTheSessionIsAWarning() {
    #expect(error(201, .warning, isFatal: false).status == .serverWarning)
    #expect(error(236, .migrateSchema, isFatal: false).status == .serverWarning)
    #expect(error(299, .applicationBug, isFatal: true).status == .sessionFailed)
  }
}
