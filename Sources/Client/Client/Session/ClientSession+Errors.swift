// SPDX-License-Identifier: Apache-2.0

import FlexSyncWire

/// Errors from the server that concern the session (protocol §3.5).
extension ClientSession {
  /// The delay in milliseconds after code 200, "please bind again", unless the server sends parameters.
  private static let sessionClosedDelay: UInt64 = 1000

  mutating func receive(_ message: ErrorMessage, _ effects: inout [Effect]) throws(ProtocolError) {
    guard link != .disconnected, link != .unbound else { throw unexpected("JSON_ERROR") }
    guard message.code.fits(session: session) else {
      throw ProtocolError(.badSyntax, "JSON_ERROR \(message.code) cannot apply to a session")
    }
    guard message.code.endsSession else { return receiveNotice(message, &effects) }
    // The server has already discarded the session and would not answer UNBIND.
    unbind(&effects)
    link = .unbound
    act(on: message, &effects)
  }

  /// Handles an error that leaves the session running.
  private mutating func receiveNotice(_ message: ErrorMessage, _ effects: inout [Effect]) {
    guard message.code == .compensatingWrite else { return report(message, isFatal: false, &effects) }
    // A download that was not integrated is sent again with its error in the next binding.
    guard link == .active else { return }
    let version = message.info.compensatingWriteServerVersion ?? 0
    if version > progress.download.serverVersion {
      binding.heldErrors.append(message)
    } else {
      report(message, isFatal: false, &effects)
    }
  }

  private mutating func act(on message: ErrorMessage, _ effects: inout [Effect]) {
    let info = message.info
    switch info.action {
    case .transient: wait(after: message, &effects)
    case .warning:
      report(message, isFatal: !info.tryAgain, &effects)
      wait(after: message, &effects)
    case .clientReset, .clientResetNoRecovery:
      deactivate(&effects)
      let isRecoveryAllowed = info.action == .clientReset && !info.isRecoveryModeDisabled
      effects.append(
        .resetClient(
          ClientResetDemand(code: message.code, message: info.message, isRecoveryAllowed: isRecoveryAllowed)
        )
      )
    case .logOutUser:
      deactivate(&effects)
      report(message, isFatal: true, &effects)
      effects.append(.logOutUser)
    // The session binds again on the next connection.
    case .refreshUser: effects.append(.refreshUser)
    case .refreshLocation: effects.append(.refreshLocation)
    case .applicationBug, .protocolViolation, .deleteRealm, .migrateToFlexibleSync, .revertToPartitionSync,
      .migrateSchema:
      deactivate(&effects)
      report(message, isFatal: true, &effects)
    }
  }

  /// Suspends the session until its delay has passed, or until the app resumes it if the server does not allow a
  /// retry.
  private mutating func wait(after message: ErrorMessage, _ effects: inout [Effect]) {
    guard activity == .running else { return }
    guard message.info.tryAgain else { return deactivate(&effects) }
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

  private func report(_ message: ErrorMessage, isFatal: Bool, _ effects: inout [Effect]) {
    effects.append(
      .report(
        SyncErrorReport(
          origin: .server,
          code: message.code,
          message: message.info.message,
          isFatal: isFatal,
          info: message.info
        )
      )
    )
  }
}
