// SPDX-License-Identifier: Apache-2.0

import FlexSyncModel
import FlexSyncWire

// Client resets: a separate session downloads a fresh copy, which then replaces the file (protocol §9.3). The file
// records that a reset is due; if the reset is interrupted, it starts over.

/// A client reset whose fresh copy is being downloaded.
struct ResetUnderWay {
  let fresh: SessionFile
  /// The set in force in the file.
  let wanted: StoredSubscriptionSet?
  let download: FreshCopyDownload
  let record: ClientResetRecord
}

extension SessionDriver {
  /// The file that the current session syncs.
  var syncedFile: SessionFile { reset?.fresh ?? file }

  // MARK: - Beginning

  /// Handles the server's demand for a reset.
  func demanded(_ demand: ClientResetDemand) throws {
    if let reset {
      return try failReset(
        reset.record,
        "the server demands a client reset of the fresh copy, too: \(demand.message)"
      )
    }
    let previous = try file.access { try $0.clientReset() }
    let record = ClientResetRecord(
      stage: .demanded,
      kind: demand.isRecoveryAllowed ? .recover : .discard,
      code: Int64(demand.code.rawValue),
      text: demand.message
    )
    try decide(record, previous: previous?.stage == .performed ? previous?.kind : nil)
  }

  /// Resumes a reset recorded in the file.
  /// - Returns: whether there is one that has not been performed yet.
  func resume(_ record: ClientResetRecord) throws -> Bool {
    switch record.stage {
    case .performed: return false
    case .demanded: try decide(record, previous: nil)
    case .manual:
      fail(
        SyncError(
          record,
          .clientReset,
          "The file does not sync until it is opened again and reset."
        )
      )
    }
    return true
  }

  private func decide(_ record: ClientResetRecord, previous: ClientResetKind?) throws {
    let decision = ClientResetDecision(
      mode: host.clientResetMode,
      isRecoveryAllowed: record.kind == .recover,
      previous: previous.map(LocalChangesFate.init)
    )
    switch decision {
    case .manual: try leaveToApp(record, .clientReset, record.text)
    case .fail(let reason): try failReset(record, reason)
    case .perform(let fate):
      var record = record
      record.kind = ClientResetKind(fate)
      try file.access { try $0.setClientReset(record) }
      try downloadFreshCopy(record)
    }
  }

  private func downloadFreshCopy(_ record: ClientResetRecord) throws {
    let wanted = try file.access { try $0.activeSubscriptionSet() }
    let reset = ResetUnderWay(
      fresh: try file.makeFreshCopy(),
      wanted: wanted,
      download: FreshCopyDownload(wanted: QueryVersion(clamping: wanted?.version ?? 0)),
      record: record
    )
    let state = try reset.fresh.access { try $0.sessionState() }
    let former = session
    self.reset = reset
    let configuration = nextSession(reason: .clientReset, isDownloadOnly: true)
    if machine == nil { machine = makeConnection() }
    if former != 0 { drive(.removeSession(former)) }
    drive(.addSession(configuration, state))
  }

  // MARK: - The fresh copy

  /// Called when a subscription set of the fresh copy has reached another state.
  func freshSetChanged(_ version: QueryVersion, _ state: SubscriptionSetState, _ message: String?) throws {
    guard let reset, let step = reset.download.step(after: version, state, message: message) else { return }
    switch step {
    case .commitWantedSet:
      guard let wanted = reset.wanted else { return }
      try reset.fresh.access { try $0.adoptSubscriptionSet(wanted) }
      let pending = try reset.fresh.access { try $0.sessionState().pendingSets }
      for set in pending { handle(.subscriptionSetCommitted(set)) }
    case .endSession: drive(.removeSession(session))
    case .fail(let reason): try failReset(reset.record, reason)
    }
  }

  /// Called when the session of the fresh copy has ended; replaces the file and continues with it.
  func freshSessionEnded() throws {
    guard let reset else { return }
    try host.clientResetBegins()
    do {
      let fate = try takeFreshCopy(reset.record)
      try file.deleteFreshCopy()
      self.reset = nil
      reportedRevert = 0
      try host.clientResetEnded(fate)
      subscriptionSetsChanged()
      // The app may have closed the realm in the callback.
      guard machine != nil, !file.isClosed else { return }
      try addSession(reason: .clientReset, isAfterReset: true)
    } catch let error as ClientResetError {
      try host.clientResetEnded(nil)
      try failReset(reset.record, error.description)
    } catch {
      try host.clientResetEnded(nil)
      throw error
    }
  }

  /// - Throws: `ClientResetError` if no option that the app allows is left.
  private func takeFreshCopy(_ record: ClientResetRecord) throws -> LocalChangesFate {
    var record = record
    record.stage = .performed
    do {
      try file.takeFreshCopy(record)
    } catch let error as ClientResetError {
      guard record.kind == .recover, host.clientResetMode == .recoverOrDiscard else { throw error }
      Log.write(.warn, "sync of '\(host.name)': discarding unsynced changes, because \(error)")
      record.kind = .discard
      try file.takeFreshCopy(record)
    }
    return LocalChangesFate(record.kind)
  }

  // MARK: - The end

  /// Waits until the server has answered a download and an upload of the file. Until then, another reset would only
  /// repeat the last one.
  func awaitAcceptance(of version: ClientVersion) {
    nextWaitToken += 2
    resetWaits = [nextWaitToken, nextWaitToken - 1]
    handle(.downloadCompletionRequested(nextWaitToken))
    handle(.uploadCompletionRequested(nextWaitToken - 1, through: version))
  }

  private func failReset(_ record: ClientResetRecord, _ reason: String) throws {
    if reset != nil { try file.deleteFreshCopy() }
    try leaveToApp(record, .clientResetFailed, "The client reset failed: \(reason.clause).")
  }

  /// Ends the session. The file is backed up and deleted before it is opened again, or when the app requests it.
  private func leaveToApp(_ record: ClientResetRecord, _ status: Status, _ message: String) throws {
    let record = try file.access { file in
      var manual = record
      manual.stage = .manual
      manual.text = file.recoveryPath(number: host.makeSeed())
      try file.setClientReset(manual)
      return manual
    }
    fail(SyncError(record, status, message))
  }
}

extension RealmFile {
  /// Returns a path for the backup of the file.
  fileprivate func recoveryPath(number: UInt64) -> String {
    let path = database.path
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    return "\(folder)recovered-realms/recovered_realm-\(String(number, radix: 16))"
  }
}

extension SyncError {
  fileprivate init(_ record: ClientResetRecord, _ status: Status, _ message: String) {
    self.init(
      status: status,
      protocolCode: Int32(clamping: record.code),
      isFatal: true,
      message: message,
      recoveryPath: record.text
    )
  }
}

extension LocalChangesFate {
  init(_ kind: ClientResetKind) { self = kind == .discard ? .discarded : .recovered }
}

extension ClientResetKind {
  init(_ fate: LocalChangesFate) { self = fate == .discarded ? .discard : .recover }
}
