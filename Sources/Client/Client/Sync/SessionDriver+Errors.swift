// SPDX-License-Identifier: Apache-2.0

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
    retryFileLater(after: error.status)
  }

  /// Handles an error that the protocol's state machines detected or received.
  func received(_ report: SyncErrorReport) throws {
    let error = SyncError(report, connectFailure: connectFailure)
    if let line = report.logLine(connection: connectionNumber, session: session) {
      Log.write(.info, line)
    }
    if report.isFatal { return fail(report.isAboutSize ? namingTransaction(error) : error) }
    if report.code == .writeNotAllowed, let info = report.info, !info.rejectedUpdates.isEmpty {
      return try keep(ServerRejection(info, code: report.code))
    }
    guard let version = report.info?.compensatingWriteServerVersion else { return reportOnce(error) }
    guard version > reportedRevert else { return }
    reportedRevert = version
    self.report(error)
  }

  /// Says which transaction the server refuses, since the server does not, and that the program cannot go on by itself:
  /// what is committed cannot be split any more.
  private func namingTransaction(_ error: SyncError) -> SyncError {
    guard let largest = try? file.access({ try $0.largestPendingTransaction() }) else { return error }
    var error = error
    error.message = """
      \(error.message.clause). The largest transaction that waits to be uploaded has \(largest). It stays on this \
      device, and so does all that was committed later, until the operator raises the server's limit and the session is \
      resumed, or the program moves its changes to a new file
      """
    return error
  }

  /// Ends the session with a fatal error.
  func fail(_ error: SyncError) {
    let error = error.naming(file.path, canLogInAgain: host.canLogInAgain)
    // The app must find the session inactive when the error is reported.
    enter(.failed(error))
    report(error)
    end(.failed(error), CoreError(.sessionFailed, error.message, code: error.protocolCode))
  }

  func report(_ error: SyncError) {
    lastReported = error
    errorObservers.notify { _ in (error, false) }
    host.report(error)
  }

  /// Reports an error unless it equals the last one, because attempts to connect are many.
  private func reportOnce(_ error: SyncError) {
    failureObservers.notify { _ in (error, false) }
    if let lastReported, error.repeats(lastReported) { return }
    report(error)
  }
}

extension SyncErrorReport {
  /// Whether a server of FlexSync refuses a transaction that exceeds its limits. The code alone does not say so: a
  /// changeset can be bad for other reasons.
  fileprivate var isAboutSize: Bool {
    guard origin == .server else { return false }
    return code == .badChangesetSize || code == .badChangeset && message.contains("transaction has ")
  }

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
    case .connectionFailed, .tlsFailed, .timedOut:
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

  private static func status(_ report: SyncErrorReport, _ connectFailure: CoreError?) -> Status {
    switch report.origin {
    case .client, .protocolViolation: .protocolError
    case .connection: connectFailure?.status ?? .connectionFailed
    case .server: status(of: report)
    }
  }

  private static func status(of report: SyncErrorReport) -> Status {
    if report.code == .compensatingWrite || report.code == .writeNotAllowed {
      return .writeRejected
    }
    return switch report.info?.action {
    case .clientReset, .clientResetNoRecovery: .clientReset
    case .logOutUser: .invalidSession
    case .protocolViolation: .protocolError
    // Even if the server does not want a retry, as for an app whose sync is disabled.
    case .warning: .serverWarning
    default: report.isFatal ? .sessionFailed : .serverWarning
    }
  }
}
