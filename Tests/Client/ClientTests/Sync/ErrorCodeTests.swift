// SPDX-License-Identifier: Apache-2.0

import CFlexSync
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
      (100...101, .transient, .FLX_STATUS_SESSION_FAILED),
      (102...112, .protocolViolation, .FLX_STATUS_PROTOCOL_ERROR),
      (113...114, .applicationBug, .FLX_STATUS_SESSION_FAILED),
      (201...201, .applicationBug, .FLX_STATUS_SESSION_FAILED),
      (201...201, .warning, .FLX_STATUS_SERVER_WARNING),
      (202...207, .applicationBug, .FLX_STATUS_SESSION_FAILED),
      (208...211, .clientReset, .FLX_STATUS_CLIENT_RESET),
      (208...211, .clientResetNoRecovery, .FLX_STATUS_CLIENT_RESET),
      (212...216, .applicationBug, .FLX_STATUS_SESSION_FAILED),
      (217...217, .clientReset, .FLX_STATUS_CLIENT_RESET),
      (218...221, .applicationBug, .FLX_STATUS_SESSION_FAILED),
      (222...223, .clientReset, .FLX_STATUS_CLIENT_RESET),
      (223...223, .logOutUser, .FLX_STATUS_INVALID_SESSION),
      (224...227, .applicationBug, .FLX_STATUS_SESSION_FAILED),
      (228...228, .clientReset, .FLX_STATUS_CLIENT_RESET),
      (229...229, .transient, .FLX_STATUS_SESSION_FAILED), (230...231, .warning, .FLX_STATUS_WRITE_REJECTED),
      (232...232, .migrateToFlexibleSync, .FLX_STATUS_SESSION_FAILED),
      (233...233, .protocolViolation, .FLX_STATUS_PROTOCOL_ERROR),
      (234...234, .revertToPartitionSync, .FLX_STATUS_SESSION_FAILED),
      (235...235, .applicationBug, .FLX_STATUS_SESSION_FAILED),
      (236...236, .migrateSchema, .FLX_STATUS_SESSION_FAILED),
    ] as [(ClosedRange<Int>, ErrorAction, flx_status_t)]
  )
  func everyCodeHasAStatusAndKeepsItsNumber(
    codes: ClosedRange<Int>,
    action: ErrorAction,
    status: flx_status_t
  ) {
    for code in codes {
      let error = error(code, action, isFatal: true)
      #expect(error.status == status, "\(code)")
      #expect(error.protocolCode == code)
      #expect(error.message == "text")
    }
  }

  @Test func whatDoesNotEndTheSessionIsAWarning() {
    #expect(error(201, .warning, isFatal: false).status == .FLX_STATUS_SERVER_WARNING)
    #expect(error(236, .migrateSchema, isFatal: false).status == .FLX_STATUS_SERVER_WARNING)
    #expect(error(299, .applicationBug, isFatal: true).status == .FLX_STATUS_SESSION_FAILED)
  }
}
