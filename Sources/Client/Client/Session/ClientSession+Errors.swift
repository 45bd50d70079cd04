// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// Errors from the server that concern the session (protocol §3.5).
extension ClientSession {
  /// The delay in milliseconds after code 200, "please bind again", unless the server sends parameters.
  private static let sessionClosedDelay: UInt64 = 1000

  mutating func receive(_ message: ErrorMessage) throws(ProtocolError) {
    guard link != .disconnected, link != .unbound else { throw unexpected("JSON_ERROR") }
    guard message.code.fits(session: session) else {
      throw ProtocolError(.badSyntax, "JSON_ERROR \(message.code) cannot apply to a session")
    }
    guard message.code.endsSession else { return receiveNotice(message) }
    // The server has already discarded the session and would not answer UNBIND.
    unbind()
    link = .unbound
    act(on: message)
  }

  /// Handles an error that leaves the session running.
  private mutating func receiveNotice(_ message: ErrorMessage) {
    guard message.code == .compensatingWrite else { return report(message, isFatal: false) }
    // A download that was not integrated is sent again with its error in the next binding.
    guard link == .active else { return }
    if message.isReverted(at: progress) {
      report(message, isFatal: false)
    } else {
      binding.heldErrors.append(message)
    }
  }

  private mutating func act(on message: ErrorMessage) {
    let info = message.info
    switch info.action {
    case .transient: wait(after: message)
    case .warning:
      report(message, isFatal: !info.tryAgain)
      wait(after: message)
    case .clientReset, .clientResetNoRecovery:
      deactivate()
      let isRecoveryAllowed = info.action == .clientReset && !info.isRecoveryModeDisabled
      effects.append(
        .resetClient(
          ClientResetDemand(code: message.code, message: info.message, isRecoveryAllowed: isRecoveryAllowed)
        )
      )
    case .logOutUser:
      deactivate()
      report(message, isFatal: true)
      effects.append(.logOutUser)
    // The session binds again on the next connection.
    case .refreshUser: effects.append(.refreshUser)
    case .refreshLocation: effects.append(.refreshLocation)
    case .applicationBug, .protocolViolation, .deleteRealm, .migrateToFlexibleSync, .revertToPartitionSync,
      .migrateSchema:
      deactivate()
      report(message, isFatal: true)
    }
  }

  /// Suspends the session until its delay has passed, or until the app resumes it if the server does not allow a
  /// retry.
  private mutating func wait(after message: ErrorMessage) {
    guard activity == .running else { return }
    guard message.info.tryAgain else { return deactivate() }
    hasCaughtUp = false
    activity = .waiting
    let delay: UInt64
    if message.code == .sessionClosed && message.info.backoff == nil {
      delay = Self.sessionClosedDelay
    } else {
      delay = resumptionDelay.nextDelay(
        after: message.code,
        parameters: message.info.backoff,
        random: &random
      )
    }
    effects.append(.startTimer(milliseconds: delay))
  }

  mutating func report(_ message: ErrorMessage, isFatal: Bool, revertVersion: ClientVersion? = nil) {
    effects.append(
      .report(SyncErrorReport(message.code, message.info, isFatal: isFatal, revertVersion: revertVersion))
    )
  }
}

extension ErrorMessage {
  /// Whether the download cursor has passed the version in which the server reverted the rejected writes.
  func isReverted(at progress: SyncProgress) -> Bool {
    (info.compensatingWriteServerVersion ?? 0) <= progress.download.serverVersion
  }
}
