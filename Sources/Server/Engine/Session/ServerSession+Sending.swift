// SPDX-License-Identifier: Apache-2.0

import FlexSyncServerSupport
import FlexSyncWire

/// Processing of the host's events, and sending.
extension ServerSession {
  mutating func allocated(_ file: SaltedFileIdent) {
    guard state == .identWanted else { return }
    guard file.ident != 0, file.salt != 0 else {
      return failHost("allocated a file ident or salt of 0")
    }
    state = .bound(file)
    effects.append(.send(.ident(session: session, file: file)))
  }

  /// Resumes the session and returns the messages that had to wait.
  mutating func identified(_ resume: ResumeState) -> [ClientMessage] {
    guard state == .identifying else { return [] }
    state = .active
    integrated = resume.upload
    sent.latest = resume.latest
    askToCatchUp()
    defer { inbox = [] }
    return inbox
  }

  mutating func uploadIntegrated(_ cursor: UploadCursor) {
    guard state == .active else { return }
    let done = outstandingUploads.prefix { $0.clientVersion <= cursor.clientVersion }
    let complete = max(integrated.clientVersion, done.last?.clientVersion ?? 0)
    integrated.clientVersion = max(integrated.clientVersion, cursor.clientVersion)
    integrated.serverVersion = max(integrated.serverVersion, cursor.serverVersion)
    outstandingUploads.removeFirst(done.count)
    // The next upload may be integrated in part, before the error about the rest of it.
    let isInsideNext = outstandingUploads.first?.hasEntries == true && cursor.clientVersion > complete
    if isInsideNext || done.contains(where: \.hasEntries) { owesUploadAcknowledgement = true }
    settle()
  }

  mutating func queryFailed(_ version: QueryVersion, _ code: ErrorCode, _ message: String) {
    // A set that a newer bootstrap has superseded no longer exists on the client. Naming it would abort Realm's
    // client (protocol §4.5).
    guard state == .active, let index = outstandingQueries.firstIndex(of: version) else { return }
    outstandingQueries.remove(at: index)
    if bootstrap?.version == version { bootstrap = nil }
    effects.append(.send(queryError(version, code, message)))
    settle()
  }

  mutating func deliver(_ batch: DownloadBatch) {
    guard state == .active else { return }
    if let reason = violation(of: batch) { return failHost(reason) }
    send(batch)
    switch batch.batchState {
    case .steady: break
    case .more:
      let hadEntries = bootstrap?.version == batch.queryVersion && bootstrap?.hasEntries == true
      bootstrap = (version: batch.queryVersion, hasEntries: hadEntries || !batch.entries.isEmpty)
    case .last:
      bootstrap = nil
      currentQuery = batch.queryVersion
      outstandingQueries.removeAll { $0 <= batch.queryVersion }
    }
    settle()
  }

  mutating func caughtUp(_ download: DownloadCursor, _ latest: LatestServerVersion) {
    guard state == .active, catchUp != .none else { return }
    let mustAskAgain = catchUp == .askedWithMoreToCome
    catchUp = .none
    let coveredCount = marks.prefix { $0.isCovered }.count
    if bootstrap == nil, owesUploadAcknowledgement || !hasSentDownload {
      let end = DownloadBatch(
        download: download,
        latest: latest,
        queryVersion: currentQuery,
        batchState: .steady,
        entries: []
      )
      if let reason = violation(of: end) { return failHost(reason) }
      send(end)
    }
    for mark in marks.prefix(coveredCount) {
      effects.append(.send(.mark(session: session, request: mark.request)))
    }
    marks.removeFirst(coveredCount)
    if mustAskAgain { askToCatchUp() } else { settle() }
  }

  mutating func compensatingWrite(_ info: ErrorInfo) {
    guard state == .active else { return }
    guard info.compensatingWriteServerVersion != nil, info.rejectedClientVersion != nil else {
      return failHost("a compensating write without its versions")
    }
    effects.append(.send(.error(ErrorMessage(code: .compensatingWrite, session: session, info: info))))
  }

  /// Ends the session with an error. Has no effect if an error was already sent.
  mutating func fail(_ code: ErrorCode, _ info: ErrorInfo) {
    guard state != .errored else { return }
    state = .errored
    inbox = []
    marks = []
    outstandingUploads = []
    // It can quote the client, but not at any length.
    var info = info
    info.message = ShortenedText.cut(info.message)
    // Some codes abort Realm's client, and connection-level errors do not belong in a session.
    let isAllowed = code.mayBeSentToClients && code.fits(session: session) && code.endsSession
    let message = ErrorMessage(code: isAllowed ? code : .otherSessionError, session: session, info: info)
    effects.append(.send(.error(message)))
  }

  private mutating func failHost(_ reason: String) {
    effects.append(.hostViolation(key, reason))
    let message = "Internal server error: \(reason)"
    fail(.otherSessionError, ErrorInfo(message: message, action: .transient, tryAgain: true))
  }

  private mutating func send(_ batch: DownloadBatch) {
    let message = message(of: batch)
    sent = message.progress
    hasSentDownload = true
    owesUploadAcknowledgement = false
    effects.append(.send(.download(message)))
  }

  private func message(of batch: DownloadBatch) -> DownloadMessage {
    DownloadMessage(
      session: session,
      progress: SyncProgress(download: batch.download, upload: integrated, latest: batch.latest),
      queryVersion: batch.queryVersion,
      batchState: batch.batchState,
      progressEstimate: batch.progressEstimate,
      entries: batch.entries
    )
  }
}

// MARK: Order of answers

extension ServerSession {
  /// Asks the host to catch up if an acknowledgement is owed or the next MARK has nothing left to wait for.
  mutating func settle() {
    guard state == .active else { return }
    // Whatever a MARK waits for, every later MARK waits for too. So only the first one needs checking, even if a
    // client sends many.
    let next = marks.first { !$0.isCovered }
    if owesUploadAcknowledgement || next.map(isDue) == true { askToCatchUp() }
  }

  /// Asks the host to catch up, except during a bootstrap: the steady messages of a catch-up must not come between
  /// its batches (protocol §4.3).
  private mutating func askToCatchUp() {
    guard bootstrap == nil else { return }
    guard catchUp == .none else {
      catchUp = .askedWithMoreToCome
      return
    }
    for index in marks.indices {
      guard isDue(marks[index]) else { break }
      marks[index].isCovered = true
    }
    catchUp = .asked
    effects.append(.catchUp(key))
  }

  /// Whether everything that precedes the MARK has completed (protocol §4.7).
  private func isDue(_ mark: WaitingMark) -> Bool {
    let waitsForUpload =
      outstandingUploads.first.map { $0.clientVersion <= mark.uploadClientVersion } ?? false
    let waitsForQuery = outstandingQueries.first.map { $0 <= mark.query } ?? false
    return !waitsForUpload && !waitsForQuery && bootstrap == nil
  }

  /// Returns what in a batch would break the client (protocol §4.3, §4.5, §5.1); nil if nothing would.
  private func violation(of batch: DownloadBatch) -> String? {
    let isKnown = outstandingQueries.contains(batch.queryVersion) || batch.queryVersion == currentQuery
    switch batch.batchState {
    case .steady: if bootstrap != nil { return "a steady batch inside a bootstrap" }
    case .more:
      if !isKnown { return "a bootstrap of set \(batch.queryVersion), which the client did not request" }
    case .last:
      if !isKnown { return "a bootstrap of set \(batch.queryVersion), which the client did not request" }
      let hadEntries = bootstrap?.version == batch.queryVersion && bootstrap?.hasEntries == true
      if batch.entries.isEmpty && !hadEntries { return "a bootstrap without entries" }
    }
    let check = DownloadCheck(previous: sent, ownFileIdent: fileIdent ?? 0)
    return check.violation(of: message(of: batch))
  }
}
