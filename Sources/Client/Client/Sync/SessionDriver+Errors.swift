// SPDX-License-Identifier: Apache-2.0

import CFlexSync
import FlexSyncWire

// Reporting errors to the app.

extension SessionDriver {
  /// Runs `body`, which accesses the file. If that fails, the connection is dropped, and the state stored in the
  /// file is read again before the next one.
  func attempt(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      fileFailed(CoreError(mapping: error))
    }
  }

  private func fileFailed(_ error: CoreError) {
    guard !file.isClosed else { return stop() }
    reportOnce(SyncError(status: error.status, isFatal: false, message: error.message))
    retryFileLater()
  }

  /// Handles an error that the protocol's state machines detected or received.
  func received(_ report: SyncErrorReport) throws {
    let error = SyncError(report, connectFailure: connectFailure)
    if let line = report.logLine(connection: connectionNumber, session: session) {
      Log.write(.FLX_LOG_INFO, line)
    }
    if report.isFatal { return fail(error) }
    if report.code == .writeNotAllowed, let info = report.info, !info.rejectedUpdates.isEmpty {
      return try keep(ServerRejection(info, code: report.code))
    }
    guard let version = report.info?.compensatingWriteServerVersion else { return reportOnce(error) }
    guard version > reportedRevert else { return }
    reportedRevert = version
    self.report(error)
  }

  /// Ends the session with a fatal error.
  func fail(_ error: SyncError) {
    // The app must find the session inactive when the error is reported.
    enter(.failed(error))
    report(error)
    end(.failed(error), CoreError(.FLX_STATUS_SESSION_FAILED, error.message, code: error.protocolCode))
  }

  func report(_ error: SyncError) {
    lastReported = error
    host.report(error)
  }

  /// Reports an error unless it equals the last one, because attempts to connect are many.
  private func reportOnce(_ error: SyncError) {
    if let lastReported, error.repeats(lastReported) { return }
    report(error)
  }
}

extension SyncErrorReport {
  /// Returns an error from the server in the wording of Realm's clients; nil for other errors.
  func logLine(connection: Int, session: SessionIdent) -> String? {
    info.map {
      "Sync: Connection[\(connection)]: Session[\(session)]: Received: ERROR \"\($0.message)\" "
        + "(error_code=\(code.rawValue), try_again=\($0.tryAgain), error_action=\($0.action.rawValue))"
    }
  }
}

extension SyncError {
  /// Whether the error repeats one that was already reported. Failures to connect are compared by status only.
  fileprivate func repeats(_ earlier: SyncError) -> Bool {
    switch status {
    case .FLX_STATUS_CONNECTION_FAILED, .FLX_STATUS_TLS_FAILED, .FLX_STATUS_TIMED_OUT:
      status == earlier.status
    default: self == earlier
    }
  }

  /// - Parameter connectFailure: why connecting failed, if the report is about that.
  init(_ report: SyncErrorReport, connectFailure: CoreError?) {
    self.init(
      status: Self.status(report, connectFailure),
      protocolCode: report.origin == .connection ? 0 : Int32(clamping: report.code.rawValue),
      isFatal: report.isFatal,
      message: report.message,
      serverLogURL: report.info?.logURL ?? "",
      compensatingWrites: report.info?.rejectedUpdates.map {
        CompensatingWrite(className: $0.className, primaryKey: $0.key, reason: $0.text)
      } ?? []
    )
  }

  private static func status(_ report: SyncErrorReport, _ connectFailure: CoreError?) -> flx_status_t {
    switch report.origin {
    case .client, .protocolViolation: .FLX_STATUS_PROTOCOL_ERROR
    case .connection: connectFailure?.status ?? .FLX_STATUS_CONNECTION_FAILED
    case .server: status(of: report)
    }
  }

  private static func status(of report: SyncErrorReport) -> flx_status_t {
    if report.code == .compensatingWrite || report.code == .writeNotAllowed {
      return .FLX_STATUS_WRITE_REJECTED
    }
    return switch report.info?.action {
    case .clientReset, .clientResetNoRecovery: .FLX_STATUS_CLIENT_RESET
    case .logOutUser: .FLX_STATUS_INVALID_SESSION
    case .protocolViolation: .FLX_STATUS_PROTOCOL_ERROR
    // Even if the server does not want a retry, as for an app whose sync is disabled.
    case .warning: .FLX_STATUS_SERVER_WARNING
    default: report.isFatal ? .FLX_STATUS_SESSION_FAILED : .FLX_STATUS_SERVER_WARNING
    }
  }
}
